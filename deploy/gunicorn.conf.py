"""gunicorn's settings. `deploy/serve` starts it and says what it reads from the environment.

gunicorn stops its old workers as soon as it has started new ones, and ends itself when one of these
does not load the site. The hooks below change that with documented parts only: at SIGHUP the new
workers start beside the old ones, each stops one old worker once it has loaded the site, and a
release that does not load leaves the old workers as they are.
"""

import logging
import os
import signal
import socket
import struct
import sys

from gunicorn.arbiter import Arbiter
from gunicorn.workers.gthread import ThreadWorker

RECEIVE_SECONDS = 10
"""A client that sends or takes nothing for so long is cut off."""

wsgi_app = "shipskip.wsgi:application"
path = os.environ.get("SOCKET", "")
bind = f"unix:{path}" if path else f"{os.environ['HOST']}:{os.environ['PORT']}"
workers = int(os.environ["WORKERS"])
threads = int(os.environ["THREADS"])
worker_class = "gthread"
timeout = 120  # a worker may take so long to load the site on a busy machine
graceful_timeout = 30
keepalive = 35  # longer than nginx keeps its connections, so that nginx closes them first
limit_request_line = 8190
control_socket_disable = True
# Names with underscores are dropped, and what a proxy says is for the site to judge
# (TRUSTED_PROXIES): no header changes the scheme, the address or the path here.
header_map = "drop"
secure_scheme_headers: dict[str, str] = {}
forwarder_headers = forwarded_allow_ips = ""
# Warnings name the addresses of clients, which nobody may write down.
loglevel = "error"


def not_a_silent_client(record: logging.LogRecord) -> bool:
    """Whether a line is about anything but a client that was cut off for its silence."""
    return not (record.exc_info and isinstance(record.exc_info[1], BlockingIOError))


def when_ready(server: Arbiter) -> None:
    """Bound the waits for a client; connections inherit it from the socket that accepts them."""
    wait = struct.pack("ll", RECEIVE_SECONDS, 0)
    for listener in server.LISTENERS:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, wait)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, wait)
    logging.getLogger("gunicorn.error").addFilter(not_a_silent_client)


def on_reload(server: Arbiter) -> None:
    """Make room for the new workers beside the old ones."""
    server.num_workers += server.cfg.workers


def pre_fork(server: Arbiter, worker: ThreadWorker) -> None:
    """Name the old worker that a new one replaces, the oldest first; None when it adds to them."""
    oldest_first = sorted(server.WORKERS, key=lambda pid: server.WORKERS[pid].age)
    surplus = len(oldest_first) - server.cfg.workers
    worker.replaces = oldest_first[surplus] if surplus >= 0 else None


def post_worker_init(worker: ThreadWorker) -> None:
    """Stop the replaced worker, now that this one has loaded the site."""
    if worker.replaces:
        os.kill(worker.replaces, signal.SIGTERM)


def worker_exit(server: Arbiter, worker: ThreadWorker) -> None:
    """End with a status that does not stop the server when a new release does not load."""
    if worker.pid == os.getpid() and worker.replaces and not worker.booted:
        server.log.error("The new release does not start; the old workers go on.")
        sys.stderr.flush()
        os._exit(1)


def child_exit(server: Arbiter, worker: ThreadWorker) -> None:
    """Take back the room that a reload made."""
    server.num_workers = max(server.cfg.workers, server.num_workers - 1)
