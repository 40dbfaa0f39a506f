"""Claims: which sender has which mails, and what becomes of them when it dies.

A sender claims mails by one conditional UPDATE, which writes its name and the moment. Each later
change of a mail asks for that name too, so a sender that lost a claim changes nothing. A claim
ends when its sender releases it, when the sender's process is gone from this machine, and after
CLAIM_ENDS in any case.
"""

import os
import secrets
import socket
from datetime import datetime, timedelta

from django.db.models import Q

from shipskip.newsletter.models import Delivery, DeliveryQuerySet, DeliveryState

CLAIM_ENDS = timedelta(minutes=5)
"""Longer than the slowest mail: a server may be silent for EMAIL_TIMEOUT before each answer."""
MOST_SENDERS = 4
"""Senders at once; cron may start one before the last is done, and need not start forty."""
DIED = "the sender stopped after it began to hand the mail over"


def new_name() -> str:
    """The name of a sender, `host:pid:random`; its claims bear it."""
    return f"{socket.gethostname()[:80]}:{os.getpid()}:{secrets.token_hex(6)}"


def claim(name: str, rows: DeliveryQuerySet, most: int, now: datetime) -> list[Delivery]:
    """Claim those of the waiting rows that are due first, with their subscribers. Empty when every
    row is claimed: where another sender was faster, the next ones are tried.
    """
    free = rows.filter(state=DeliveryState.WAITING, claimed_by="")
    while keys := list(free.order_by("next_at").values_list("pk", flat=True)[:most]):
        if free.filter(pk__in=keys).update(claimed_by=name, started_at=now):
            own = Delivery.objects.filter(pk__in=keys, claimed_by=name)
            return list(own.select_related("subscriber").order_by("pk"))
    return []


def release(name: str) -> None:
    """Let others take what a sender claimed and did not begin."""
    own = Delivery.objects.filter(claimed_by=name, state=DeliveryState.WAITING)
    own.update(claimed_by="")


def senders() -> set[str]:
    """The names of the senders that have claims."""
    return set(_claimed().order_by().values_list("claimed_by", flat=True).distinct())


def end_abandoned(now: datetime) -> int:
    """End the claims of senders that died: a mail that was not begun is free again, one that was
    is *unknown*, and nobody sends it again by itself. How many are unknown.
    """
    dead = {name for name in senders() if not _process_lives(name)}
    too_old = Q(started_at=None) | Q(started_at__lt=now - CLAIM_ENDS)
    abandoned = _claimed().filter(Q(claimed_by__in=dead) | too_old)
    abandoned.filter(state=DeliveryState.WAITING).update(claimed_by="")
    begun = abandoned.filter(state=DeliveryState.SENDING)
    return begun.update(state=DeliveryState.UNKNOWN, finished_at=now, reason=DIED)


def _claimed() -> DeliveryQuerySet:
    """Mails that a sender has, or had when it died."""
    open_rows = Delivery.objects.filter(state__in=(DeliveryState.WAITING, DeliveryState.SENDING))
    return open_rows.exclude(claimed_by="")


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
