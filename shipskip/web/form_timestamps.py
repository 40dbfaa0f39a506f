"""A signed timestamp in a form: one that is sent at once was filled in by a bot."""

from datetime import datetime, timedelta

from django.core import signing

QUICKEST = timedelta(seconds=2)
LONGEST = timedelta(days=7)
_SALT = "the form to join"


def timestamp(now: datetime) -> str:
    """The hidden value of a form that is rendered at `now`."""
    return signing.dumps(int(now.timestamp()), salt=_SALT)


def age(value: str, now: datetime) -> timedelta | None:
    """The time since a form was rendered; None when over LONGEST or the signature is wrong."""
    try:
        made = signing.loads(value, salt=_SALT)
    except signing.BadSignature:
        return None
    passed = timedelta(seconds=now.timestamp() - made)
    return passed if passed <= LONGEST else None
