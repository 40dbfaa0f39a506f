"""`backup`: the whole database in one checked file, while the site is in use."""

import shutil
import sqlite3
from argparse import ArgumentTypeError
from datetime import datetime, timedelta
from pathlib import Path

from django import db
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from pyrage.x25519 import Identity

from shipskip.operations.backups import archive, bucket, postgresql, sqlite


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
            "--days",
            type=a_number,
            metavar="N",
            help="delete backups that are older than N days, here and in the bucket",
        )
        parser.add_argument(
            "--new-key", action="store_true", help="only print a new key for BACKUP_KEY"
        )

    def handle(
        self, *, place: Path | None, days: int | None, new_key: bool, **options: object
    ) -> None:
        """Write the backup, copy it, report its size; old ones are deleted only after that."""
        if new_key:
            self.stdout.write(str(Identity.generate()))
            return
        place = place or settings.BACKUP_DIR
        if settings.BACKUP_DIR in (place, place.parent):
            settings.BACKUP_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
        now = timezone.now()
        folder = place if place.is_dir() else None
        if not folder and not place.parent.is_dir():
            raise CommandError(f"There is no folder {place.parent}.")
        if not folder and place.suffix not in (".zip", ".age"):
            raise CommandError(
                f"There is no folder {place}: make it, or name a file that ends in .zip."
            )
        if days and not folder:
            raise CommandError("--days needs a folder, not a file.")
        ending = ".zip.age" if settings.BACKUP_KEY else ".zip"
        file = place / f"shipskip-{now:%Y%m%d-%H%M%S}{ending}" if folder else place
        self._write(file, now)
        before = now - timedelta(days=days) if days else None
        if folder and settings.BACKUP_S3:
            self._copy(file, before)
        for old in archive.all_in(folder) if folder else []:
            if before and archive.taken_before(old.name, before):
                old.unlink()
                self.stdout.write(f"Deleted {old}.")

    def _write(self, file: Path, now: datetime) -> None:
        """Copy the database, and write the copy with its manifest; report what it contains."""
        vendor = db.connection.vendor
        module = postgresql if vendor == "postgresql" else sqlite
        try:
            needed, free = module.room_needed(), shutil.disk_usage(file.parent).free
            if needed > free:
                raise CommandError(
                    f"A backup of this database may need {needed / 1e6:.0f} MB in {file.parent}"
                    f" while it runs, and only {free / 1e6:.0f} MB are free."
                )
            with archive.temporary_folder(file.parent) as folder:
                copy = folder / archive.DATABASE
                migrations, rows = module.copy(copy)
                taken_at = now.isoformat(timespec="seconds")
                made = archive.Manifest(archive.FORMAT, taken_at, vendor, migrations, rows)
                archive.write(file, made, copy)
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror or error}") from None
        except (ValueError, postgresql.ProgramError) as error:
            raise CommandError(f"No backup was made: {error}.") from None
        except (db.Error, sqlite3.Error) as error:
            message = str(error).strip().partition("\n")[0]
            raise CommandError(f"No backup was made. The database reports “{message}”.") from None
        content = f"{len(rows)} tables, {sum(rows.values())} rows"
        size = file.stat().st_size / 1e6
        keys = "SECRET_KEY and BACKUP_KEY" if settings.BACKUP_KEY else "SECRET_KEY"
        self.stdout.write(f"{file}: {content}, {size:.1f} MB. Store {keys} in another place.")

    def _copy(self, file: Path, before: datetime | None) -> None:
        try:
            deleted = bucket.store(file, delete_before=before)
        except bucket.BucketError as error:
            raise CommandError(
                f"{file} was made, but not copied into the bucket of BACKUP_S3: {error}."
            ) from None
        self.stdout.write(f"Copied into the bucket of BACKUP_S3; {len(deleted)} deleted there.")
