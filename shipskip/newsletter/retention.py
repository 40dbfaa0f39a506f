"""Retention periods of the newsletter; each function deletes older rows and returns how many.

`operations/tidying.py` calls them, for the job `work` and for `manage.py tidy`.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from shipskip.newsletter.models import (
    AddressLook,
    Confirmation,
    Delivery,
    Issue,
    Subscriber,
)
from shipskip.newsletter.subscribers import subscription

UNCONFIRMED = timedelta(days=14)
ENDED = DELIVERIES = timedelta(days=90)
ADDRESS_VIEWS = timedelta(days=365)


def delete_unconfirmed(now: datetime) -> int:
    """Delete addresses that asked to join and did not confirm."""
    return _delete(Subscriber.objects.waiting().requested_until(now - UNCONFIRMED))


def delete_confirmations(now: datetime) -> int:
    """Delete confirmation mails; their links have expired."""
    return Confirmation.objects.requested_until(now - UNCONFIRMED).delete()[0]


def delete_ended(now: datetime) -> int:
    """Delete subscriptions that ended. After a complaint a hash of the address stays, so that
    nobody can subscribe it again.
    """
    ended = Subscriber.objects.ended_until(now - ENDED)
    complained = list(ended.complained())
    for subscriber in complained:
        subscription.forget(subscriber, now)
    return len(complained) + _delete(ended)


def delete_deliveries(now: datetime) -> int:
    """Delete the deliveries of finished issues; each issue keeps its counts."""
    end = now - DELIVERIES
    done = Issue.objects.filter(Q(sent_at__lte=end) | Q(cancelled_at__lte=end))
    old = Delivery.objects.filter(issue__in=done)
    with transaction.atomic():
        for issue in done.filter(pk__in=old.values("issue")).only("pk"):
            issue.recount()
        return old.delete()[0]


def delete_address_views(now: datetime) -> int:
    """Delete the records of editors who saw an address."""
    return AddressLook.objects.filter(at__lte=now - ADDRESS_VIEWS).delete()[0]


def _delete(subscribers: QuerySet[Subscriber]) -> int:
    """Delete subscribers with their mails; returns how many subscribers."""
    return subscribers.delete()[1].get(Subscriber._meta.label, 0)
