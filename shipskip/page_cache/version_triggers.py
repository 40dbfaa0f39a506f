"""The triggers that raise the content version whenever a row that readers can see changes.

On SQLite Django alters a table by creating a new one, which drops its triggers: such a migration
starts and ends with `watch_again` for that table (a test finds missing ones). On PostgreSQL a
table with pending trigger events cannot be altered: change rows and tables in separate migrations.
"""

from typing import Any

from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

NAME = "raise_content_version"

# A transaction takes one row lock, at its end, however many rows it wrote: with an earlier lock two
# transactions could deadlock.
FUNCTION = f"""
CREATE OR REPLACE FUNCTION {NAME}() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  this text := txid_current()::text;
BEGIN
  IF current_setting('shipskip.raised', true) IS DISTINCT FROM this THEN
    EXECUTE format(
      'INSERT INTO %1$I.web_contentversion AS stored (id, number) VALUES (1, $1)
       ON CONFLICT (id) DO UPDATE SET number = greatest(stored.number + 1, $1)', TG_TABLE_SCHEMA
    ) USING (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
    PERFORM set_config('shipskip.raised', this, true);
  END IF;
  RETURN NULL;
END $$
"""  # noqa: S608 - the name is ours

# Two plain statements: the writing statement overrides an upsert or OR IGNORE in its trigger.
MILLISECONDS = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
RAISE = f"""
INSERT INTO web_contentversion (id, number)
SELECT 1, 0 WHERE NOT EXISTS (SELECT 1 FROM web_contentversion WHERE id = 1);
UPDATE web_contentversion SET number = max(number + 1, {MILLISECONDS}) WHERE id = 1;
"""  # noqa: S608 - no value from outside

EVENTS = ("INSERT", "UPDATE", "DELETE")


def install(connection: Any, tables: list[str]) -> None:
    """Create triggers on these tables that raise the content version; safe to repeat."""
    remove(connection, tables)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(FUNCTION)
        for table in tables:
            for statement in _statements(connection.vendor, table):
                cursor.execute(statement)


def remove(connection: Any, tables: list[str]) -> None:
    """Drop our triggers from these tables."""
    with connection.cursor() as cursor:
        for table in tables:
            if connection.vendor == "postgresql":
                cursor.execute(f"DROP TRIGGER IF EXISTS {NAME} ON {table}")
                cursor.execute(f"DROP TRIGGER IF EXISTS {NAME}_truncate ON {table}")
            else:
                for event in EVENTS:
                    cursor.execute(f"DROP TRIGGER IF EXISTS {NAME}_{table}_{event.lower()}")


def installed(connection: Any) -> set[str]:
    """The tables whose every change raises the content version."""
    if connection.vendor == "postgresql":
        query = (
            "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgenabled = 'O' "
            "AND tgname IN (%s, %s) GROUP BY 1 HAVING count(*) = 2"
        )
        values = [NAME, f"{NAME}_truncate"]
    else:
        query = (
            "SELECT tbl_name FROM sqlite_master WHERE type = 'trigger' AND name LIKE %s "
            "GROUP BY 1 HAVING count(*) = 3"
        )
        values = [f"{NAME}_%"]
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return {row[0] for row in cursor.fetchall()}


class Watch(Operation):
    """A migration operation: every change of these models raises the content version.

    Unlike `RunPython` it takes the tables' names from the state of the migrations. Making model
    classes of that state would take half the time of all migrations.
    """

    reduces_to_sql = False

    def __init__(self, app: str, models: tuple[str, ...], *, watched_before: bool) -> None:
        self.app, self.models, self.watched_before = app, models, watched_before

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Models stay as they are."""

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Create the triggers."""
        install(schema_editor.connection, self._tables(from_state))

    def database_backwards(
        self, app_label: str, schema_editor: Any, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Drop the triggers, or create them again if the models were watched before."""
        undo = install if self.watched_before else remove
        undo(schema_editor.connection, self._tables(from_state))

    def describe(self) -> str:
        """The line of `migrate --plan`."""
        return f"Raise the content version with each change of {', '.join(self.models)}"

    def _tables(self, state: ProjectState) -> list[str]:
        models = [state.models[self.app, name.lower()] for name in self.models]
        return [model.options.get("db_table", f"{self.app}_{model.name_lower}") for model in models]


def watch(app: str, *models: str) -> Watch:
    """Return a migration operation: every change of these models raises the content version."""
    return Watch(app, models, watched_before=False)


def watch_again(app: str, *models: str) -> Watch:
    """Return the same operation for models that are watched already. Put it first and last in a
    migration that alters their tables: they keep their triggers after it and after its reverse.
    """
    return Watch(app, models, watched_before=True)


def _statements(vendor: str, table: str) -> list[str]:
    if vendor == "postgresql":
        return [
            f"CREATE CONSTRAINT TRIGGER {NAME} AFTER INSERT OR UPDATE OR DELETE ON {table} "
            f"DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION {NAME}()",
            f"CREATE TRIGGER {NAME}_truncate AFTER TRUNCATE ON {table} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION {NAME}()",
        ]
    return [
        f"CREATE TRIGGER {NAME}_{table}_{event.lower()} AFTER {event} ON {table} BEGIN {RAISE} END"
        for event in EVENTS
    ]
