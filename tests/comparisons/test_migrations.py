"""The migration from two foreign keys to a list of tools, and back to the release before."""

import pytest
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
    rows[0].summary = "Changed."
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


def test_the_migration_and_its_reverse_keep_rows_histories_and_featured_places(pairs, migrate):
    """The reverse refuses three tools. All in one test, because the way takes seconds."""
    versions = list(Comparison.history.order_by("history_id").values_list("id", "tool_list"))
    three = make.comparison(tools=[make.tool(name=name) for name in ("One", "Two", "Three")])
    with pytest.raises(NotSupportedError, match=r"One vs Two vs Three.*Nothing was changed"):
        migrate("comparisons", BEFORE)
    delete("comparisons_comparisontool", "comparison_id", three.pk)
    delete("comparisons_comparison", "id", three.pk)
    with pytest.raises(NotSupportedError, match=r"One vs Two vs Three \(in its history\)"):
        migrate("comparisons", BEFORE)
    delete("comparisons_historicalcomparison", "id", three.pk)
    migrate("comparisons", BEFORE)
    assert rows_of_previous_release("comparisons_comparison") == [
        (row.pk, *row.tool_ids) for row in pairs
    ]
    assert sorted(rows_of_previous_release("comparisons_historicalcomparison")) == sorted(
        (pk, *(item["tool"] for item in listed)) for pk, listed in versions
    )
    assert "comparisons_comparison" in installed(connection)
    migrate.to_newest()
    rows = list(Comparison.objects.order_by("pk"))
    assert [row.tools for row in rows] == [row.tools for row in pairs]
    assert [row.tools_key for row in rows] == [row.tools_key for row in pairs]
    assert (rows[1].featured, rows[1].position) == (True, 3)
    found = Comparison.history.order_by("history_id").values_list("id", "tool_list")
    assert list(found) == versions
    assert {"comparisons_comparison", "comparisons_comparisontool"} <= installed(connection)


def test_the_texts_of_rows_and_histories_survive_the_way_to_one_list_and_back(pairs, migrate):
    row = pairs[0]
    row.choose_if = {row.tool_ids[1]: "you wait"}
    row.save()
    before = stored_lists()
    migrate("comparisons", "0009_reads")
    with connection.cursor() as cursor:
        for table in ("comparisons_comparison", "comparisons_historicalcomparison"):
            cursor.execute(f"SELECT choose_if FROM {table} WHERE id = {row.pk}")  # noqa: S608
            assert "you wait" in str(cursor.fetchall())
    migrate.to_newest()
    assert stored_lists() == before
    assert "comparisons_comparison" in installed(connection)


def stored_lists() -> list[list[dict[str, object]]]:
    """The tools and texts of each comparison, then of each version."""
    rows = Comparison.objects.order_by("pk").values_list("tool_list", flat=True)
    versions = Comparison.history.order_by("history_id").values_list("tool_list", flat=True)
    return [*rows, *versions]
