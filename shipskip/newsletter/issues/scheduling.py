"""Schedule, unschedule and cancel issues."""

from datetime import datetime

from django.db import transaction

from shipskip.newsletter.models import DeliveryState, Issue

CANCELLED = "the issue was cancelled"
"""The reason stored in mails that a cancellation skipped."""


class ScheduleError(Exception):
    """The issue cannot be scheduled; the message is the reason, as a sentence."""


def schedule(issue: Issue, moment: datetime) -> None:
    """Schedule an issue for `moment`. Its archive page gets that date, or the next free one if an
    issue cancelled during sending has a page with that date, or if it is an editor's own.

    Raises ScheduleError if the issue is being sent or done, or another issue has that date.
    """
    with transaction.atomic():
        row = Issue.objects.select_for_update().get(pk=issue.pk)
        if row.frozen_at or row.cancelled_at:
            raise ScheduleError(f"This issue is {row.state}: it cannot be scheduled any more.")
        others = Issue.objects.exclude(pk=row.pk)
        other = others.filter(cancelled_at=None, date=moment.date()).first()
        if other and not row.is_own:
            raise ScheduleError(f"{other} has that day already: choose another day.")
        row.scheduled_at, row.date = moment, others.free_date(moment.date())
        row.save(update_fields=["scheduled_at", "date"])
    issue.scheduled_at, issue.date = row.scheduled_at, row.date


def unschedule(issue: Issue) -> bool:
    """Make a scheduled issue a draft again; False if it is being sent or done."""
    rows = Issue.objects.filter(pk=issue.pk, frozen_at=None, cancelled_at=None)
    return bool(rows.update(scheduled_at=None))


def cancel(issue: Issue, now: datetime) -> int | None:
    """Cancel an issue and return how many waiting mails were skipped.

    Mails being sent at this moment still go out. None if it was sent or cancelled already.
    """
    with transaction.atomic():
        rows = Issue.objects.filter(pk=issue.pk, sent_at=None, cancelled_at=None)
        if not rows.update(cancelled_at=now):
            return None
        issue.recount()
        return issue.deliveries.filter(state=DeliveryState.WAITING).update(
            state=DeliveryState.SKIPPED, finished_at=now, reason=CANCELLED
        )
