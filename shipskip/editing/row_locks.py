"""Rows held while they are saved, so that no save undoes another and no two wait for each other.

The order is the same everywhere: a tool before its takes, rows of one kind by their keys.
"""

from collections.abc import Callable
from typing import TypeVar

from django.db import DatabaseError, IntegrityError, models
from django.db.models import QuerySet

M = TypeVar("M", bound=models.Model)
T = TypeVar("T")

_DEADLOCK = "40P01"
"""PostgreSQL's code for two transactions that wait for one another."""


def held(rows: "QuerySet[M]") -> "QuerySet[M]":
    """These rows, kept from others who would change them until the transaction ends.

    Rows that refer to them can still be written (PostgreSQL's FOR NO KEY UPDATE): an entry on the
    record of a tool need not wait for whoever saves that tool.
    """
    return rows.select_for_update(of=("self",), no_key=True)


def lost_race(error: DatabaseError) -> bool:
    """Whether somebody else's save at the same instant was the fault, so that a second try is
    told of it or goes through.
    """
    if isinstance(error, IntegrityError):
        return True
    return getattr(error.__cause__, "sqlstate", None) == _DEADLOCK


def again_after_lost_race(save: Callable[[], T]) -> T:
    """Save, and once more where somebody else saved between our look and our save: now it can be
    seen, and told.
    """
    try:
        return save()
    except DatabaseError as error:
        if not lost_race(error):
            raise
    return save()
