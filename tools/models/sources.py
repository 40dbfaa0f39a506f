"""The source of an answer, and the date when an editor checked it."""

from datetime import date, datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone

from shipskip.web.publishing import Versioned
from shipskip.web.text import line_field, validate_line, validate_web_address
from tools.source_names import without_tracking

LONGEST_QUOTE = 300
STALE_AFTER_DAYS = 180
"""Days after which a take or fact that no editor changed or confirmed counts as old."""


def latest_day() -> date:
    """Today's date in the time zone that is furthest ahead (UTC+14)."""
    return (timezone.now() + timedelta(hours=14)).date()


def validate_past_day(day: date) -> None:
    """Refuse a date in the future; raises ValidationError."""
    if day > latest_day():
        raise ValidationError("This date is in the future: enter the day of the check.")


def validate_without_tracking(url: str) -> None:
    """Refuse an address that follows its readers; raises ValidationError with a clean one."""
    clean = without_tracking(url)
    if clean != url:
        raise ValidationError(f"Remove the tracking from the address: {clean} is enough.")


def oldest_fresh_day(now: datetime) -> date:
    """The oldest day of a check that still counts as current."""
    return (now - timedelta(days=STALE_AFTER_DAYS)).date()


class Sourced(Versioned):
    """A row that states something, with its source."""

    note = line_field(200, blank=True)
    source = models.CharField(max_length=500, blank=True, validators=[validate_web_address])
    quote = models.CharField(
        max_length=LONGEST_QUOTE,
        blank=True,
        default="",
        db_default="",
        validators=[validate_line],
    )
    """The source’s own words from which it was read."""
    checked_on = models.DateField(
        "checked on", null=True, blank=True, validators=[validate_past_day]
    )

    unconfirmed = models.BooleanField(
        "imported, not confirmed by an editor", default=False, db_default=False
    )
    """Whether it is from open data, and no editor has checked it; `checked_on` is then the day of
    those data."""

    class Meta:
        abstract = True

    def is_old(self, now: datetime) -> bool:
        """Whether it was checked over `STALE_AFTER_DAYS` ago; False where no date is known."""
        return self.checked_on is not None and self.checked_on < oldest_fresh_day(now)
