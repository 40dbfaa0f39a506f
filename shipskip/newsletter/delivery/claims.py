"""Claims on mails (leases): each mail is sent by one sender; claims of dead senders are released.

A sender claims mails with one conditional UPDATE that writes its name and the time. Every later
update of a mail filters by that name too, so a sender that lost a claim changes nothing. A claim
ends when its sender releases it, when the sender's process no longer runs on this machine, and
after CLAIM_TIMEOUT in any case.
"""

import os
import secrets
import socket
from datetime import datetime, timedelta

from django.db.models import Q

from shipskip.newsletter.models import Delivery, DeliveryQuerySet, DeliveryState

CLAIM_TIMEOUT = timedelta(minutes=5)
"""Longer than the slowest mail: a server may wait up to EMAIL_TIMEOUT before each reply."""
MAX_SENDERS = 4
"""Maximum of concurrent senders: cron may start one before the last is done."""
SENDER_DIED = "the sender stopped after it began to hand the mail over"


def new_sender_name() -> str:
    """A new sender's name, `host:pid:random`, stored in its claims."""
    return f"{socket.gethostname()[:80]}:{os.getpid()}:{secrets.token_hex(6)}"


def claim(name: str, rows: DeliveryQuerySet, limit: int, now: datetime) -> list[Delivery]:
    """Claim up to `limit` waiting rows, those due first, and return them with their subscribers.

    If another sender claims them first, the next ones are tried; empty when every row is claimed.
    """
    free = rows.filter(state=DeliveryState.WAITING, claimed_by="")
    while keys := list(free.order_by("next_at").values_list("pk", flat=True)[:limit]):
        if free.filter(pk__in=keys).update(claimed_by=name, started_at=now):
            claimed = Delivery.objects.filter(pk__in=keys, claimed_by=name)
            return list(claimed.select_related("subscriber").order_by("pk"))
    return []


def release(name: str) -> None:
    """Release the mails that a sender claimed and did not start."""
    claimed = Delivery.objects.filter(claimed_by=name, state=DeliveryState.WAITING)
    claimed.update(claimed_by="")


def active_senders() -> set[str]:
    """The names of the senders that have claims."""
    return set(_claimed().order_by().values_list("claimed_by", flat=True).distinct())


def end_abandoned_claims(now: datetime) -> int:
    """End the claims of dead senders and return how many mails became *unknown*.

    A mail whose sending was not started can be claimed again. One whose sending was started becomes
    *unknown* and is not resent automatically.
    """
    dead = {name for name in active_senders() if not _process_alive(name)}
    too_old = Q(started_at=None) | Q(started_at__lt=now - CLAIM_TIMEOUT)
    abandoned = _claimed().filter(Q(claimed_by__in=dead) | too_old)
    abandoned.filter(state=DeliveryState.WAITING).update(claimed_by="")
    started = abandoned.filter(state=DeliveryState.SENDING)
    return started.update(state=DeliveryState.UNKNOWN, finished_at=now, reason=SENDER_DIED)


def _claimed() -> DeliveryQuerySet:
    """Mails that a living or dead sender has claimed."""
    open_rows = Delivery.objects.filter(state__in=(DeliveryState.WAITING, DeliveryState.SENDING))
    return open_rows.exclude(claimed_by="")


def _process_alive(name: str) -> bool:
    """Return False only if the sender ran on this machine and its process has certainly ended."""
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
