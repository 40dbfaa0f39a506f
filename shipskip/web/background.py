"""Work that a request begins and does not wait for, outside of the processes that serve."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

from django.conf import settings

NICE = "nice"

OF_WORKERS = ("SERVER_PID", "PROMETHEUS_MULTIPROC_DIR")
"""Variables that make a process a server's worker."""


def start_once(lock: Path, *arguments: str) -> None:
    """Start Python with these arguments and the lowest priority, unless a process that was started
    with this lock still runs on this machine: it inherits the locked file, and its end frees it.
    """
    lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        env = {key: value for key, value in os.environ.items() if key not in OF_WORKERS}
        child = subprocess.Popen(  # noqa: S603 - no shell, and our own arguments
            [NICE, "-n", "19", sys.executable, *arguments],
            cwd=settings.BASE_DIR,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=env,
            pass_fds=[file.fileno()],
        )
    Thread(target=child.wait, daemon=True).start()  # else it stays as a zombie
