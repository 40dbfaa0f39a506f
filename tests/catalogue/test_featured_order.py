"""The order of the featured comparisons is dumped and loaded with the document."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from comparisons.models import Comparison
from shipskip.catalogue.changes import RowCounts
from shipskip.catalogue.featured_order import merged_order
from tests import factories as make
from tests.catalogue.documents import FORMAT, as_file, dumped, empty_the_site, load
from tools.models import Tool

pytestmark = pytest.mark.django_db
SLUGS = "abcdef"


@pytest.fixture(autouse=True)
def _tools():
    chat = make.category(slug="chat")
    for slug in SLUGS:
        make.tool(slug=slug, in_category=chat)


def entries(*pairs: str, **keys) -> dict:
    """A document of comparisons alone, such as `ab`, featured ones by default."""
    rows = [{"tools": list(pair), "featured": True} | keys for pair in pairs]
    return {"format": FORMAT, "comparisons": rows}


def order() -> list[str]:
    """The featured comparisons as the home page has them."""
    rows = Comparison.objects.featured().featured_first().with_tools()
    return ["".join(tool.slug for tool in row.tools) for row in rows]


@pytest.mark.parametrize(
    ("current", "named", "result"),
    [
        ([], [], []),
        ([], [3, 1, 2], [3, 1, 2]),
        ([1, 2, 3], [3, 1, 2], [3, 1, 2]),
        ([1, 2, 3], [3, 1], [3, 2, 1]),
        ([1, 2, 3], [2], [1, 2, 3]),
        ([1, 2, 3], [1, 9, 3], [1, 9, 2, 3]),
        ([1, 2, 3], [9, 2], [1, 9, 2, 3]),
        ([1, 2, 3], [9, 8], [1, 2, 3, 9, 8]),
        ([1, 2, 3], [3, 9, 8, 1], [3, 9, 8, 2, 1]),
    ],
)
def test_a_comparison_that_is_not_named_keeps_its_place_and_a_new_one_follows_its_neighbour(
    current, named, result
):
    assert merged_order(current, named) == result
    assert merged_order(result, named) == result


def test_another_order_is_a_change_and_is_listed_the_same_again_is_none():
    load(as_file(entries("ab", "cd", "ef")))
    assert set(Comparison.objects.values_list("position", flat=True)) == {1, 2, 3}
    report = load(as_file(entries("cd", "ab", "ef")))
    assert report.counts["comparisons"] == RowCounts(changed=2, left_alone=1)
    assert [str(each) for each in report.changed.entries] == [
        "comparisons: c vs d (place among the featured: 2 → 1)",
        "comparisons: a vs b (place among the featured: 1 → 2)",
    ]
    assert order() == ["cd", "ab", "ef"]
    report = load(as_file(entries("cd", "ab", "ef")))
    assert not report.changed_anything
    assert report.counts["comparisons"] == RowCounts(left_alone=3)
    given = entries("ab", "cd", "ef")
    given["comparisons"][0]["summary"] = "Close."
    counts = load(as_file(given)).counts["comparisons"]
    assert counts == RowCounts(changed=2, left_alone=1), "one that moves and changes counts once"


def test_a_comparison_that_is_featured_again_gets_its_place_in_the_document():
    load(as_file(entries("ab", "ef")))
    load(as_file(entries("cd", featured=False)))
    assert order() == ["ab", "ef"]
    report = load(as_file(entries("ab", "cd", "ef")))
    assert report.counts["comparisons"] == RowCounts(changed=1, left_alone=2)
    assert order() == ["ab", "cd", "ef"]


def test_a_comparison_that_is_no_longer_featured_loses_its_position():
    load(as_file(entries("ab", "cd")))
    load(as_file(entries("ab", featured=False)))
    assert order() == ["cd"]
    assert Comparison.objects.get(members__tool__slug="a", members__position=1).position is None


def test_a_document_of_one_or_without_the_key_featured_leaves_the_order():
    load(as_file(entries("ab", "cd", "ef")))
    bare = {"format": FORMAT, "comparisons": [{"tools": ["c", "d"]}, {"tools": ["a", "b"]}]}
    for given in (entries("ef"), bare):
        assert not load(as_file(given)).changed_anything
    assert order() == ["ab", "cd", "ef"]


def test_featured_ones_without_a_place_are_dumped_after_those_with_one():
    for pair, position, featured in [
        ("ab", None, True), ("cd", 2, True), ("ef", 1, True), ("ac", 7, False), ("ad", None, True),
    ]:  # fmt: skip
        first, second = (Tool.objects.get(slug=slug) for slug in pair)
        row = make.comparison(tools=(first, second), featured=featured)
        Comparison.objects.filter(pk=row.pk).update(position=position)
    found = ["".join(row["tools"]) for row in json.loads(dumped())["comparisons"]]
    assert found == ["ef", "cd", "ab", "ad", "ac"]
    assert not load(as_file(dumped())).changed_anything


def test_a_dump_with_an_order_by_hand_is_the_same_after_a_load_into_an_empty_site():
    load(as_file(entries("ef", "ab", "dc")))
    load(as_file(entries("ac", "bd", featured=False)))
    first = dumped()
    empty_the_site()
    load(as_file(first))
    assert dumped() == first
    assert order() == ["ef", "ab", "dc"]


def test_the_queries_do_not_depend_on_how_many_are_featured():
    def queries(*pairs: str) -> int:
        with CaptureQueriesContext(connection) as found:
            load(as_file(entries(*pairs)))
        return len(found)

    few = queries("ab", "cd")
    assert queries("ac", "ad", "ae", "af", "bc", "bd") == few
    assert queries("cd", "ab") == queries("bd", "bc", "af", "ae", "ad", "ac")
