"""`manage.py prepare`: all steps before a release is served; idempotent.

It migrates the database, collects the static files (compressed, with a hash of the content in the
name), writes the error pages that nginx serves itself, and reports settings that a public site
still needs. Exit status 1 when the site cannot be served with these settings.
"""

import fcntl
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
from shipskip.web.postgresql import pooler
from shipskip.web.problems import problem_text

MIGRATION_LOCK = 0x5_41_9_5_41_9
"""The PostgreSQL advisory lock that a migrating process takes; an arbitrary number."""

LOCK_TIMEOUT, PATIENCE, PAUSE = 0.5, 120.0, 1.0
"""Seconds: the wait of one attempt for a lock, the limit for all attempts, the pause between."""


class Command(BaseCommand):
    """Prepare a release for its first request."""

    help = "Updates database and static files, and lists settings that production still needs."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """`--files-only`, for building an image, where there is no database."""
        parser.add_argument("--files-only", action="store_true", help="do not change the database")

    def handle(self, *, files_only: bool, **options: object) -> None:
        """Run all steps; messages about the settings come last, so that they are noticed. A second
        process waits for the first: on SQLite both would make the same tables.
        """
        settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
        with (settings.VAR_DIR / "prepare.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not files_only:
                migrate()
            if collect():
                self.stdout.write("Static files collected and compressed.")
            write_nginx_pages(settings.VAR_DIR / "front")
        if not files_only:
            self._report_settings()

    def _report_settings(self) -> None:
        found = checks.run_checks(include_deployment_checks=True)
        messages = [message for message in found if not message.is_silenced()]
        for message in sorted(messages, key=lambda message: message.level):
            word = "Note" if message.level < checks.WARNING else "WARNING"
            self.stderr.write(f"{word}: {message.msg} {message.hint or ''}".rstrip())
        if any(message.is_serious(checks.ERROR) for message in messages):
            raise CommandError("The site cannot be served with these settings.")


def migrate(*target: str, lock_timeout: float = LOCK_TIMEOUT, patience: float = PATIENCE) -> None:
    """Run Django's `migrate` while the site is in use, and never on two machines at once.

    To change a table, PostgreSQL waits for the table's readers, and later readers wait for that
    lock. So each attempt waits only `lock_timeout` seconds. Raises CommandError after `patience`
    seconds of attempts; finished migrations stay.
    """
    if connection.vendor != "postgresql":
        call_command("migrate", *target, verbosity=0)
        return
    if pooler.separates_transactions():
        raise CommandError(pooler.ADVICE)
    end = monotonic() + patience
    milliseconds = f"{lock_timeout * 1000:.0f}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, false)", [milliseconds])
    try:
        while not _migrated(target):
            if monotonic() >= end:
                raise CommandError(
                    f"Another transaction held a lock for {patience:g} seconds. Finished "
                    "migrations stay; run it again when long queries have ended."
                )
            sleep(PAUSE)
    finally:
        if connection.is_usable():  # other code of this process may use it next
            with connection.cursor() as cursor:
                cursor.execute("RESET lock_timeout")
                cursor.execute("SELECT pg_advisory_unlock_all()")


def _migrated(target: tuple[str, ...]) -> bool:
    """Migrate, unless another process has a lock; return whether the migrations ran."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [MIGRATION_LOCK])
        call_command("migrate", *target, verbosity=0)
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable | DeadlockDetected):
            return False
        raise
    return True


def collect() -> bool:
    """Collect the static files if one changed since the last run; return whether it did."""
    state = settings.MANIFEST_DIR / "collected"
    now = _fingerprint()
    if state.exists() and state.read_text() == now:
        return False
    call_command("collectstatic", interactive=False, verbosity=0)
    state.parent.mkdir(parents=True, exist_ok=True)
    state.write_text(now)
    return True


def _fingerprint() -> str:
    """A hash of each source's name, size and modification time, and of the storage backend."""
    found = hashlib.blake2b(
        str(settings.STORAGES["staticfiles"]["BACKEND"]).encode(), digest_size=16
    )
    for finder in get_finders():
        for name, storage in finder.list(None):
            stat = Path(storage.path(name)).stat()
            found.update(f"{name} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return found.hexdigest()


NGINX_PAGES = {"away": 503, "busy": 429, "unreadable": 400, "long": 413}
"""Statuses for which nginx itself serves the page, by the names of the pages in pages.conf."""


def write_nginx_pages(folder: Path) -> None:
    """Write the error pages that nginx serves itself, and their only resource, a style sheet.

    They are readable for nginx, whatever the umask.
    """
    files = {f"{name}.html": _standalone(status) for name, status in NGINX_PAGES.items()}
    files |= {f"{name}.json": problem_text(status) for name, status in NGINX_PAGES.items()}
    styles = (assets.build(name).read_text() for name in ("site.css", "other_pages.css"))
    files["away.css"] = "".join(styles)
    folder.mkdir(parents=True, exist_ok=True)
    _permit(folder.parent, 0o711)
    _permit(folder, 0o755)
    for name, text in files.items():
        draft = folder / f"{name}.draft"
        draft.write_text(text)
        _permit(draft, 0o644)
        draft.replace(folder / name)


def _permit(path: Path, mode: int) -> None:
    """Add permissions for nginx, which runs as another user than the site."""
    before = path.stat().st_mode
    if mode & ~before:
        path.chmod(before | mode)


def _standalone(status: int) -> str:
    """The error page for a status, without scripts and icon, and with nginx's style sheet."""
    page: str = render_to_string(f"errors/{status}.html")
    away = r"<script.*?</script>|<link rel=\"icon\".*?>|<link[^>]*/other_pages\..*?>"
    page = re.sub(away, "", page)
    return re.sub(r"(<link rel=\"stylesheet\" href=\").*?(\">)", r"\1/away.css\2", page)
