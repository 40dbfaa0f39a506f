"""The transaction of a load, of a document or of a file of takes."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, transaction

from shipskip.catalogue.dumping import one_moment
from shipskip.catalogue.merging import ConflictError
from shipskip.web.editing.holding import lost_race


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
        if not lost_race(error):
            raise
        raise ConflictError(
            "somebody else changed the site while the file was being loaded"
        ) from error
