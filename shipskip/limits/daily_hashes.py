"""Salted hashes of networks and other texts, comparable within one day; each day's salt is
destroyed later.
"""

import secrets
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from shipskip.limits.models import DailySalt
from shipskip.web.network import address_hash

SALT_LIFETIME = timedelta(hours=48)


def hash_of_day(text: str, now: datetime) -> str:
    """A text as 32 hex digits, under the day's salt."""
    return hashes_of_day([text], now)[0]


def hashes_of_day(texts: Sequence[str], now: datetime) -> list[str]:
    """Each text as 32 hex digits, under the day's salt; one query."""
    salt = _salt_of(now)
    return [address_hash(text, salt)[:32] for text in texts]


def last_destroyed(now: datetime) -> date:
    """The last day that began 48 hours ago or more."""
    return (now - SALT_LIFETIME).date()


def destroy_old_salts(now: datetime) -> int:
    """Destroy the salts of days that began 48 hours ago or more; return how many."""
    return DailySalt.objects.filter(day__lte=last_destroyed(now)).delete()[0]


def _salt_of(now: datetime) -> bytes:
    """The day's salt; the first hash of a day creates it and destroys the expired salts."""
    day = now.date()
    row = DailySalt.objects.filter(day=day).first()
    if row is None:
        destroy_old_salts(now)
        new = DailySalt(day=day, salt=secrets.token_bytes(32))
        DailySalt.objects.bulk_create([new], ignore_conflicts=True)
        row = DailySalt.objects.get(day=day)
    return bytes(row.salt)
