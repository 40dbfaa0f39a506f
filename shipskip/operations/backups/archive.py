"""The file of a backup: a ZIP archive of a copy of the database and a manifest.

The manifest lists the content, so that `restore` can refuse a backup and verify its result.
"""

import json
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path
from sqlite3 import Cursor
from time import time

from django.db.backends.utils import CursorWrapper
from django.db.migrations.loader import MigrationLoader

from shipskip.web.command_files import replacing

FORMAT = "shipskip-backup/1"
MANIFEST, DATABASE = "manifest.json", "database"
TEMPORARY = ".shipskip-"
NAMED = re.compile(r"shipskip-(\d{8}-\d{6})\.zip(\.age)?")


@dataclass(frozen=True)
class Manifest:
    """The content of the database at the time of the backup."""

    format: str
    taken_at: str
    vendor: str
    migrations: list[str]
    rows: dict[str, int]

    @classmethod
    def read(cls, text: str) -> "Manifest":
        """The manifest of a backup; raises ValueError when this site cannot read it."""
        found = json.loads(text)
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise ValueError("it is not a backup of this site, or it is from a newer version")
        try:
            return cls(**{field.name: found[field.name] for field in fields(cls)})
        except KeyError as error:
            raise ValueError(f"its manifest is damaged: {error} is missing") from None

    def unknown_migration(self) -> str | None:
        """A migration that this code does not have (a newer version made the backup), or None."""
        ours = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
        return next((name for name in self.migrations if name not in ours), None)


def row_counts(cursor: CursorWrapper | Cursor, tables: Iterable[str]) -> dict[str, int]:
    """How many rows each of these tables has."""
    found = {}
    for table in sorted(tables):
        cursor.execute(f'SELECT count(*) FROM "{table}"')  # noqa: S608 - the database's own names
        found[table] = cursor.fetchone()[0]
    return found


def migrations(cursor: CursorWrapper | Cursor) -> list[str]:
    """The migrations that the database has applied."""
    cursor.execute("SELECT app, name FROM django_migrations")
    return sorted(f"{app}.{name}" for app, name in cursor.fetchall())


def write(path: Path, manifest: Manifest, database: Path) -> None:
    """Write the backup atomically: the file gets its name when it is complete and synced to disk.

    Only its owner can read it, because it contains mail addresses.
    """
    with (
        replacing(path.resolve(), 0o600) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive,
    ):
        archive.writestr(MANIFEST, json.dumps(asdict(manifest), indent=1) + "\n")
        archive.write(database, DATABASE)


@contextmanager
def open_backup(path: Path) -> Iterator[tuple[Manifest, Path]]:
    """The manifest, and the copy of the database in a temporary folder beside the backup.

    Raises ValueError when the file is not a complete backup, OSError when it cannot be read.
    """
    with temporary_folder(path.parent) as folder:
        try:
            with zipfile.ZipFile(path) as archive:
                manifest = Manifest.read(archive.read(MANIFEST).decode())
                archive.extract(DATABASE, folder)  # checks the CRC of every byte
        except (zipfile.BadZipFile, KeyError, EOFError, UnicodeDecodeError) as error:
            raise ValueError(
                f"it is not a complete backup ({error}); what an earlier release encrypted opens"
                " with `age --decrypt -i KEYFILE`"
            ) from None
        yield manifest, folder / DATABASE


@contextmanager
def temporary_folder(beside: Path) -> Iterator[Path]:
    """A folder for copies of the database, on the disk of the backups; also removes those that a
    killed command left there.
    """
    for left in beside.glob(f"{TEMPORARY}*"):
        if left.stat().st_mtime < time() - 24 * 3600:
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=beside) as folder:
        yield Path(folder)


def taken_before(name: str, moment: datetime) -> bool:
    """Whether the name is of a backup that was taken before a moment."""
    named = NAMED.fullmatch(name)
    return named is not None and named[1] < f"{moment:%Y%m%d-%H%M%S}"


def all_in(folder: Path) -> list[Path]:
    """The backups that were named by their time in a folder, the oldest first."""
    return sorted(path for path in folder.glob("shipskip-*") if NAMED.fullmatch(path.name))
