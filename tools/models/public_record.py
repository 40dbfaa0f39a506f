"""The lines of the public record: what readers could see, and that it was changed."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from django.db import models

from shipskip.web.text import line_field

SLIP = timedelta(hours=1)
"""A change that is undone within this time was a slip: one line says both."""


class RecordedChange(models.Model):
    """A change that readers could see. It is never deleted."""

    at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True, blank=True, editable=False)
    """When a slip was undone."""
    correction = line_field(200, blank=True)
    """Why an earlier value was an error, for readers; empty if the change was none of an error."""

    class Meta:
        abstract = True


C = TypeVar("C", bound=RecordedChange)


def is_news() -> models.Q:
    """The changes that tell readers something new: no slips and no corrections."""
    return models.Q(undone_at=None, correction="")


def slips(recent: Sequence[C], stored_again: Sequence[object], before: Sequence[str]) -> list[C]:
    """The changes of one value that are undone because it has its earlier value again.

    `recent` are the changes within `SLIP`, the oldest first; `before` names the fields that hold
    the earlier value.
    """
    for at, change in enumerate(recent):
        if [getattr(change, name) for name in before] == list(stored_again):
            return list(recent[at:])
    return []


def corrected_after(at: datetime, undone_at: datetime) -> str:
    """How long a slip lasted, in words: `1 minute`."""
    minutes = int((undone_at - at).total_seconds() // 60)
    if not minutes:
        return "less than a minute"
    return "1 minute" if minutes == 1 else f"{minutes} minutes"
