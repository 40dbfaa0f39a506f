"""`restore`: restores a backup, and compares the row counts with those in its manifest."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from time import monotonic

from django import db
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from reviews import tallies
from shipskip.operations.backups import archive, database_tools, postgresql, scratch
from shipskip.page_cache.models import ContentVersion
from tools.models import Tool


class Command(BaseCommand):
    """`manage.py restore FILE [--replace]`, `restore --check [FILE]`, `restore FILE --lost`."""

    help = "Restores a backup to the database, checks the result, and runs newer migrations."

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE; `--replace` permits overwriting a database with content."""
        parser.add_argument("file", type=Path, nargs="?", help="a file that `backup` wrote")
        acts = parser.add_mutually_exclusive_group()
        acts.add_argument(
            "--replace", action="store_true", help="overwrite the database; its content is lost"
        )
        acts.add_argument(
            "--check",
            action="store_true",
            help="restore FILE, or the newest backup, into a scratch database only",
        )
        acts.add_argument(
            "--lost", action="store_true", help="only say what a restore of FILE would lose"
        )

    def handle(
        self, *, file: Path | None, replace: bool, check: bool, lost: bool, **options: object
    ) -> None:
        """Restore everything or nothing, then check; exit status 1 with all problems."""
        if check and file is None:
            file = next(reversed(archive.all_in(settings.BACKUP_DIR)), None)
            if file is None:
                raise CommandError(f"There is no backup in {settings.BACKUP_DIR}.")
        if file is None:
            raise CommandError("Name the file of a backup.")
        if check:
            self._check(file)
        elif lost:
            self._say_what_is_lost(file)
        else:
            self._restore(file, replace=replace)

    def _restore(self, file: Path, *, replace: bool) -> None:
        try:
            with archive.open_backup(file) as (manifest, copy):
                self._refuse(manifest, replace=replace)
                counts = database_tools().restore(copy)
                db.connection.close()
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror or error}") from None
        except (ValueError, postgresql.ProgramError, db.Error, sqlite3.Error) as error:
            raise CommandError(f"Nothing was restored: {error}.") from None
        differences = self._compare(manifest, counts)
        self._announce()
        if differences:
            raise CommandError(
                "Restored, but the database differs from the backup:\n" + "\n".join(differences)
            )
        self.stdout.write(
            f"Restored the backup of {manifest.taken_at}; the row counts are the same."
        )

    def _check(self, file: Path) -> None:
        """Restore the backup into a new database by this same command, and drop it."""
        started = monotonic()
        try:
            with scratch.database(file.absolute().parent) as url:
                done = subprocess.run(  # noqa: S603 - our own arguments
                    [sys.executable, "manage.py", "restore", str(file.absolute())],
                    cwd=settings.BASE_DIR,
                    env=os.environ | {"DATABASE_URL": url},
                    check=False,
                    capture_output=True,
                    text=True,
                )
        except (OSError, scratch.ScratchError) as error:
            raise CommandError(f"{file} was not checked: {error}") from None
        if done.returncode:
            raise CommandError(f"{file} cannot be restored. {done.stderr.strip()[-2000:]}")
        seconds = monotonic() - started
        self.stdout.write(f"{file} can be restored ({seconds:.0f} s). {done.stdout.strip()}")

    def _say_what_is_lost(self, file: Path) -> None:
        """The numbers of rows that were added since the backup, by table."""
        try:
            with archive.open_backup(file) as (manifest, _):
                now = self._counts()
        except (OSError, ValueError) as error:
            raise CommandError(f"{file}: {error}.") from None
        more = [
            f"  {table}: {now[table] - manifest.rows.get(table, 0)} more rows"
            for table in sorted(now)
            if now[table] > manifest.rows.get(table, 0)
            and not table.startswith(("search_", "django_"))
        ]
        self.stdout.write(
            f"The backup of {manifest.taken_at} is restored. Every change since then is lost,"
            " among them:\n" + "\n".join(more or ["  no rows more than in the backup"])
        )

    def _refuse(self, manifest: archive.Manifest, *, replace: bool) -> None:
        """Raise ValueError when the backup does not fit this database or overwrites content."""
        vendor = db.connection.vendor
        if manifest.vendor != vendor:
            raise ValueError(f"the backup is of {manifest.vendor}, but this database is {vendor}")
        if newer := manifest.unknown_migration():
            raise ValueError(f"a newer version of the site made it; this one does not have {newer}")
        tables = db.connection.introspection.table_names()
        if replace or "tools_tool" not in tables:
            return
        if Tool.objects.exists() or User.objects.exists():
            raise ValueError("the database has content; use --replace to overwrite it")

    def _announce(self) -> None:
        """Raise the content version to invalidate pages cached before the restore."""
        now = int(timezone.now().timestamp() * 1000)
        ContentVersion.objects.filter(number__lt=now).update(number=now)

    def _counts(self) -> dict[str, int]:
        """The number of rows of each table."""
        with db.connection.cursor() as cursor:
            tables = db.connection.introspection.table_names(cursor)
            return archive.row_counts(cursor, tables)

    def _compare(self, manifest: archive.Manifest, found: dict[str, int]) -> list[str]:
        """A sentence for each difference of these row counts from the manifest."""
        differences = [
            f"{table}: {manifest.rows.get(table, 0)} rows in the backup,"
            f" {found.get(table, 0)} after the restore."
            for table in sorted(found.keys() | manifest.rows.keys())
            if manifest.rows.get(table) != found.get(table)
        ]
        call_command("migrate", verbosity=0, interactive=False)
        if drifts := tallies.drifts():
            differences.append(f"{len(drifts)} tallies differ from their votes (see `recount`).")
        return differences
