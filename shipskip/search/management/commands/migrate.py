"""Django's command, which also creates lost triggers and marks all rows for the search."""

from typing import Any

from django.core.management.commands import migrate
from django.db import connections

from shipskip.search import index_triggers


class Command(migrate.Command):
    """`manage.py migrate`; on SQLite a changed table has lost its triggers."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate, create missing triggers, and mark all rows: the site indexes them."""
        super().handle(*args, **options)
        if not options.get("plan") and not options.get("check_unapplied"):
            index_triggers.restore(connections[options["database"]])
