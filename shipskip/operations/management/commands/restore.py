"""`restore`: puts a backup back, and checks that what is there is what was kept."""

from pathlib import Path

from django import db
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from reviews import ballot
from shipskip.operations.backups import archive, postgresql, sqlite
from shipskip.page_cache.models import ContentVersion
from tools.models import Tool


class Command(BaseCommand):
    """`manage.py restore FILE [--replace]`."""

    help = "Puts a backup into the database, checks it, and brings it up to this code's migrations."

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE; `--replace` allows a database that has content."""
        parser.add_argument("file", type=Path, help="what `backup` wrote")
        parser.add_argument(
            "--replace", action="store_true", help="replace what the database holds: it is lost"
        )

    def handle(self, *, file: Path, replace: bool, **options: object) -> None:
        """Put all of it back or nothing, then check; exit status 1 with whatever is not right."""
        try:
            with archive.opened(file) as (kept, copy):
                self._refuse(kept, replace=replace)
                self._put_back(copy)
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror or error}") from None
        except (ValueError, postgresql.ProgramError, db.Error) as error:
            raise CommandError(f"Nothing was restored: {error}.") from None
        faults = self._compare(kept)
        self._announce()
        if faults:
            raise CommandError("Restored, and not as it was kept:\n" + "\n".join(faults))
        self.stdout.write(f"Restored what was kept at {kept.taken_at}, whole.")

    def _refuse(self, kept: archive.Manifest, *, replace: bool) -> None:
        """Raises ValueError when the backup does not belong here, or would cover something."""
        vendor = db.connection.vendor
        if kept.vendor != vendor:
            raise ValueError(f"the backup is of {kept.vendor}, and this database is {vendor}")
        if newer := kept.unknown_migration():
            raise ValueError(f"a newer version made it; this code does not know {newer}")
        tables = db.connection.introspection.table_names()
        if replace or "tools_tool" not in tables:
            return
        if Tool.objects.exists() or User.objects.exists():
            raise ValueError(
                "the database has content; --replace would put the backup in its place"
            )

    def _put_back(self, copy: Path) -> None:
        if db.connection.vendor == "postgresql":
            postgresql.put_back(copy)
        else:
            sqlite.put_back(copy)
        db.connection.close()

    def _announce(self) -> None:
        """Raise the content version: pages kept from before the backup are true no longer."""
        now = int(timezone.now().timestamp() * 1000)
        ContentVersion.objects.filter(number__lt=now).update(number=now)

    def _compare(self, kept: archive.Manifest) -> list[str]:
        """What differs from what was kept, a sentence each."""
        with db.connection.cursor() as cursor:
            tables = db.connection.introspection.table_names(cursor)
            found = archive.row_counts(cursor, tables)
        faults = [
            f"{table}: {kept.rows.get(table, 0)} rows were kept, {found.get(table, 0)} are there."
            for table in sorted(found.keys() | kept.rows.keys())
            if kept.rows.get(table) != found.get(table)
        ]
        call_command("migrate", verbosity=0, interactive=False)
        if drifts := ballot.drifts():
            faults.append(f"{len(drifts)} tallies differ from their votes (see `recount`).")
        return faults
