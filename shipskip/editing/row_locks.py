"""Row locks for saving, so that no save overwrites another and no two wait for each other.

The order is the same everywhere: a tool before its takes, rows of one model by primary key.
"""

from collections.abc import Callable
from typing import TypeVar

from django.db import DatabaseError, IntegrityError, models
from django.db.models import QuerySet
from django.http import HttpRequest

M = TypeVar("M", bound=models.Model)
T = TypeVar("T")

SAVING_KEY = "desk.saving"
"""The key in `request.META` while rows are being saved in a transaction."""

_DEADLOCK = "40P01"
"""PostgreSQL's code for two transactions that wait for one another."""


class RowDeletedError(Exception):
    """The row was deleted while its editor was writing."""


def saving(request: HttpRequest) -> bool:
    """Whether this request saves rows, within a transaction."""
    return SAVING_KEY in request.META


def locked(rows: "QuerySet[M]") -> "QuerySet[M]":
    """Lock these rows against changes by others until the transaction ends.

    Rows that refer to them can still be written (PostgreSQL's FOR NO KEY UPDATE): inserting a
    vote on a tool, for example, does not wait for an editor who saves that tool.
    """
    return rows.select_for_update(of=("self",), no_key=True)


def is_concurrent_save(error: DatabaseError) -> bool:
    """Whether another save at the same time caused the error, so that a retry can succeed or
    report the conflict.
    """
    if isinstance(error, IntegrityError):
        return True
    return getattr(error.__cause__, "sqlstate", None) == _DEADLOCK


def retry_concurrent_save(save: Callable[[], T]) -> T:
    """Save, and retry once if another save came between reading and writing: the retry sees it."""
    try:
        return save()
    except DatabaseError as error:
        if not is_concurrent_save(error):
            raise
    return save()
