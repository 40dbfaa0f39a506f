"""`restore`: restores a backup, and compares the row counts with those in its manifest."""

from pathlib import Path

from django import db
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from reviews import tallies
from shipskip.operations.backups import archive, postgresql, sqlite
from shipskip.page_cache.models import ContentVersion
from tools.models import Tool


class Command(BaseCommand):
    """`manage.py restore FILE [--replace]`."""

    help = "Restores a backup to the database, checks the result, and runs newer migrations."

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE; `--replace` permits overwriting a database with content."""
        parser.add_argument("file", type=Path, help="a file that `backup` wrote")
        parser.add_argument(
            "--replace", action="store_true", help="overwrite the database; its content is lost"
        )

    def handle(self, *, file: Path, replace: bool, **options: object) -> None:
        """Restore everything or nothing, then check; exit status 1 with all problems."""
        try:
            with archive.open_backup(file) as (manifest, copy):
                self._refuse(manifest, replace=replace)
                self._restore(copy)
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror or error}") from None
        except (ValueError, postgresql.ProgramError, db.Error) as error:
            raise CommandError(f"Nothing was restored: {error}.") from None
        differences = self._compare(manifest)
        self._announce()
        if differences:
            raise CommandError(
                "Restored, but the database differs from the backup:\n" + "\n".join(differences)
            )
        self.stdout.write(
            f"Restored the backup of {manifest.taken_at}; the row counts are the same."
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

    def _restore(self, copy: Path) -> None:
        if db.connection.vendor == "postgresql":
            postgresql.restore(copy)
        else:
            sqlite.restore(copy)
        db.connection.close()

    def _announce(self) -> None:
        """Raise the content version to invalidate pages cached before the restore."""
        now = int(timezone.now().timestamp() * 1000)
        ContentVersion.objects.filter(number__lt=now).update(number=now)

    def _compare(self, manifest: archive.Manifest) -> list[str]:
        """A sentence for each difference from the manifest."""
        with db.connection.cursor() as cursor:
            tables = db.connection.introspection.table_names(cursor)
            found = archive.row_counts(cursor, tables)
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
