"""Whether a tool is maintained: a status with the day since when, in words. No database here."""

from datetime import date, datetime

from django.db.models import TextChoices

from shipskip.web.text import day_in_words


class ToolStatus(TextChoices):
    """Whether its maker works on a tool."""

    ACTIVE = "active", "Active"
    MAINTENANCE = "maintenance", "Maintenance only"
    DISCONTINUED = "discontinued", "No longer maintained"
    UNKNOWN = "unknown", "Not known"


WARNED_OF = (ToolStatus.MAINTENANCE, ToolStatus.DISCONTINUED)
"""What readers have to know wherever a tool's name stands with a verdict."""

_ENDED = {
    ToolStatus.MAINTENANCE: "it went into maintenance",
    ToolStatus.DISCONTINUED: "its maintenance ended",
}


def status_in_words(status: str, day: date | None) -> str:
    """`Active, as of 3 November 2026`, `Maintenance only since 6 April 2026`, and the label alone
    without a day; empty if the status is not known.
    """
    if status == ToolStatus.UNKNOWN:
        return ""
    label = str(ToolStatus(status).label)
    if day is None:
        return label
    link = ", as of" if status == ToolStatus.ACTIVE else " since"
    return f"{label}{link} {day_in_words(day)}"


def recorded_status(status: str, day: date | None) -> str:
    """The status as the public record names it. A later sign of life of an active tool is no
    change, so its day is left out.
    """
    if status in WARNED_OF:
        return status_in_words(status, day)
    return str(ToolStatus(status).label)


def written_before(status: str, day: date | None, published_at: datetime | None) -> str:
    """A remark on a take that was published before the tool's status changed; empty without one:
    `Written before its maintenance ended on 18 June 2026.`
    """
    if status not in WARNED_OF or day is None or published_at is None or published_at.date() >= day:
        return ""
    return f"Written before {_ENDED[ToolStatus(status)]} on {day_in_words(day)}."
