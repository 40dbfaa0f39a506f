"""The order of the featured comparisons is dumped and loaded with the document."""

import json

import pytest

from comparisons.models import Comparison
from shipskip.catalogue.changes import RowCounts
from shipskip.catalogue.featured_order import merged_order
from tests import factories as make
from tests.catalogue.documents import (
    FORMAT,
    as_file,
    assert_comes_back,
    dumped,
    load,
    report,
)
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


def test_the_order_of_a_document_is_that_of_the_site(snapshot):
    load(as_file(entries("ab", "cd", "ef")))
    assert set(Comparison.objects.values_list("position", flat=True)) == {1, 2, 3}
    assert report(load(as_file(entries("cd", "ab", "ef")))) == snapshot(name="another")
    assert order() == ["cd", "ab", "ef"]
    assert report(load(as_file(entries("cd", "ab", "ef")))) == snapshot(name="the same again")
    # A document of one, or without the key, leaves the order.
    bare = {"format": FORMAT, "comparisons": [{"tools": ["c", "d"]}, {"tools": ["a", "b"]}]}
    for leaving in (entries("ef"), bare):
        assert not load(as_file(leaving)).changed_anything
    given = entries("ab", "cd", "ef")
    given["comparisons"][0]["summary"] = "Close."
    counts = load(as_file(given)).counts["comparisons"]
    assert counts == RowCounts(changed=2, left_alone=1), "one that moves and changes counts once"
    load(as_file(entries("cd", featured=False)))
    assert order() == ["ab", "ef"]
    assert Comparison.objects.get(members__tool__slug="c", members__position=1).position is None
    counts = load(as_file(entries("ab", "cd", "ef"))).counts["comparisons"]
    assert counts == RowCounts(changed=1, left_alone=2), "featured again at its place"
    assert order() == ["ab", "cd", "ef"]
    load(as_file(entries("ac", "bd", featured=False)))
    assert_comes_back(dumped())
    assert order() == ["ab", "cd", "ef"]


def test_what_a_load_of_another_order_does_is_what_it_reports():
    load(as_file(entries("bc", "ad")))
    Comparison.objects.update(position=None)
    for given in (entries("da", "bc"), entries("bc", featured=False), entries("cd", "da")):
        load(as_file(given))
        assert not load(as_file(given), dry_run=True).changed_anything


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
