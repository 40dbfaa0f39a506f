"""Senders at work: how one is known, and how it is known that it died.

A sender's claims bear its name. It renews its lease while it works; one on this machine whose
process is gone is dead at once, any other after LEASE without a sign of life.
"""

import os
import secrets
import socket
from datetime import datetime, timedelta

from django.db import transaction

from shipskip.newsletter.models import Delivery, DeliveryState, SenderLease

LEASE = timedelta(minutes=5)
"""Longer than the slowest mail: a server may be silent for EMAIL_TIMEOUT before each answer."""
RENEWED_EVERY = timedelta(seconds=10)
MOST_SENDERS = 4
"""Senders at once; cron may start one before the last is done, and need not start forty."""
DIED = "the sender stopped after it began to hand the mail over"


def sign_on(now: datetime) -> str | None:
    """Begin to work under a name of one's own; None when MOST_SENDERS are at work."""
    name = f"{socket.gethostname()[:80]}:{os.getpid()}:{secrets.token_hex(6)}"
    with transaction.atomic():
        if SenderLease.objects.count() >= MOST_SENDERS:
            return None
        SenderLease.objects.create(name=name, started_at=now, renewed_at=now)
    return name


def renew(name: str, now: datetime) -> int:
    """Give a sign of life; how many senders share the work."""
    SenderLease.objects.update_or_create(
        name=name,
        defaults={"renewed_at": now},
        create_defaults={"started_at": now, "renewed_at": now},
    )
    return SenderLease.objects.count()


def release(name: str) -> None:
    """Let others take what a sender reserved and did not begin."""
    reserved = Delivery.objects.filter(claimed_by=name, state=DeliveryState.WAITING)
    reserved.update(claimed_by="")


def sign_off(name: str) -> None:
    """End one's work."""
    release(name)
    SenderLease.objects.filter(name=name).delete()


def end_dead(now: datetime) -> int:
    """What dead senders left behind: mails reserved are free again, a mail begun is *unknown*, and
    nobody sends it again by itself. How many are unknown.
    """
    leases = {lease.name: lease for lease in SenderLease.objects.all()}
    open_rows = Delivery.objects.filter(state__in=(DeliveryState.WAITING, DeliveryState.SENDING))
    claimed = open_rows.exclude(claimed_by="").order_by().values_list("claimed_by", flat=True)
    unknown = 0
    for name in {*leases, *claimed.distinct()}:
        lease = leases.get(name)
        if lease is None and SenderLease.objects.filter(name=name).exists():
            continue  # it signed on between our two looks
        if lease is None or lease.renewed_at < now - LEASE or not _process_lives(name):
            begun = Delivery.objects.filter(claimed_by=name, state=DeliveryState.SENDING)
            unknown += begun.update(state=DeliveryState.UNKNOWN, finished_at=now, reason=DIED)
            sign_off(name)
    return unknown


def _process_lives(name: str) -> bool:
    """False only when it is certain: the sender was on this machine and its process is gone."""
    host, pid, _ = name.rsplit(":", 2)
    if host != socket.gethostname()[:80]:
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
