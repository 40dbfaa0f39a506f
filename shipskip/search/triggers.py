"""The triggers that mark rows for the index whenever any program changes them.

On SQLite Django alters a table by creating a new one, which drops its triggers; `manage.py migrate`
ends by creating missing ones.
"""

from collections.abc import Sequence
from typing import Any

MARKED: Sequence[tuple[str, Sequence[tuple[str, str]]]] = (
    ("tools_category", [("category", "id")]),
    ("tools_tool", [("tool", "id")]),
    ("tools_formerslug", [("tool", "tool_id")]),
    ("tools_attribute", [("attribute", "id")]),
    ("tools_family", [("family", "id")]),
    ("tools_fact", [("tool", "tool_id")]),
    ("reviews_reviewer", [("reviewer", "id")]),
    ("reviews_take", [("take", "id"), ("tool", "tool_id")]),
    ("comparisons_comparison", [("comparison", "id")]),
    ("comparisons_comparisontool", [("comparison", "comparison_id")]),
    ("newsletter_issue", [("issue", "id")]),
)
"""The watched tables, and the kinds and columns of what each of their rows marks."""

KINDS = {"category", "tool", "reviewer", "take", "comparison", "issue"}
"""The kinds that have documents; what others mark are the tools that show them."""

EVENTS = {"INSERT": ("NEW",), "UPDATE": ("OLD", "NEW"), "DELETE": ("OLD",)}
NAME = "mark_for_search"


def install(connection: Any) -> None:
    """Create the triggers that are missing."""
    present = installed(connection)
    with connection.cursor() as cursor:
        for table, marks in MARKED:
            for event, sides in EVENTS.items():
                name = f"{NAME}_{table}_{event.lower()}"
                if name not in present:
                    statements = _STATEMENTS[connection.vendor](name, table, event, marks, sides)
                    for statement in statements:
                        cursor.execute(statement)


def remove(connection: Any) -> None:
    """Drop the triggers."""
    with connection.cursor() as cursor:
        for table, _ in MARKED:
            for event in EVENTS:
                name = f"{NAME}_{table}_{event.lower()}"
                if connection.vendor == "postgresql":
                    cursor.execute(f"DROP FUNCTION IF EXISTS {name}() CASCADE")
                else:
                    cursor.execute(f"DROP TRIGGER IF EXISTS {name}")


def installed(connection: Any) -> set[str]:
    """The names of the triggers that are there."""
    if connection.vendor == "postgresql":
        query = "SELECT tgname FROM pg_trigger WHERE tgname LIKE %s"
    else:
        query = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE %s"
    with connection.cursor() as cursor:
        cursor.execute(query, [f"{NAME}_%"])
        return {row[0] for row in cursor.fetchall()}


def mark_all(connection: Any) -> None:
    """Mark every row."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM search_change")
        for table, marks in MARKED:
            kind, column = marks[0]
            if column == "id" and kind in KINDS:
                rows = f"SELECT '{kind}', id FROM {table} ORDER BY id"  # noqa: S608 - ours
                cursor.execute(f"INSERT INTO search_change (kind, object_id) {rows}")
        cursor.execute(
            "INSERT INTO search_change (kind, object_id) SELECT kind, object_id "
            "FROM search_document ORDER BY id"
        )


def _on_sqlite(
    name: str, table: str, event: str, marks: Sequence[tuple[str, str]], sides: Sequence[str]
) -> list[str]:
    inserts = "".join(
        f"INSERT INTO search_change (kind, object_id) "  # noqa: S608 - names are ours
        f"VALUES ('{kind}', {side}.{column}); "
        for kind, column in marks
        for side in sides
        if side == sides[-1] or column != "id"
    )
    return [f"CREATE TRIGGER {name} AFTER {event} ON {table} BEGIN {inserts} END"]


def _on_postgresql(
    name: str, table: str, event: str, marks: Sequence[tuple[str, str]], sides: Sequence[str]
) -> list[str]:
    """A statement that writes many rows marks them with one INSERT."""
    tables = {"OLD": "old_rows", "NEW": "new_rows"}
    inserts = "".join(
        f"INSERT INTO search_change (kind, object_id) "  # noqa: S608 - names are ours
        f"SELECT DISTINCT '{kind}', {column} FROM {tables[side]}; "
        for kind, column in marks
        for side in sides
        if side == sides[-1] or column != "id"
    )
    given = " ".join(f"{side} TABLE AS {tables[side]}" for side in sides)
    return [
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN {inserts} RETURN NULL; END $$",
        f"CREATE TRIGGER {name} AFTER {event} ON {table} REFERENCING {given} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {name}()",
    ]


_STATEMENTS = {"sqlite": _on_sqlite, "postgresql": _on_postgresql}
