"""Django's command, which also marks all rows for the search index."""

from typing import Any

from django.core.management.commands import migrate
from django.db import connections

from shipskip.search import triggers


class Command(migrate.Command):
    """`manage.py migrate`; on SQLite a changed table has lost its triggers."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate, create missing triggers, and mark all rows: the site indexes them."""
        super().handle(*args, **options)
        connection = connections[options["database"]]
        if options.get("plan") or options.get("check_unapplied"):
            return
        present = set(connection.introspection.table_names())
        if {"search_change", *(table for table, _ in triggers.MARKED)} <= present:
            triggers.install(connection)
            triggers.mark_all(connection)
