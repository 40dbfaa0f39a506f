"""The server of production: granian, whose workers leave without cutting a reader off.

`python -m shipskip.server`, started by `deploy/serve`, which says what it reads from the
environment. SIGHUP replaces the workers one by one, SIGTERM stops.

Three things are done otherwise than granian does them, and `tests/deploy` watches them under
load. All workers share one listening socket: with one each, what waits in a worker's own queue is
lost with it. A worker that is to go accepts nothing more and closes each connection after its
answer, for a second, before it is told to stop: stopped at once, it closes connections that
have the reader's next request on their way. And a successor must have loaded the site first.
"""

import logging
import mmap
import multiprocessing
import os
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path
from stat import S_ISSOCK
from threading import Thread, get_ident
from time import monotonic, sleep, time
from typing import Any, cast

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.mp import MPServer, WorkerProcess

Start = Callable[..., Any]
Application = Callable[[dict[str, Any], Start], Any]

FAREWELL = 1.0
"""Seconds between the call to leave and the end."""

PATIENCE = 30
"""Seconds a worker may take to finish its last answers."""

START = 120
"""Seconds a worker may take to load the site."""

ASK_EACH_TIME = "public, max-age=0"
"""How Cache-Control of a public page begins (`PUBLIC` of shipskip/web/caching.py). The server
imports nothing of the site: what it had imported, its workers could not load anew.
"""

LOADED, CALLED = 1, 2
"""What a worker's byte of the shared memory says, after 0."""

log = logging.getLogger(__name__)


def stop_accepting() -> None:
    """Put a socket that nobody connects to in the place of each that this process listens on.

    The real one stays open in the other processes, with all who wait there.
    """
    with socket.socket(socket.AF_UNIX) as nobody:
        nobody.bind("")  # a name that the system makes up
        nobody.listen(1)
        nobody.settimeout(0)
        for name in os.listdir("/proc/self/fd"):
            number = int(name)
            try:
                if number == nobody.fileno() or not S_ISSOCK(os.fstat(number).st_mode):
                    continue
                with socket.socket(fileno=os.dup(number)) as one:
                    listens = one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
            except OSError:  # closed meanwhile
                continue
            if listens:
                os.dup2(nobody.fileno(), number)


def serving(calls: mmap.mmap, place: int, local: bool, load: Callable[[], Application]) -> Any:  # noqa: FBT001
    """The site as the worker with that place runs it, until it is called away.

    Behind a socket of this machine (`local`) the front has no address but ours.
    """
    site = load()
    calls[place] = LOADED
    busy: set[int] = set()

    def answer(environ: dict[str, Any], start_response: Start) -> Any:
        thread = get_ident()
        busy.add(thread)
        try:
            if local:
                environ["REMOTE_ADDR"] = "127.0.0.1"
            if "HTTP_X_FRONT" in environ:
                start_response = until_the_next_second(start_response)
            if calls[place] == CALLED:
                start_response = closing(start_response)
            return site(environ, start_response)
        finally:
            busy.discard(thread)

    Thread(target=leave, args=(calls, place, busy, os.getppid()), daemon=True).start()
    return answer


def closing(start_response: Start) -> Start:
    """Let an answer be the last of its connection."""

    def start(status: str, headers: list[tuple[str, str]], *fault: Any) -> Any:
        return start_response(status, [*headers, ("Connection", "close")], *fault)

    return start


def until_the_next_second(start_response: Start) -> Start:
    """Tell our front to keep a public page until the clock's next second.

    Then it asks again, and the worker looks again what is published: both follow the clock, so
    that what is published in one second is seen in the next, in front of the site too.
    """
    now = int(time())

    def start(status: str, headers: list[tuple[str, str]], *fault: Any) -> Any:
        if any(n.lower() == "cache-control" and v.startswith(ASK_EACH_TIME) for n, v in headers):
            headers = [*headers, ("X-Accel-Expires", f"@{now}")]
        return start_response(status, headers, *fault)

    return start


def leave(calls: mmap.mmap, place: int, busy: set[int], parent: int) -> None:
    """Wait for the call to leave, or the end of the parent, and see to it that this worker goes.

    Under load granian's workers now and then miss SIGTERM. So one that has nothing left to
    answer, and should have stopped long ago, ends here; and none outlives a parent that was
    killed, whose successor needs its port.
    """
    while calls[place] != CALLED and os.getppid() == parent:
        sleep(0.1)
    stop_accepting()
    sleep(FAREWELL + 2)
    while busy:
        sleep(0.1)
    os._exit(0)


