"""Database triggers that mark rows for the index whenever any program changes them."""

from collections.abc import Sequence
from typing import Any

from shipskip.web.change_triggers import ChangeRule, ChangeTriggers

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
"""The watched tables, and for each the kind and the key columns of the rows to mark."""

KINDS = {"category", "tool", "reviewer", "take", "comparison", "issue"}
"""The kinds that have documents; other tables mark the tools whose documents contain them."""

change_triggers = ChangeTriggers(
    "mark_for_search",
    "search_change (kind, object_id)",
    [
        ChangeRule(table, f"'{kind}', {{row}}.{column}", old_too=column != "id")
        for table, marks in MARKED
        for kind, column in marks
    ],
)
"""The triggers."""


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


def restore(connection: Any) -> None:
    """Create missing triggers and mark every row, if the tables exist: after migrations, because
    SQLite drops the triggers of a table that one alters.
    """
    if {"search_change", *change_triggers.tables} <= set(connection.introspection.table_names()):
        change_triggers.install(connection)
        mark_all(connection)
