"""How many reports wait for an editor, a network's of one day counted once."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min

from shipskip.reports.models import Report


@dataclass(frozen=True)
class WaitingReports:
    """How many lines the queue has, and when the oldest was reported."""

    total: int
    oldest: datetime


def waiting_reports() -> WaitingReports | None:
    """What waits; None if nothing does. One query."""
    waiting = Report.objects.undecided().aggregate(
        total=Count("network", distinct=True), oldest=Min("reported_at")
    )
    return WaitingReports(**waiting) if waiting["total"] else None
