"""The migrations from two foreign keys to a list of tools with texts, and back."""

from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.utils import NotSupportedError

from comparisons.models import Comparison
from shipskip.page_cache.version_triggers import installed
from tests import factories as make

pytestmark = pytest.mark.both_databases

BEFORE = "0003_featured_help"


@pytest.fixture
def pairs(transactional_db):
    """Two comparisons, one of them changed and featured."""
    tools = [make.tool(slug=f"tool-{n}") for n in range(3)]
    rows = [make.comparison(tools=tools[1::-1]), make.comparison(tools=tools[1:], featured=True)]
    rows[0].choose_if = {tools[0].pk: "you wait"}
    rows[0].save()
    Comparison.objects.filter(pk=rows[1].pk).update(position=3)
    return rows


def delete(table: str, column: str, key: int) -> None:
    """Delete rows of a table as it is between two releases."""
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {table} WHERE {column} = %s", [key])  # noqa: S608


def rows_of_previous_release(table: str) -> list[tuple[int, int, int]]:
    """Key, first and second tool of each row, as the release before reads them."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT id, first_id, second_id FROM {table} ORDER BY 1, 2, 3")  # noqa: S608
        return list(cursor.fetchall())


def stored_lists() -> list[tuple[int, list[dict[str, object]]]]:
    """The key, the tools and the texts of each comparison, then of each version."""
    rows = Comparison.objects.order_by("pk").values_list("pk", "tool_list")
    versions = Comparison.history.order_by("history_id").values_list("id", "tool_list")
    return [*rows, *versions]


def test_the_migrations_and_their_reverses_keep_rows_histories_texts_and_featured_places(
    pairs, migrate
):
    """The reverse refuses three tools. All in one test, because the way takes seconds."""

    def of_0009() -> list[Any]:
        """Rows and versions of the release in which texts stood in a column of their own."""
        model = migrate("comparisons", "0009_reads")
        return [model(name)._base_manager for name in ("Comparison", "HistoricalComparison")]

    before = stored_lists()
    three = make.comparison(tools=[make.tool(name=name) for name in ("One", "Two", "Three")])
    texts = [dict(rows.values_list("pk", "choose_if")) for rows in of_0009()]
    text = {str(pairs[0].tool_ids[1]): "you wait"}
    assert [list(found.values()).count(text) for found in texts] == [1, 1]
    with pytest.raises(NotSupportedError, match=r"One vs Two vs Three.*Nothing was changed"):
        migrate("comparisons", BEFORE)
    delete("comparisons_comparisontool", "comparison_id", three.pk)
    delete("comparisons_comparison", "id", three.pk)
    with pytest.raises(NotSupportedError, match=r"One vs Two vs Three \(in its history\)"):
        migrate("comparisons", BEFORE)
    delete("comparisons_historicalcomparison", "id", three.pk)
    migrate("comparisons", BEFORE)
    of_rows = rows_of_previous_release("comparisons_comparison")
    assert of_rows == [(row.pk, *row.tool_ids) for row in pairs]
    versions = [(pk, *(item["tool"] for item in listed)) for pk, listed in before[len(pairs) :]]
    of_versions = rows_of_previous_release("comparisons_historicalcomparison")
    assert sorted(of_versions) == sorted(versions)
    assert "comparisons_comparison" in installed(connection)
    for rows, stored in zip(of_0009(), texts, strict=True):
        for pk, choose_if in stored.items():
            rows.filter(pk=pk).update(choose_if=choose_if)
    call_command("migrate", verbosity=0)
    assert stored_lists() == before
    newest = list(Comparison.objects.order_by("pk"))
    assert [row.tools_key for row in newest] == [row.tools_key for row in pairs]
    assert (newest[1].featured, newest[1].position) == (True, 3)
    assert {"comparisons_comparison", "comparisons_comparisontool"} <= installed(connection)
