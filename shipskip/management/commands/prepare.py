"""`manage.py prepare`: all that has to be done before a release is served, and safe to repeat.

Brings the database up to date, collects the static files, pre-compressed and under names that
change with their content, writes the page that the front shows while no worker answers, and
says what the settings lack for the public. Exit status 1 where they cannot work at all.
"""

import hashlib
import re
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core import checks
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.template.loader import render_to_string

from shipskip.web import bundles


class Command(BaseCommand):
    """Everything between a checkout and its first request."""

    help = "Bring database and static files up to date, and say what production still needs."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """`--files-only`, for where no database is: while an image is built."""
        parser.add_argument("--files-only", action="store_true", help="leave the database alone")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it all; what the settings lack comes last, where it is read."""
        if not options["files_only"]:
            call_command("migrate", verbosity=0)
        if collect():
            self.stdout.write("Static files collected and compressed.")
        write_away_page(settings.VAR_DIR / "front")
        if not options["files_only"]:
            self._tell()

    def _tell(self) -> None:
        found = checks.run_checks(include_deployment_checks=True)
        told = [message for message in found if not message.is_silenced()]
        for message in sorted(told, key=lambda message: message.level):
            word = "To know" if message.level < checks.WARNING else "WARNING"
            self.stderr.write(f"{word}: {message.msg} {message.hint or ''}".rstrip())
        if any(message.is_serious(checks.ERROR) for message in told):
            raise CommandError("The site cannot be served with these settings.")


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
        ("away.css", bundles.build("site.css").read_text()),
    ):
        draft = folder / f"{name}.draft"
        draft.write_text(text)
        draft.replace(folder / name)
