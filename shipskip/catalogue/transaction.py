"""The transactions of the catalogue: snapshot isolation for reading, atomic writing."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, connection, transaction

from shipskip.catalogue.faults import SiteChangedError
from shipskip.editing.row_locks import is_concurrent_save


@contextmanager
def all_or_nothing(*, dry_run: bool) -> Iterator[None]:
    """Run a load in one transaction, or a dry run in one snapshot.

    A dry run opens no write transaction, which on SQLite would make every vote wait. Raises
    SiteChangedError when somebody else changed the site meanwhile; then nothing is written.
    """
    try:
        with read_snapshot() if dry_run else transaction.atomic():
            yield
    except DatabaseError as error:
        if not is_concurrent_save(error):
            raise
        raise SiteChangedError(
            "somebody else changed the site while the file was being loaded"
        ) from error


@contextmanager
def read_snapshot() -> Iterator[None]:
    """Read from one snapshot of the database; writers do not wait."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        # Django's transactions are BEGIN IMMEDIATE on SQLite, which would block every writer.
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
