"""The transactions of the catalogue: snapshot isolation for reading, atomic writing."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, transaction

from shipskip.catalogue.faults import SiteChangedError
from shipskip.editing.row_locks import is_concurrent_save
from shipskip.web.read_snapshot import read_snapshot


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
