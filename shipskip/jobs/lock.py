"""The lock with which one process at a time runs a job.

On PostgreSQL it is an advisory lock of the connection over which the job writes: when the
connection is lost, so is the lock. Beside SQLite it is a lock on a file. A killed process frees
both.
"""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

from shipskip.jobs.timetable import Job


class LockLostError(Exception):
    """The connection that held the lock is gone: another process may run the job now."""


@contextmanager
def job_lock(job: Job) -> Iterator[Callable[[], None] | None]:
    """Become the process that runs this job; None if another process is.

    Otherwise a function to call right before each write: it raises LockLostError if Django has
    another connection now than the one that holds the lock.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [job.lock_number])
            is_held = cursor.fetchone()[0]
        holder = connection.connection

        def check() -> None:
            if connection.connection is not holder:
                raise LockLostError("the connection to the database was lost")

        try:
            yield check if is_held else None
        finally:
            if is_held and connection.connection is holder and not holder.closed:
                with connection.cursor() as cursor:
                    cursor.execute("SELECT pg_advisory_unlock(%s)", [job.lock_number])
        return
    database = Path(connection.settings_dict["NAME"])
    if not database.exists():  # in memory, where no other process reads it
        yield lambda: None
        return
    with open(database.with_name(f"{database.name}-{job.name}"), "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
        else:
            yield lambda: None
