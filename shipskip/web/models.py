"""What tells whether a page that is kept is still true: one number, and rows that join in turn."""

from datetime import datetime, timedelta
from typing import ClassVar

from django.db import models

JOIN_EVERY = timedelta(seconds=60)
"""How often at most what visitors change in one row is shown to everybody."""


class ContentVersion(models.Model):
    """One row, whose number rises with everything editorial.

    The database's own triggers raise it (`memory/triggers.py`), so that no way of writing can
    forget it. A number never comes twice, not even after an older copy of the database was put
    back: it is at least the milliseconds since 1970.
    """

    number = models.BigIntegerField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.number}"


class Joining(models.Model):
    """A row whose changes are shown to everybody at most once in JOIN_EVERY.

    The first change after a quiet time is shown at once, those of a storm together once a
    minute, the last one of a storm too. `told` names the fields that are shown.
    """

    joins_at = models.DateTimeField(null=True, blank=True, editable=False, db_index=True)

    told: ClassVar[tuple[str, ...]] = ()

    class Meta:
        abstract = True

    def next_joining(self, now: datetime) -> datetime:
        """When a change made at `now` is shown; to be written with the change itself."""
        if self.joins_at is None:
            return now
        if self.joins_at > now:
            return min(self.joins_at, now + JOIN_EVERY)  # a clock that was wrong delays nothing
        return max(now, self.joins_at + JOIN_EVERY)
