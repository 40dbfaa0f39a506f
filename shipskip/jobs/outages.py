"""Outages: one that goes on is reported once, whichever processes of this machine notice it.

A file in var/outages stands for each outage, because the database may be what is away.
"""

from contextlib import suppress
from time import time

from django.conf import settings

FORGOTTEN_AFTER = 24 * 3600.0
"""Seconds after which an outage that still goes on is reported again."""


def begins(name: str, *, quiet_seconds: float = FORGOTTEN_AFTER) -> bool:
    """Whether this is the first notice of the outage, which is to be reported.

    An outage without a notice for `quiet_seconds` is over.
    """
    file = settings.VAR_DIR / "outages" / name
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            if time() - file.stat().st_mtime > quiet_seconds:
                file.unlink()
        file.touch(exist_ok=False)
    except FileExistsError:
        return False
    except OSError:
        return True  # on a full disk each notice is reported
    return True


def ends(name: str) -> None:
    """The outage is over: the next one is reported again."""
    with suppress(OSError):
        (settings.VAR_DIR / "outages" / name).unlink()
