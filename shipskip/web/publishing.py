"""Published or draft by a moment in time: the one word `published(now)` decides what is public."""

from datetime import UTC, datetime
from typing import Any, Self, TypeVar

from django.db import models

ALWAYS = datetime(1970, 1, 1, tzinfo=UTC)
"""The moment of what has been public since the beginning (categories and reviewers by default)."""

M = TypeVar("M", bound=models.Model)


class PublishedQuerySet(models.QuerySet[M]):
    """Rows that know a moment of publication."""

    def published(self, now: datetime) -> Self:
        """Rows whose moment has come at `now`; drafts and moments to come are left out."""
        return self.filter(published_at__lte=now)

    def draft(self) -> Self:
        """Rows without a moment of publication."""
        return self.filter(published_at=None)

    def scheduled(self, now: datetime) -> Self:
        """Rows whose moment is still to come at `now`."""
        return self.filter(published_at__gt=now)


def moment(**kwargs: Any) -> "models.DateTimeField[Any, Any]":
    """A field for the moment of publication; `default=ALWAYS` makes new rows public at once."""
    return models.DateTimeField(
        "published",
        null=True,
        blank=True,
        db_index=True,
        help_text="Public from this moment (UTC). A moment to come schedules it; empty is a draft.",
        **kwargs,
    )


class Publishable(models.Model):
    """A row that is public from a moment on, or a draft while it has none."""

    published_at = moment()

    class Meta:
        abstract = True
        default_permissions = ("view", "add", "change", "delete", "publish")

    def state(self, now: datetime) -> str:
        """`draft`, `scheduled` or `public`, as this row's own moment tells at `now`."""
        if self.published_at is None:
            return "draft"
        return "public" if self.published_at <= now else "scheduled"
