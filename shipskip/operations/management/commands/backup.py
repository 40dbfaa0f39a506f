"""`backup`: the whole database in one checked file, while the site is in use."""

import tempfile
from argparse import ArgumentTypeError
from pathlib import Path

from django import db
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from shipskip.operations.backups import archive, postgresql, sqlite

NAMED = "shipskip-????????-??????.zip"


def a_number(text: str) -> int:
    """Parse the number of backups to keep: one or more."""
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise ArgumentTypeError("give the number to keep: 1 or more")
    return int(text)


class Command(BaseCommand):
    """`manage.py backup [PLACE] [--keep N]`."""

    help = "Writes the whole database to one file and checks it; the site stays available."

    def add_arguments(self, parser: CommandParser) -> None:
        """PLACE: a file, or a folder in which the file is named by the time."""
        parser.add_argument(
            "place", type=Path, nargs="?", help="a file or a folder; default: var/backups"
        )
        parser.add_argument(
            "--keep",
            type=a_number,
            metavar="N",
            help="remove all but the newest N backups in the folder",
        )

    def handle(self, *, place: Path | None, keep: int | None, **options: object) -> None:
        """Write the backup and report its size; old ones are removed only after it is complete."""
        place = place or settings.VAR_DIR / "backups"
        if place == settings.VAR_DIR / "backups":
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = place if place.is_dir() else None
        if keep and not folder:
            raise CommandError("--keep needs a folder, not a file.")
        file = place / f"shipskip-{timezone.now():%Y%m%d-%H%M%S}.zip" if folder else place
        try:
            taken = self._write(file)
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror or error}") from None
        except (ValueError, postgresql.ProgramError) as error:
            raise CommandError(f"No backup was made: {error}.") from None
        except db.Error as error:
            message = str(error).strip().partition("\n")[0]
            raise CommandError(f"No backup was made. The database reports “{message}”.") from None
        size = file.stat().st_size / 1e6
        content = f"{len(taken.rows)} tables, {sum(taken.rows.values())} rows"
        self.stdout.write(f"{file}: {content}, {size:.1f} MB. Store SECRET_KEY in another place.")
        for old in sorted(folder.glob(NAMED))[:-keep] if folder and keep else []:
            old.unlink()
            self.stdout.write(f"Removed {old}.")

    def _write(self, file: Path) -> archive.Manifest:
        """Copy the database, and write the copy with its manifest."""
        vendor, now = db.connection.vendor, timezone.now().isoformat(timespec="seconds")
        with tempfile.TemporaryDirectory(prefix="shipskip-") as folder:
            database = Path(folder) / archive.DATABASE
            copy = postgresql.copy if vendor == "postgresql" else sqlite.copy
            taken = archive.Manifest(archive.FORMAT, now, vendor, *copy(database))
            archive.write(file, taken, database)
        return taken
