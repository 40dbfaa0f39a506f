"""What editors do with a report: accept, decline, ask back, mark as spam. Each is recorded with who
and when; a report is decided once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from shipskip.reports.models import Decision, Report, Result
from shipskip.reports.retention import WRITTEN


class DecidedError(Exception):
    """A colleague has decided the report already."""


@dataclass(frozen=True)
class Words:
    """What readers will see: what was wrong, and what became of it."""

    wrong: str
    outcome: str


def decide(report: Report, result: Result, words: Words, by: int | None, now: datetime) -> Decision:
    """Accept or decline a report in an editor's words; raises DecidedError."""
    with transaction.atomic():
        row = _undecided(report)
        decision = Decision.objects.create(
            tool_id=row.tool_id,
            subject=row.subject,
            result=result,
            wrong=words.wrong,
            outcome=words.outcome,
            reported_at=row.reported_at,
            decided_at=now,
            by_id=by,
        )
        row.decision, row.network = decision, ""
        row.save(update_fields=["decision", "network"])
        return decision


def mark_as_spam(reports: Sequence[Report], by: int | None, now: datetime) -> int:
    """Delete undecided reports and keep only that there was one more of spam each; return how
    many. Those that a colleague has decided meanwhile stay.
    """
    with transaction.atomic():
        rows = Report.objects.undecided().filter(pk__in=[report.pk for report in reports])
        found = list(rows.select_for_update().order_by("pk"))
        Decision.objects.bulk_create(
            Decision(result=Result.SPAM, reported_at=row.reported_at, decided_at=now, by_id=by)
            for row in found
        )
        Report.objects.filter(pk__in=[row.pk for row in found]).delete()
        return len(found)


def ask(report: Report, question: str, now: datetime) -> None:
    """Store an editor's question, which the reporter's page shows; raises DecidedError."""
    with transaction.atomic():
        row = _undecided(report)
        row.question, row.asked_at, row.reply, row.replied_at = question, now, "", None
        row.save(update_fields=["question", "asked_at", "reply", "replied_at"])


def reply(report: Report, text: str, now: datetime) -> bool:
    """Store the reporter's answer to the last question; False if nobody asks any more."""
    asked = Report.objects.undecided().filter(pk=report.pk, replied_at=None)
    return bool(asked.exclude(question="").update(reply=text, replied_at=now))


def take_back(report: Report) -> None:
    """Delete what the reporter wrote; of an undecided report the whole row. What an editor decided
    stays, in the editor's own words.
    """
    with transaction.atomic():
        row = Report.objects.select_for_update(of=("self",)).filter(pk=report.pk).first()
        if row is None:
            return
        if row.decision_id is None:
            row.delete()
        else:
            Report.objects.filter(pk=row.pk).update(**dict.fromkeys(WRITTEN, ""))


def _undecided(report: Report) -> Report:
    row = Report.objects.undecided().select_for_update(of=("self",)).filter(pk=report.pk).first()
    if row is None:
        raise DecidedError
    return row
