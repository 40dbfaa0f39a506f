"""The matrix of a category: who leads whom, by the rule of the answer."""

import pytest

from shipskip.content.matrix import pair_result
from tests import factories as make
from tests.comparisons.test_answer import tools
from tests.markup import read


def test_a_cell_of_the_matrix_follows_the_answer_of_the_comparison():
    """Tools are written as in tests/comparisons/test_answer.py."""
    for rows, found in (
        ("A: 80+ 90+ 86+ / B: 70+ 85+ 80+", ("ahead", "7")),
        ("A: 70+ 85+ 80+ / B: 80+ 90+ 86+", ("behind", "7")),
        ("A: 80+ 90+ 86+ / B: 70+ 85+", ("ahead_few", "")),
        ("A: 70+ 85+ / B: 80+ 90+ 86+", ("behind_few", "")),
        ("A: 80+ 90+ 86+ / B: 81+ 88+ 86+", ("close", "")),
        ("A: 80+ 90+ 86+ / B: 10+", ("unshared", "")),
        ("A: 80+ / B: 95-", ("ahead", "")),
        ("A: 70+ 30- / B: 80+", ("behind", "")),
        ("A: 95- / B: 95-", ("skip", "")),
        ("A: 70+ 30- / B: 70+ 30-", ("split", "")),
        ("A: 70+ 30- / B: 95- 95-", ("skip_split", "")),
        ("A: 80+ / B: .", ("missing", "")),
        ("A: . / B: .", ("missing", "")),
    ):
        assert pair_result(*tools(rows)) == found, rows


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


@pytest.mark.django_db
def test_two_to_twelve_tools_have_a_matrix(client):
    group = make.category(slug="agents")
    for number in range(1, 14):
        make.tool(in_category=group)
        if number in (1, 2, 12, 13):
            page = read(client.get("/categories/agents/"))
            assert bool(page.of_class("matrix")) is (number in (2, 12)), number
