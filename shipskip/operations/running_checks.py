"""Checks of the running site for the doctor: room on the disk, backups, periodic jobs.

Each function returns a sentence for each fault: what is wrong and how to correct it.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from time import time

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from shipskip.checks import is_local
from shipskip.jobs.timetable import NIGHTLY, states
from shipskip.operations.backups import archive, database_tools

SPARE_BYTES = 500_000_000


def disk() -> Iterator[str]:
    """Check that there is room for the next backup and some days of data."""
    folder = settings.BACKUP_DIR if settings.BACKUP_DIR.exists() else settings.VAR_DIR
    try:
        needed = database_tools().room_needed()
        free = shutil.disk_usage(folder).free
    except (DatabaseError, OSError):  # told by other checks
        return
    if free < needed + SPARE_BYTES:
        yield (
            f"Only {free / 1e6:,.0f} MB are free on the disk of {folder}, and a backup may need"
            f" {needed / 1e6:,.0f}: make room."
        )


BACKUP_LATE_SECONDS = NIGHTLY.late_after.total_seconds()


def backups() -> Iterator[str]:
    """Check that this user can write backups, and that the newest is of the last night."""
    folder = settings.BACKUP_DIR
    if not folder.exists():
        return
    owner = folder.stat().st_uid
    if owner != os.geteuid() or not os.access(folder, os.W_OK | os.X_OK):
        yield f"{folder} belongs to user {owner}: make the site's user its owner (chown)."
    found = archive.all_in(folder)
    if found and not is_local():
        hours = (time() - found[-1].stat().st_mtime) / 3600
        if hours * 3600 > BACKUP_LATE_SECONDS:
            yield f"The newest backup is {hours:,.0f} hours old: see `manage.py nightly`."


def jobs() -> Iterator[str]:
    """Check that no periodic job failed or is late; nothing before the first migration."""
    with suppress(DatabaseError):
        yield from (state.problem for state in states(timezone.now()) if state.problem)


OF_JOBS = (backups, jobs)
"""Checks of what runs, not of how it is set up: a new release may be what helps."""
