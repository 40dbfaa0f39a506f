"""When a form was given out, signed: a form that comes back at once was filled in by a robot."""

from datetime import datetime, timedelta

from django.core import signing

QUICKEST = timedelta(seconds=2)
LONGEST = timedelta(days=7)
_SALT = "the form to join"


def timestamp(now: datetime) -> str:
    """The hidden value of a form that is given out at `now`."""
    return signing.dumps(int(now.timestamp()), salt=_SALT)


def age(value: str, now: datetime) -> timedelta | None:
    """How long ago a form was given out; None for a value that we did not sign, or is too old."""
    try:
        made = signing.loads(value, salt=_SALT)
    except signing.BadSignature:
        return None
    passed = timedelta(seconds=now.timestamp() - made)
    return passed if passed <= LONGEST else None
