"""`manage.py prepare`: all that has to be done before a release is served, and safe to repeat.

Brings the database up to date, collects the static files, pre-compressed and under names that
change with their content, writes the page that the front shows while no worker answers, and
says what the settings lack for the public. Exit status 1 where they cannot work at all.
"""

import hashlib
import re
from pathlib import Path
from time import monotonic, sleep

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core import checks
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError, connection
from django.template.loader import render_to_string
from psycopg.errors import DeadlockDetected, LockNotAvailable

from shipskip.web import assets

MIGRATING = 0x5_41_9_5_41_9
"""The advisory lock of whoever migrates; any number that nobody else uses."""

LOCK_TIMEOUT, PATIENCE, PAUSE = 0.5, 120.0, 1.0
"""Seconds that one attempt waits for a lock, that all attempts may take, and between two."""


class Command(BaseCommand):
    """Everything between a checkout and its first request."""

    help = "Bring database and static files up to date, and say what production still needs."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """`--files-only`, for where no database is: while an image is built."""
        parser.add_argument("--files-only", action="store_true", help="leave the database alone")

    def handle(self, *, files_only: bool, **options: object) -> None:
        """Do it all; what the settings lack comes last, where it is read."""
        if not files_only:
            migrate()
        if collect():
            self.stdout.write("Static files collected and compressed.")
        write_away_page(settings.VAR_DIR / "front")
        if not files_only:
            self._tell()

    def _tell(self) -> None:
        found = checks.run_checks(include_deployment_checks=True)
        told = [message for message in found if not message.is_silenced()]
        for message in sorted(told, key=lambda message: message.level):
            word = "To know" if message.level < checks.WARNING else "WARNING"
            self.stderr.write(f"{word}: {message.msg} {message.hint or ''}".rstrip())
        if any(message.is_serious(checks.ERROR) for message in told):
            raise CommandError("The site cannot be served with these settings.")


def migrate(*target: str, lock_timeout: float = LOCK_TIMEOUT, patience: float = PATIENCE) -> None:
    """Run Django's `migrate` beside readers, and never on two machines at once.

    To change a table, PostgreSQL waits until its readers are done, and all who come later wait
    behind it. So each attempt waits only `lock_timeout` seconds. Raises CommandError after
    `patience` seconds of attempts; what was migrated by then stays.
    """
    if connection.vendor != "postgresql":
        call_command("migrate", *target, verbosity=0)
        return
    end = monotonic() + patience
    milliseconds = f"{lock_timeout * 1000:.0f}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, false)", [milliseconds])
    try:
        while not _migrated(target):
            if monotonic() >= end:
                raise CommandError(
                    f"Another transaction held a lock for {patience:g} seconds. What was migrated "
                    "stays; run it again when the longest query is done."
                )
            sleep(PAUSE)
    finally:
        if connection.is_usable():  # others of this process may use it next
            with connection.cursor() as cursor:
                cursor.execute("RESET lock_timeout")
                cursor.execute("SELECT pg_advisory_unlock_all()")


def _migrated(target: tuple[str, ...]) -> bool:
    """Migrate, unless somebody else holds a lock; whether it was done."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [MIGRATING])
        call_command("migrate", *target, verbosity=0)
    except OperationalError as fault:
        if isinstance(fault.__cause__, LockNotAvailable | DeadlockDetected):
            return False
        raise
    return True


def collect() -> bool:
    """Collect the static files, unless nothing changed since the last time; whether it did."""
    state = Path(settings.STATIC_ROOT).with_suffix(".collected")
    now = _fingerprint()
    if state.exists() and state.read_text() == now:
        return False
    call_command("collectstatic", interactive=False, verbosity=0)
    state.write_text(now)
    return True


def _fingerprint() -> str:
    """What is collected: each source's name, size and age, and how it is stored."""
    found = hashlib.blake2b(settings.STORAGES["staticfiles"]["BACKEND"].encode(), digest_size=16)
    for finder in get_finders():
        for name, storage in finder.list(None):
            stat = Path(storage.path(name)).stat()
            found.update(f"{name} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return found.hexdigest()


def write_away_page(folder: Path) -> None:
    """Write the page for when no worker answers, and its style; it asks for nothing else."""
    page: str = render_to_string("errors/away.html")
    page = re.sub(r"<script.*?</script>|<link rel=\"icon\".*?>|<meta name=\"htmx.*?>", "", page)
    page = re.sub(r"(<link rel=\"stylesheet\" href=\").*?(\">)", r"\1/away.css\2", page)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (
        ("away.html", page),
        ("away.css", assets.build("site.css").read_text()),
    ):
        draft = folder / f"{name}.draft"
        draft.write_text(text)
        draft.replace(folder / name)
