"""Settling mails of which nobody knows whether the server took them: an operator says so."""

from datetime import datetime

from django.db import transaction

from shipskip.newsletter.models import Delivery, DeliveryQuerySet, DeliveryState, Issue

ACTS = {
    "sent": "an operator found it sent",
    "again": "an operator had it sent again",
    "drop": "an operator let it be",
}
"""What an operator may say, and the reason that is kept of it."""
_STATES = {
    "sent": DeliveryState.SENT,
    "again": DeliveryState.WAITING,
    "drop": DeliveryState.SKIPPED,
}


def resolve(rows: DeliveryQuerySet, act: str, now: datetime) -> int:
    """Settle those of these mails that are unknown; how many. An issue whose mails are to be
    sent again is being sent again; one that was cancelled sends none.
    """
    unknown = rows.unknown()
    if act == "again":
        unknown = unknown.filter(issue__cancelled_at=None)
    with transaction.atomic():
        keys = list(unknown.select_for_update(of=("self",)).values_list("pk", flat=True))
        issues = set(Delivery.objects.filter(pk__in=keys).values_list("issue_id", flat=True))
        done = Delivery.objects.filter(pk__in=keys).update(
            state=_STATES[act], reason=ACTS[act], claimed_by="", next_at=now, finished_at=now
        )
        if act == "again":
            Issue.objects.filter(pk__in=issues).update(sent_at=None)
        for issue in Issue.objects.filter(pk__in=issues):
            issue.recount()
    return done
