"""What is deleted of reports, after which time; docs/operations.md has the table of ages."""

from datetime import datetime, timedelta

from shipskip.reports.models import Report

DECIDED, UNDECIDED = timedelta(days=30), timedelta(days=180)

WRITTEN = ("address", "text", "source", "reply", "question")
"""What a reporter wrote, and what an editor asked them."""


def delete_words(now: datetime) -> int:
    """Delete the address and all words of reporters whose reports were decided; what the editor
    wrote for readers stays, and the reporter's link shows it.
    """
    decided = Report.objects.filter(decision__decided_at__lte=now - DECIDED)
    return decided.exclude(**dict.fromkeys(WRITTEN, "")).update(**dict.fromkeys(WRITTEN, ""))


def delete_undecided(now: datetime) -> int:
    """Delete the reports that nobody decided."""
    return Report.objects.undecided().filter(reported_at__lte=now - UNDECIDED).delete()[0]
