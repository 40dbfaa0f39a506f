"""When a form was given out, signed, so that one sent back at once is known for a robot's."""

from datetime import datetime, timedelta

from django.core import signing

QUICKEST = timedelta(seconds=2)
LONGEST = timedelta(days=7)
_SALT = "the form to join"


def stamp(now: datetime) -> str:
    """The hidden value of a form that is given out at `now`."""
    return signing.dumps(int(now.timestamp()), salt=_SALT)


def age(value: str, now: datetime) -> timedelta | None:
    """How long ago a stamp was made; None for one that we did not make, or is too old to count."""
    try:
        made = signing.loads(value, salt=_SALT)
    except signing.BadSignature:
        return None
    passed = timedelta(seconds=now.timestamp() - made)
    return passed if passed <= LONGEST else None
