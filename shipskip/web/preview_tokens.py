"""Signed links to pages that are not public yet: who has one may read that page for a week.

A link names a row and the row's key of the time. A fresh key ends every link made before.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.core import signing
from django.utils.crypto import constant_time_compare, get_random_string

VALID = timedelta(days=7)


def fresh_key() -> str:
    """A key for a row whose links are to be told from those made before."""
    return get_random_string(16)


@dataclass(frozen=True)
class Pass:
    """What a link lets its reader see: the row of a kind, and until when."""

    pk: int
    key: str
    until: datetime

    def opens(self, key: str, now: datetime) -> bool:
        """Whether it still holds at `now` for a row with that key."""
        return now < self.until and constant_time_compare(key, self.key)


def sign(kind: str, pk: int, key: str, now: datetime) -> str:
    """The part of a link's address that lets its reader see row `pk` of `kind` from `now` on."""
    until = int((now + VALID).timestamp())
    return signing.dumps([pk, key, until], salt=f"preview of a {kind}")


def read(kind: str, token: str) -> Pass | None:
    """What `sign` wrote for that kind; None for anything else."""
    try:
        pk, key, until = signing.loads(token, salt=f"preview of a {kind}")
    except signing.BadSignature:
        return None
    return Pass(pk, key, datetime.fromtimestamp(until, tz=UTC))
