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
        connection = connections[options["database"]]
        if options.get("plan") or options.get("check_unapplied"):
            return
        present = set(connection.introspection.table_names())
        if {"search_change", *index_triggers.change_triggers.tables} <= present:
            index_triggers.change_triggers.install(connection)
            index_triggers.mark_all(connection)
