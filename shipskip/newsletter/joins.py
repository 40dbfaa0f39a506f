"""How often one network may ask to join in a day. Networks are known by a seal, for 48 hours."""

import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import F

from shipskip.newsletter.subscribers import JoinNetwork, JoinSalt
from shipskip.web.network import sealed

SALT_LIFETIME = timedelta(hours=48)


def admit(network: str, now: datetime) -> bool:
    """Count one wish to join from a network, in the clear; whether it is within the day's limit.

    The count is raised by one conditional statement, so that many at once cannot pass it.
    """
    day = now.date()
    seal = sealed(network, _salt_of(now))
    row = JoinNetwork(day=day, network=seal)
    JoinNetwork.objects.bulk_create([row], ignore_conflicts=True)
    within = JoinNetwork.objects.under(settings.JOINS_PER_NETWORK_PER_DAY)
    return bool(within.filter(day=day, network=seal).update(joins=F("joins") + 1))


def destroy_old_networks(now: datetime) -> tuple[int, int]:
    """Destroy the salts and the counts of days that began 48 hours ago or more; how many each."""
    last = (now - SALT_LIFETIME).date()
    salts = JoinSalt.objects.filter(day__lte=last).delete()[0]
    return salts, JoinNetwork.objects.filter(day__lte=last).delete()[0]


def _salt_of(now: datetime) -> bytes:
    """The day's salt; the first wish of a day makes it and destroys what is due."""
    day = now.date()
    row = JoinSalt.objects.filter(day=day).first()
    if row is None:
        destroy_old_networks(now)
        new = JoinSalt(day=day, salt=secrets.token_bytes(32))
        JoinSalt.objects.bulk_create([new], ignore_conflicts=True)
        row = JoinSalt.objects.get(day=day)
    return bytes(row.salt)
