"""`move_database URL`: copies the whole site into an empty database, also of the other kind."""

import os
import subprocess
import sys
from time import monotonic

from django import db
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from shipskip.operations import moving
from shipskip.operations.settings_doctor import rules
from shipskip.web.connections import connection_settings


class Command(BaseCommand):
    """`manage.py move_database URL`; docs/operations.md has the steps around it."""

    help = "Copies everything into the empty database at URL: SQLite to PostgreSQL, or back."

    def add_arguments(self, parser: CommandParser) -> None:
        """URL, as in DATABASE_URL."""
        parser.add_argument("url", help="sqlite:///path or postgres://user:password@host/name")

    def handle(self, *, url: str, **options: object) -> None:
        """Migrate the target, copy and compare every table; everything or nothing."""
        try:
            target = connection_settings(rules.database(url))
        except ValueError as error:
            raise CommandError(f"URL: {error}.") from None
        source = connections[moving.SOURCE]
        if _unapplied():
            raise CommandError("Migrate this database first: manage.py migrate")
        target["OPTIONS"].pop("pool", None)
        connections.settings = connections.configure_settings(
            {moving.SOURCE: source.settings_dict, moving.TARGET: target}
        )
        started = monotonic()
        try:
            self._in_target(url, "migrate", "--verbosity", "0")
            moving.refuse_rows()
            total = 0
            for table in moving.move():
                self.stdout.write(f"{table.rows:>12,} {table.checksum} {table.name}")
                total += table.rows
        except (moving.MoveError, db.Error) as error:
            message = str(error).strip().partition("\n")[0]
            raise CommandError(f"Nothing was moved: {message}.") from None
        finally:
            connections[moving.TARGET].close()
        self._in_target(url, "rebuild_search_index")
        self.stdout.write(
            f"{total:,} rows moved in {monotonic() - started:.0f} s; counts and checksums of every"
            " table are the same. Now set DATABASE_URL, and start the servers."
        )

    def _in_target(self, url: str, *arguments: str) -> None:
        """Run a command of this site on the target; data migrations use the default database."""
        done = subprocess.run(  # noqa: S603 - our own arguments
            [sys.executable, "manage.py", *arguments],
            cwd=settings.BASE_DIR,
            env=os.environ | {"DATABASE_URL": url},
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise CommandError(f"The target cannot be used: {done.stderr.strip()[-2000:]}")


def _unapplied() -> bool:
    """Whether this database lacks a migration of this release."""
    executor = MigrationExecutor(connections[moving.SOURCE])
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
