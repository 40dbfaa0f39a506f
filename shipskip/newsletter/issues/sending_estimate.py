"""The estimate of sending an issue, in words: the number of recipients, the rate and the end."""

from datetime import datetime, timedelta
from math import ceil

from django.utils import timezone

from shipskip.editing.moments import moment_in_words


def estimate_in_words(recipients: int, rate: float, starts_at: datetime | None) -> str:
    """The number of recipients and the duration, at `rate` mails a second (0: no limit); with a
    start also the end.
    """
    if not recipients:
        return "It has no recipients yet: no subscriber is confirmed."
    to = f"It goes to {recipients:,} subscriber{'' if recipients == 1 else 's'}"
    if not rate:
        return f"{to}, as fast as the mail server accepts them."
    minutes = ceil(recipients / rate / 60)
    estimate = f"{to}, at most {rate:g} a second: about {_duration(minutes)}."
    if starts_at is None:
        return estimate
    end = starts_at + timedelta(minutes=minutes)
    starts = moment_in_words(starts_at)
    return f"{estimate} Starting on {starts}, it ends at about {_end(starts_at, end)}."


def _duration(minutes: int) -> str:
    """A duration in words, as in `2 h 5 min`."""
    hours, rest = divmod(minutes, 60)
    if not hours:
        return "a minute" if rest == 1 else f"{rest} minutes"
    return f"{hours} h {rest} min" if rest else f"{hours} h"


def _end(start: datetime, end: datetime) -> str:
    """The end: its time, with the date if that is another day."""
    start, end = timezone.localtime(start), timezone.localtime(end)
    return f"{end:%H:%M}" if end.date() == start.date() else moment_in_words(end)
