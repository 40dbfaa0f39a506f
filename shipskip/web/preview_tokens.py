"""Signed tokens of preview links: a reader with the link may see that page for a week.

A token contains a row's primary key and its preview key. A new preview key revokes all earlier
links.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.core import signing
from django.utils.crypto import constant_time_compare, get_random_string

VALID = timedelta(days=7)


def fresh_key() -> str:
    """Return a random preview key; saving it revokes the links made with the previous one."""
    return get_random_string(16)


@dataclass(frozen=True)
class PreviewToken:
    """The content of a token: the row's primary key, its preview key, and the expiry."""

    pk: int
    key: str
    until: datetime

    def is_valid(self, key: str, now: datetime) -> bool:
        """Whether it is valid at `now` for a row with that preview key."""
        return now < self.until and constant_time_compare(key, self.key)


def sign(kind: str, pk: int, key: str, now: datetime) -> str:
    """Return the token of a link that shows row `pk` of `kind`, valid for a week from `now`."""
    until = int((now + VALID).timestamp())
    return signing.dumps([pk, key, until], salt=f"preview of a {kind}")


def read(kind: str, token: str) -> PreviewToken | None:
    """The token that `sign` made for that kind; None for any other text."""
    try:
        pk, key, until = signing.loads(token, salt=f"preview of a {kind}")
    except signing.BadSignature:
        return None
    return PreviewToken(pk, key, datetime.fromtimestamp(until, tz=UTC))
