"""The matrix of a category: who leads whom, by the rule of the answer."""

import pytest

from comparisons.answer import Contender
from reviews.models import Take
from shipskip.content.matrix import MAX_MATRIX_TOOLS, pair_result
from tests import factories as make
from tests.markup import read


def contender(**takes: tuple[int, str]) -> Contender:
    """A tool with a take (score, verdict) of each named reviewer."""
    rows = [
        Take(reviewer_id=ord(name), score=score, verdict=verdict)
        for name, (score, verdict) in takes.items()
    ]
    return Contender("A", rows)


SHIPS = contender(a=(80, "ship"), b=(90, "ship"), c=(86, "ship"))
SKIPPED = contender(a=(95, "skip"), b=(95, "skip"))
SPLIT = contender(a=(70, "ship"), b=(30, "skip"))


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        (SHIPS, contender(a=(70, "ship"), b=(85, "ship"), c=(80, "ship")), ("ahead", "7")),
        (contender(a=(70, "ship"), b=(85, "ship"), c=(80, "ship")), SHIPS, ("behind", "7")),
        (SHIPS, contender(a=(70, "ship"), b=(85, "ship")), ("ahead_few", "")),
        (contender(a=(70, "ship"), b=(85, "ship")), SHIPS, ("behind_few", "")),
        (SHIPS, contender(a=(81, "ship"), b=(88, "ship"), c=(86, "ship")), ("close", "")),
        (SHIPS, contender(a=(10, "ship")), ("unshared", "")),
        (SHIPS, contender(e=(10, "ship"), d=(10, "ship")), ("unshared", "")),
        (SHIPS, SKIPPED, ("ahead", "")),
        (SKIPPED, SHIPS, ("behind", "")),
        (SHIPS, SPLIT, ("ahead", "")),
        (SPLIT, SHIPS, ("behind", "")),
        (SKIPPED, SKIPPED, ("skip", "")),
        (SPLIT, SPLIT, ("split", "")),
        (SPLIT, SKIPPED, ("skip_split", "")),
        (SHIPS, contender(), ("missing", "")),
        (contender(), contender(), ("missing", "")),
    ],
)
def test_a_cell_of_the_matrix_follows_the_answer_of_the_comparison(first, second, found):
    assert pair_result(first, second) == found


@pytest.mark.django_db
def test_each_cell_says_how_and_leads_to_the_comparison_in_its_own_order(client):
    group = make.category(slug="agents")
    alpha, beta = (make.tool(slug=slug, name=slug, in_category=group) for slug in ("alpha", "beta"))
    for score in (80, 90, 85):
        by = make.reviewer()
        make.take(on=alpha, by=by, score=score)
        make.take(on=beta, by=by, score=score - 10)
    make.tool(slug="gamma", name="gamma", in_category=group)
    make.comparison(tools=(beta, alpha))
    page = read(client.get("/categories/agents/"))
    cells = [row for row in page.all("a") if "matrix__cell" in row.attributes.get("class", "")]
    assert [(row.text, row.attributes["href"]) for row in cells] == [
        ("leads by 10, beside beta", "/compare/beta-vs-alpha/"),
        ("no verdict yet, beside gamma", "/compare/alpha-vs-gamma/"),
        ("trails by 10, beside alpha", "/compare/beta-vs-alpha/"),
        ("no verdict yet, beside gamma", "/compare/beta-vs-gamma/"),
        ("no verdict yet, beside alpha", "/compare/alpha-vs-gamma/"),
        ("no verdict yet, beside beta", "/compare/beta-vs-gamma/"),
    ]
    for href in {row.attributes["href"] for row in cells}:
        assert client.get(href).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize(("tools", "shown"), [(1, False), (2, True), (12, True), (13, False)])
def test_two_to_twelve_tools_have_a_matrix(client, tools, shown):
    group = make.category(slug="agents")
    for _ in range(tools):
        make.tool(in_category=group)
    page = read(client.get("/categories/agents/"))
    assert bool(page.of_class("matrix")) is shown
    assert MAX_MATRIX_TOOLS == 12
