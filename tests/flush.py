"""The flush after each test that commits its rows: it empties only the tables that have some.

Django's own flush empties all sixty tables and creates the rows of permissions and content types
again. That takes a quarter of a second for each test on PostgreSQL, which writes new files for
every emptied table.
"""

from time import time
from typing import Any

from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management.commands import flush
from django.core.management.sql import emit_post_migrate_signal
from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from shipskip.page_cache.models import ContentVersion

MADE_BY_DJANGO = (Permission, ContentType)
"""The rows of these tables stay while they are those that `migrate` made."""

VERSION = ContentVersion._meta.db_table


class Flush(flush.Command):
    """`flush` as TransactionTestCase calls it; with `reset_sequences` it is Django's own."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.made: dict[str, list[list[tuple[Any, ...]]]] = {}

    def handle(self, **options: Any) -> None:
        """Empty the tables. Afterwards nothing is marked as changed, and the content version is
        a new one, as after Django's own on PostgreSQL.
        """
        if options.get("reset_sequences", True):
            super().handle(**options)
            return
        connection = connections[options["database"]]
        name = str(connection.settings_dict["NAME"])
        is_unchanged = self.made.get(name) == made_rows()
        stay = {model._meta.db_table for model in MADE_BY_DJANGO} if is_unchanged else set()
        tables = set(connection.introspection.django_table_names(only_existing=True)) - stay
        while empty(connection, sorted(tables)):  # the triggers of deleted rows write rows
            tables.discard(VERSION)
        ContentVersion.objects.update_or_create(id=1, defaults={"number": int(time() * 1000)})
        if not is_unchanged:
            emit_post_migrate_signal(0, interactive=False, db=options["database"])
            self.made[name] = made_rows()


def made_rows() -> list[list[tuple[Any, ...]]]:
    """The rows of the tables that `migrate` fills."""
    return [list(model._default_manager.order_by("pk").values_list()) for model in MADE_BY_DJANGO]


def empty(connection: BaseDatabaseWrapper, tables: list[str]) -> bool:
    """Delete all rows; whether there were any."""
    names = [connection.ops.quote_name(table) for table in tables]
    filled = " UNION ALL ".join(
        f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {name})"  # noqa: S608 - our own tables
        for name in names
    )
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # it waits for writers, as TRUNCATE does
            cursor.execute(f"LOCK TABLE {', '.join(names)} IN EXCLUSIVE MODE")
        cursor.execute(filled)
        found = [name for (name,) in cursor.fetchall()]
        for name in found:
            cursor.execute(f"DELETE FROM {name}")  # noqa: S608 - our own tables
    return bool(found)
