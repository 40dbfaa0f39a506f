"""Resolve mails in state *unknown*: an operator decides whether the server accepted them."""

from datetime import datetime

from django.db import transaction

from shipskip.newsletter.models import Delivery, DeliveryQuerySet, DeliveryState, Issue

ACTIONS = {
    "sent": "an operator found it sent",
    "again": "an operator had it sent again",
    "drop": "an operator dropped it",
}
"""The operator's decisions, each with the reason stored in the delivery."""
_STATES = {
    "sent": DeliveryState.SENT,
    "again": DeliveryState.WAITING,
    "drop": DeliveryState.SKIPPED,
}


def resolve(rows: DeliveryQuerySet, action: str, now: datetime) -> int:
    """Resolve the unknown mails among `rows` and return how many.

    With "again" their issue is in state *sending* once more; mails of a cancelled issue are not
    sent again.
    """
    unknown = rows.unknown()
    if action == "again":
        unknown = unknown.filter(issue__cancelled_at=None)
    with transaction.atomic():
        keys = list(unknown.select_for_update(of=("self",)).values_list("pk", flat=True))
        issues = set(Delivery.objects.filter(pk__in=keys).values_list("issue_id", flat=True))
        done = Delivery.objects.filter(pk__in=keys).update(
            state=_STATES[action],
            reason=ACTIONS[action],
            next_at=now,
            finished_at=now,
        )
        if action == "again":
            Issue.objects.filter(pk__in=issues).update(sent_at=None)
        for issue in Issue.objects.filter(pk__in=issues):
            issue.recount()
    return done
