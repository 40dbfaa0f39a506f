"""`backup`: the whole database in one checked file, while the site is in use."""

import shlex
import shutil
import sqlite3
import subprocess
from argparse import ArgumentTypeError
from datetime import timedelta
from pathlib import Path

from django import db
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from shipskip.operations.backups import archive, database_tools, postgresql


def a_number(text: str) -> int:
    """Parse a number of days: one or more."""
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise ArgumentTypeError("give a number of days: 1 or more")
    return int(text)


class Command(BaseCommand):
    """`manage.py backup [PLACE] [--days N]`."""

    help = "Writes the whole database to one file and checks it; the site stays available."

    def add_arguments(self, parser: CommandParser) -> None:
        """PLACE: a file, or a folder in which the file is named by the time."""
        parser.add_argument(
            "place", type=Path, nargs="?", help="a file or a folder; default: var/backups"
        )
        parser.add_argument(
            "--days", type=a_number, metavar="N", help="delete backups that are older than N days"
        )

    def handle(self, *, place: Path | None, days: int | None, **options: object) -> None:
        """Write the backup, copy it, report its size; old ones are deleted only after that."""
        place = place or settings.BACKUP_DIR
        if settings.BACKUP_DIR in (place, place.parent):
            settings.BACKUP_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not place.is_dir():
            if not place.parent.is_dir():
                raise CommandError(f"There is no folder {place.parent}.")
            if place.suffix != ".zip":
                raise CommandError(
                    f"There is no folder {place}: make it, or name a file that ends in .zip."
                )
            if days:
                raise CommandError("--days needs a folder, not a file.")
            self._write(place)
            return
        now = timezone.now()
        file = place / f"shipskip-{now:%Y%m%d-%H%M%S}.zip"
        self._write(file)
        self._copy(file)
        for old in archive.all_in(place) if days else []:
            if archive.taken_before(old.name, now - timedelta(days=days or 0)):
                old.unlink()
                self.stdout.write(f"Deleted {old}.")

    def _write(self, file: Path) -> None:
        """Copy the database, and write the copy with its manifest; report what it contains."""
        tools, taken_at = database_tools(), timezone.now().isoformat(timespec="seconds")
        try:
            needed, free = tools.room_needed(), shutil.disk_usage(file.parent).free
            if needed > free:
                raise CommandError(
                    f"A backup of this database may need {needed / 1e6:.0f} MB in {file.parent}"
                    f" while it runs, and only {free / 1e6:.0f} MB are free."
                )
            with archive.temporary_folder(file.parent) as folder:
                copy = folder / archive.DATABASE
                content = tools.copy(copy)
                made = archive.Manifest(archive.FORMAT, taken_at, db.connection.vendor, *content)
                archive.write(file, made, copy)
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror or error}") from None
        except (ValueError, postgresql.ProgramError, db.Error, sqlite3.Error) as error:
            raise CommandError(f"No backup was made: {str(error).strip()}.") from None
        size = file.stat().st_size / 1e6
        self.stdout.write(
            f"{file}: {len(made.rows)} tables, {sum(made.rows.values())} rows, {size:.1f} MB."
            " Store SECRET_KEY in another place."
        )

    def _copy(self, file: Path) -> None:
        """Run the program of BACKUP_COPY with the file."""
        retired = {"BACKUP_KEY", "BACKUP_S3"} & settings.RETIRED_SETTINGS.keys()
        if retired and not settings.BACKUP_COPY:
            sentences = " ".join(settings.RETIRED_SETTINGS[name] for name in sorted(retired))
            raise CommandError(f"{file} was made, but not copied or encrypted. {sentences}")
        if not settings.BACKUP_COPY:
            return
        command = [*shlex.split(settings.BACKUP_COPY), str(file)]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
        except (OSError, subprocess.CalledProcessError) as error:
            reason = getattr(error, "stderr", "") or error
            raise CommandError(
                f"{file} was made, but not copied by BACKUP_COPY: {str(reason).strip()[-1000:]}"
            ) from None
        self.stdout.write("Copied by BACKUP_COPY.")
