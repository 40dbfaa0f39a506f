"""The triggers that raise the content version whenever a row that readers can see changes.

Django remakes a table on SQLite when it alters one, and its triggers go with the old one: such a
migration ends with `watch` for that table again (a test looks for missing ones). On PostgreSQL a
table with triggers yet to fire cannot be altered: change rows and tables in separate migrations.
"""

from typing import Any

from django.db.migrations import RunPython

NAME = "raise_content_version"

# One row lock at the very end of a transaction, once a transaction however many rows it wrote:
# taken earlier, two editors could each wait for the other.
FUNCTION = f"""
CREATE OR REPLACE FUNCTION {NAME}() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  this text := txid_current()::text;
BEGIN
  IF current_setting('shipskip.raised', true) IS DISTINCT FROM this THEN
    EXECUTE format(
      'INSERT INTO %1$I.web_contentversion AS kept (id, number) VALUES (1, $1)
       ON CONFLICT (id) DO UPDATE SET number = greatest(kept.number + 1, $1)', TG_TABLE_SCHEMA
    ) USING (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
    PERFORM set_config('shipskip.raised', this, true);
  END IF;
  RETURN NULL;
END $$
"""  # noqa: S608 - the name is ours

# Two plain statements: INSERT OR IGNORE around a trigger would override an upsert in it.
MILLISECONDS = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
RAISE = f"""
INSERT OR IGNORE INTO web_contentversion (id, number) VALUES (1, 0);
UPDATE web_contentversion SET number = max(number + 1, {MILLISECONDS}) WHERE id = 1;
"""  # noqa: S608 - no value of anybody's

ACTS = ("INSERT", "UPDATE", "DELETE")


def install(connection: Any, tables: list[str]) -> None:
    """Have every change of these tables raise the content version; repeating it is no fault."""
    remove(connection, tables)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(FUNCTION)
        for table in tables:
            for statement in _statements(connection.vendor, table):
                cursor.execute(statement)


def remove(connection: Any, tables: list[str]) -> None:
    """Leave these tables without triggers of ours."""
    with connection.cursor() as cursor:
        for table in tables:
            if connection.vendor == "postgresql":
                cursor.execute(f"DROP TRIGGER IF EXISTS {NAME} ON {table}")
                cursor.execute(f"DROP TRIGGER IF EXISTS {NAME}_truncate ON {table}")
            else:
                for act in ACTS:
                    cursor.execute(f"DROP TRIGGER IF EXISTS {NAME}_{table}_{act.lower()}")


def installed(connection: Any) -> set[str]:
    """The tables whose every change raises the content version."""
    if connection.vendor == "postgresql":
        asked = (
            "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgenabled = 'O' "
            "AND tgname IN (%s, %s) GROUP BY 1 HAVING count(*) = 2"
        )
        values = [NAME, f"{NAME}_truncate"]
    else:
        asked = (
            "SELECT tbl_name FROM sqlite_master WHERE type = 'trigger' AND name LIKE %s "
            "GROUP BY 1 HAVING count(*) = 3"
        )
        values = [f"{NAME}_%"]
    with connection.cursor() as cursor:
        cursor.execute(asked, values)
        return {row[0] for row in cursor.fetchall()}


def watch(app: str, *models: str) -> RunPython:
    """A migration's step: every change of these models raises the content version."""

    def tables(apps: Any) -> list[str]:
        return [apps.get_model(app, name)._meta.db_table for name in models]

    return RunPython(
        lambda apps, editor: install(editor.connection, tables(apps)),
        lambda apps, editor: remove(editor.connection, tables(apps)),
    )


def _statements(vendor: str, table: str) -> list[str]:
    if vendor == "postgresql":
        return [
            f"CREATE CONSTRAINT TRIGGER {NAME} AFTER INSERT OR UPDATE OR DELETE ON {table} "
            f"DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION {NAME}()",
            f"CREATE TRIGGER {NAME}_truncate AFTER TRUNCATE ON {table} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION {NAME}()",
        ]
    return [
        f"CREATE TRIGGER {NAME}_{table}_{act.lower()} AFTER {act} ON {table} BEGIN {RAISE} END"
        for act in ACTS
    ]
