"""The migration from two foreign keys to a list of tools, and back to the release before."""

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.utils import NotSupportedError

from comparisons.models import Comparison
from shipskip.page_cache.version_triggers import installed
from tests import factories as make

BEFORE = "0003_featured_help"
NEWEST = "0009_reads"


def migrate(target: str) -> None:
    call_command("migrate", "comparisons", target, verbosity=0)


@pytest.fixture
def pairs(transactional_db):
    """Two comparisons, one of them changed and featured."""
    tools = [make.tool(slug=f"tool-{n}") for n in range(3)]
    rows = [make.comparison(tools=tools[1::-1]), make.comparison(tools=tools[1:], featured=True)]
    rows[0].summary = "Changed."
    rows[0].save()
    Comparison.objects.filter(pk=rows[1].pk).update(position=3)
    yield rows
    call_command("migrate", verbosity=0)  # all apps, each to its newest, for the tests that follow


def rows_of_previous_release(table: str) -> list[tuple[int, int, int]]:
    """Key, first and second tool of each row, as the release before reads them."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT id, first_id, second_id FROM {table} ORDER BY 1, 2, 3")  # noqa: S608
        return list(cursor.fetchall())


def test_the_migration_and_its_reverse_keep_rows_histories_and_featured_places(pairs):
    versions = list(Comparison.history.order_by("history_id").values_list("id", "tool_ids"))
    migrate(BEFORE)
    assert rows_of_previous_release("comparisons_comparison") == [
        (row.pk, *row.tool_ids) for row in pairs
    ]
    assert sorted(rows_of_previous_release("comparisons_historicalcomparison")) == sorted(
        (pk, *keys) for pk, keys in versions
    )
    assert "comparisons_comparison" in installed(connection)
    migrate(NEWEST)
    rows = list(Comparison.objects.order_by("pk"))
    assert [row.tools for row in rows] == [row.tools for row in pairs]
    assert [row.tools_key for row in rows] == [row.tools_key for row in pairs]
    assert (rows[1].featured, rows[1].position) == (True, 3)
    found = Comparison.history.order_by("history_id").values_list("id", "tool_ids")
    assert list(found) == versions
    assert {"comparisons_comparison", "comparisons_comparisontool"} <= installed(connection)


def test_the_reverse_migration_refuses_and_names_a_comparison_of_three_tools(pairs):
    names = ("One", "Two", "Three")
    three = make.comparison(tools=[make.tool(name=name) for name in names])
    with pytest.raises(NotSupportedError, match=r"One vs Two vs Three.*Nothing was changed"):
        migrate(BEFORE)
    migrate(NEWEST)
    three.delete()
    with pytest.raises(NotSupportedError, match=r"One vs Two vs Three \(in its history\)"):
        migrate(BEFORE)
    migrate(NEWEST)
    assert Comparison.objects.count() == 2
    Comparison.history.filter(id=three.pk).delete()
