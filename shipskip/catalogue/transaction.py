"""The transactions of the catalogue: one moment to read from, all or nothing to write."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, connection, transaction

from shipskip.catalogue.faults import ConflictError
from shipskip.editing.row_locks import is_concurrent_save


@contextmanager
def all_or_nothing(*, look: bool) -> Iterator[None]:
    """Hold a load together, or give a `look` one moment to read from.

    A look takes no transaction to write: on SQLite that would keep every vote waiting. Raises
    ConflictError when somebody else changed the site meanwhile; then nothing is written.
    """
    try:
        with one_moment() if look else transaction.atomic():
            yield
    except DatabaseError as error:
        if not is_concurrent_save(error):
            raise
        raise ConflictError(
            "somebody else changed the site while the file was being loaded"
        ) from error


@contextmanager
def one_moment() -> Iterator[None]:
    """Read from one snapshot, in the way of the database, without keeping writers waiting."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        # Django's own transactions begin IMMEDIATE here and would lock every writer out.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
    else:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
