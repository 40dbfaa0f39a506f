"""A prepared query is asked in the words of its queryset, whatever the values, and made once."""

import re
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.db.models import BigIntegerField, CharField, DateTimeField, QuerySet
from django.db.transaction import TransactionManagementError, atomic
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

import comparisons.queries
import tools.queries
from reviews import ballot
from shipskip.web.prepared import prepared
from tests import factories as make
from tools.models import Tool

pytestmark = pytest.mark.django_db
NOW = timezone.now()
LATER = NOW + timedelta(days=1)
WHO, OTHER = uuid4(), UUID(int=1)

ASKED: dict[str, tuple[Any, tuple[Any, ...], tuple[Any, ...]]] = {
    "tools": (tools.queries.tools_at, (["a", "b"], NOW), (["it's", "%s"], LATER)),
    "one tool": (tools.queries.tools_at, (["a"], NOW), (["b"], LATER)),
    "neighbours": (tools.queries._near, (1, [2, 3], NOW), (2**40, [4, 2**40], LATER)),
    "drawer": (tools.queries._drawer, (WHO, NOW), (OTHER, LATER)),
    "pairs around": (comparisons.queries._around, ([1, 2], NOW), ([3, 2**40], LATER)),
    "takes": (comparisons.queries._takes, ([1, 2], NOW), ([3, 2**40], LATER)),
    "votes": (ballot._votes_of, (WHO, [1, 2, 3]), (OTHER, [4, 5, 2**40])),
    "own vote": (ballot._locked_vote, (1, WHO), (2**40, OTHER)),
    "tally": (ballot._locked_tally_of, (1,), (2**40,)),
}


def sql_of(act: Callable[[], Any]) -> list[str]:
    """What the database is asked."""
    with CaptureQueriesContext(connection) as asked:
        act()
    return [query["sql"] for query in asked]


@pytest.mark.parametrize(("ask", "first", "second"), ASKED.values(), ids=ASKED)
def test_it_asks_what_its_queryset_asks_with_the_values_of_this_time(ask, first, second):
    for args in (first, second, first):
        plain = sql_of(partial(list, ask.__wrapped__(*args)))
        assert len(plain) == 1
        assert sql_of(partial(ask, *args)) == plain


def test_a_locked_row_is_locked_where_the_database_can():
    (asked,) = sql_of(lambda: ballot._locked_tally_of(1))
    assert ("FOR UPDATE" in asked) == connection.features.has_select_for_update


def test_its_rows_are_those_of_its_queryset():
    first, second = make.tool(slug="a", name="Twin"), make.tool(slug="b", name="Twin")
    make.tool(slug="c")
    found = tools.queries.tools_at(["a", "b"], NOW)
    assert found == [first, second]
    assert [tool.shares_name for tool in found] == [True, True]
    assert found[0].category == first.category
    assert {tool.slug for tool in tools.queries.tools_at(["a", "c"], NOW)} == {"a", "c"}


def counting(asked: list[Any]) -> Callable[..., list[Tool]]:
    """A prepared query that notes what its words are called with."""

    @prepared(CharField(), DateTimeField())
    def tools_at(slugs: list[str], now: Any) -> QuerySet[Tool]:
        asked.append(slugs)
        return Tool.objects.published(now).filter(slug__in=slugs)

    return tools_at


def test_it_is_composed_once_for_each_length_of_its_lists():
    asked: list[Any] = []
    ask = counting(asked)
    for slugs in (["a"], ["b"], ["a", "b"], ["b", "c"], ["c"]):
        ask(slugs, NOW)
    assert [len(slots) for slots in asked] == [1, 2]


def test_of_an_empty_list_nothing_is_asked():
    asked: list[Any] = []
    assert sql_of(lambda: counting(asked)([], NOW)) == []
    assert asked == [[]]


def test_arguments_are_given_by_position():
    with pytest.raises(ValueError, match="shorter"):
        counting([])(["a"], now=NOW)


@pytest.mark.parametrize(
    "rows", [Tool.objects.prefetch_related("takes"), Tool.objects.values("slug")]
)
def test_what_a_statement_cannot_hold_is_refused(rows):
    with pytest.raises(ValueError, match="prefetch nothing"):
        prepared(BigIntegerField())(lambda key: rows.filter(pk=key))(1)


@pytest.mark.django_db(transaction=True)
def test_rows_are_locked_in_a_transaction_only():
    with atomic():
        assert ballot._locked_tally_of(1) == []
    with pytest.raises(TransactionManagementError):
        ballot._locked_tally_of(1)


def test_no_value_of_one_run_is_left_to_the_next():
    tools.queries.tools_at(["first-secret"], NOW)
    (asked,) = sql_of(lambda: tools.queries.tools_at(["second"], NOW))
    assert re.findall(r"first-secret|second", asked) == ["second"]
