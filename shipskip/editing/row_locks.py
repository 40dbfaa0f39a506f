"""Row locks for saving: no lost update, and no deadlock.

The lock order is the same everywhere: a tool before its takes, rows of one model by primary key.
"""

from collections.abc import Callable, Collection
from typing import TypeVar

from django.db import DatabaseError, IntegrityError, models
from django.db.models import QuerySet
from django.http import HttpRequest

M = TypeVar("M", bound=models.Model)
T = TypeVar("T")

SAVING_KEY = "desk.saving"
"""The key in `request.META` while rows are being saved in a transaction."""

_DEADLOCK = "40P01"
"""PostgreSQL's code for a deadlock."""


class RowDeletedError(Exception):
    """The row was deleted while its editor was writing."""


def saving(request: HttpRequest) -> bool:
    """Whether this request saves rows, within a transaction."""
    return SAVING_KEY in request.META


def locked(rows: "QuerySet[M]") -> "QuerySet[M]":
    """Take row locks, so that others cannot change these rows until the transaction ends.

    Rows that refer to them can still be written (PostgreSQL's FOR NO KEY UPDATE): inserting a
    vote on a tool, for example, does not wait for an editor who saves that tool.
    """
    return rows.select_for_update(of=("self",), no_key=True)


def hold(rows: "QuerySet[M]", keys: Collection[int]) -> None:
    """Lock those of these rows with the keys, so that nobody deletes them before the transaction
    ends: rows that refer to them are about to be saved.

    Raises IntegrityError if one is deleted; a second try finds that out and says so.
    """
    found = locked(rows.filter(pk__in=keys).order_by("pk")).values_list("pk")
    if keys and len(found) < len({*keys}):
        raise IntegrityError("A row to which a saved one refers was deleted.")


def is_concurrent_save(error: DatabaseError) -> bool:
    """Whether a concurrent save caused the error; if so, a retry succeeds or reports a conflict."""
    if isinstance(error, IntegrityError):
        return True
    return getattr(error.__cause__, "sqlstate", None) == _DEADLOCK


def retry_concurrent_save(save: Callable[[], T]) -> T:
    """Save; after a race condition with another save, retry once with what that save stored."""
    try:
        return save()
    except DatabaseError as error:
        if not is_concurrent_save(error):
            raise
    return save()