class Server(MPServer):
    """Granian's server with one socket, and workers that are called away before they stop."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.calls = mmap.mmap(-1, 1 << 16)
        self.places: dict[WorkerProcess, int] = {}
        self.started = 0

    def _init_shared_socket(self) -> None:
        super()._init_shared_socket()  # type: ignore[no-untyped-call]
        if self._shd is None:
            self._shd = cast(Any, self._ssp).build()
            self._sfd = cast(Any, self._shd).get_fd()
            self._ssp = None
            self._sso = socket.socket(fileno=self._sfd)
            self._sso.set_inheritable(True)

    def _spawn_worker(  # type: ignore[override]
        self, idx: int, target: Any, callback_loader: Any
    ) -> WorkerProcess:
        self.started = (self.started + 1) % len(self.calls)
        self.calls[self.started] = 0
        local = self.bind_uds is not None
        load = partial(serving, self.calls, self.started, local, callback_loader)
        worker = super()._spawn_worker(idx=idx, target=target, callback_loader=load)
        self.places[worker] = self.started
        return worker

    def _respawn_workers(
        self, workers: list[int], spawn_target: Any, target_loader: Any, delay: float = 0
    ) -> None:
        """Replace these workers, each once its successor has loaded the site.

        Where the successor of a living worker does not start, the old one stays.
        """
        for number in workers:
            old = self.wrks[number]
            new = self._spawn_worker(number, spawn_target, target_loader)
            new.start()  # type: ignore[no-untyped-call]
            if not _alive(old):
                # Granian gives up when one crashes soon after this; a reload is no crash.
                self.respawned_wrks[number] = monotonic()
                self.wrks[number] = new
            elif self._loads(new):
                self.wrks[number] = new
                self._end([old])
            else:
                log.error("The new release does not start; worker %d stays as it is.", number + 1)
                self._forget(new)

    def _loads(self, worker: WorkerProcess) -> bool:
        """Wait until a worker has loaded the site; whether it did."""
        end = monotonic() + START
        while _alive(worker) and monotonic() < end:
            if self.calls[self.places[worker]] == LOADED:
                return True
            sleep(0.05)
        return False

    def _forget(self, worker: WorkerProcess) -> None:
        """Go on as if a worker had never been: that it did not start is no crash."""
        worker.interrupt_by_parent = True
        worker.inner.kill()
        worker.inner.join()
        sleep(0.1)  # its watcher has said what it had to say
        if worker.idx in self.interrupt_children:
            self.interrupt_children.remove(worker.idx)
        del self.places[worker]
        # Left set with nothing to do, granian's loop would turn without a pause.
        self.main_loop_interrupt.clear()
        if self.interrupt_signal or self.reload_signal or self.interrupt_children:
            self.main_loop_interrupt.set()

    def _stop_workers(self) -> None:
        self._end(self.wrks)
        self.wrks.clear()

    def _end(self, workers: list[WorkerProcess]) -> None:
        """Call workers away, then let them finish what they still answer."""
        for worker in workers:
            worker.interrupt_by_parent = True
            self.calls[self.places.pop(worker)] = CALLED
        sleep(FAREWELL)
        for worker in workers:
            worker.inner.terminate()
        end = monotonic() + PATIENCE
        for worker in workers:
            while _alive(worker) and monotonic() < end:
                worker.inner.join(0.1)  # which may say too early that there is no such process
            if _alive(worker):
                log.warning("Worker %d did not stop in %d s.", worker.idx + 1, PATIENCE)
                worker.inner.kill()
                worker.inner.join()


def _alive(worker: WorkerProcess) -> bool:
    return bool(worker.inner.is_alive())


def _number(name: str, default: int) -> int:
    return int(os.environ.get(name) or default)


def main() -> None:
    """Serve until SIGTERM."""
    multiprocessing.set_start_method("fork")  # the calls are memory that is handed down
    path = os.environ.get("SOCKET", "")
    Server(
        "shipskip.wsgi:application",
        address=os.environ.get("HOST") or "127.0.0.1",
        port=_number("PORT", 8000),
        uds=Path(path) if path else None,
        uds_permissions=0o666 if path else None,
        interface=Interfaces.WSGI,
        workers=_number("WORKERS", os.cpu_count() or 1),
        blocking_threads=_number("THREADS", 4),
        backlog=2048,
        backpressure=512,
        http=HTTPModes.http1,
        # Who sends no headers in ten seconds, or more of them than any browser does, is cut off.
        http1_settings=HTTP1Settings(header_read_timeout=10_000, max_buffer_size=64 * 1024),
        websockets=False,
        log_level=LogLevels.warning,
        respawn_failed_workers=True,
    ).serve()


if __name__ == "__main__":
    main()
