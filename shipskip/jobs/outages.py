"""Outages: one that goes on is reported once, whichever processes of this machine notice it.

A file in var/outages stands for each outage, because the database may be what is away.
"""

from contextlib import suppress
from time import time

from django.conf import settings

REPORTED_AGAIN_AFTER = 24 * 3600.0
"""Seconds after which an outage that still goes on is reported again."""


def begins(name: str, *, quiet_seconds: float = REPORTED_AGAIN_AFTER) -> bool:
    """Whether this notice of the outage is to be reported: the first one, and one a day.

    An outage without a notice for `quiet_seconds` is over.
    """
    file, now = settings.VAR_DIR / "outages" / name, time()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            noticed_at = file.stat().st_mtime
            reported_at = float(file.read_text() or noticed_at)
            if now - noticed_at > quiet_seconds or now - reported_at > REPORTED_AGAIN_AFTER:
                file.unlink()
        with file.open("x") as opened:
            opened.write(str(now))
    except FileExistsError:
        with suppress(OSError):
            file.touch()
        return False
    except OSError:
        return True  # on a full disk each notice is reported
    return True


def ends(name: str) -> None:
    """The outage is over: the next one is reported again."""
    with suppress(OSError):
        (settings.VAR_DIR / "outages" / name).unlink()
