"""Advisory locks of PostgreSQL, for work that only one process may do at a time."""

from django.db import connection


def lock_until_end(number: int, *, wait: bool) -> bool:
    """Take the lock with this number until the transaction ends; without `wait`, return False if
    another process has it. On SQLite the transaction itself is a lock.
    """
    if connection.vendor != "postgresql":
        return True
    function = "pg_advisory_xact_lock" if wait else "pg_try_advisory_xact_lock"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s)", [number])
        return wait or bool(cursor.fetchone()[0])
