"""`restore`: puts a backup back, and checks that what is there is what was kept."""

from pathlib import Path
from typing import Any

from django import db
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from reviews import ballot
from shipskip.keeping import archive, manifest, postgresql, sqlite
from shipskip.keeping.manifest import Manifest
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

    def handle(self, *, file: Path, replace: bool, **options: Any) -> None:
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

    def _refuse(self, kept: Manifest, *, replace: bool) -> None:
        """Raises ValueError when the backup does not belong here, or would cover something."""
        vendor = db.connection.vendor
        if kept.vendor != vendor:
            raise ValueError(f"the backup is of {kept.vendor}, and this database is {vendor}")
        if newer := manifest.unknown(kept.migrations):
            raise ValueError(f"a newer version made it; this code does not know {newer[0]}")
        tables = db.connection.introspection.table_names()
        if replace or "tools_tool" not in tables:
            return
        if Tool.objects.exists() or manifest.rows().get("auth_user"):
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

    def _compare(self, kept: Manifest) -> list[str]:
        """What differs from what was kept, a sentence each."""
        found = manifest.rows()
        faults = [
            f"{table}: {kept.rows.get(table, 0)} rows were kept, {found.get(table, 0)} are there."
            for table in sorted(found.keys() | kept.rows.keys())
            if kept.rows.get(table) != found.get(table)
        ]
        before = manifest.applied()
        call_command("migrate", verbosity=0, interactive=False)
        same_code = before == manifest.applied()
        if drifts := ballot.drifts():
            faults.append(f"{len(drifts)} tallies differ from their votes (see `recount`).")
        if same_code and manifest.of_catalogue() != kept.catalogue:
            faults.append("The catalogue is not the one that was kept.")
        try:
            page = manifest.of_page(kept.page)
        except ValueError as fault:
            faults.append(f"{fault}.")
        else:
            same = "the same bytes as it was" if page == kept.page_bytes else DIFFERENT
            self.stdout.write(f"{kept.page}: {same}.")
        return faults


DIFFERENT = "not the same bytes: its looks or the hour have changed since, compare it yourself"
