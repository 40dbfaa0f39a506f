"""The matrix of a category: who leads whom, by the rule of the answer."""

import pytest

from comparisons.answer import Contender
from reviews.models import Take
from shipskip.content.matrix import pair_result
from tests import factories as make
from tests.markup import read


def contender(takes: str) -> Contender:
    """A tool with takes as `a80+ b30-`: a reviewer, the score, + for ship or - for skip."""
    verdicts = {"+": "ship", "-": "skip"}
    return Contender(
        "A",
        [
            Take(reviewer_id=ord(take[0]), score=int(take[1:-1]), verdict=verdicts[take[-1]])
            for take in takes.split()
        ],
    )


SHIPS, SKIPPED, SPLIT = "a80+ b90+ c86+", "a95- b95-", "a70+ b30-"


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        (SHIPS, "a70+ b85+ c80+", ("ahead", "7")),
        ("a70+ b85+ c80+", SHIPS, ("behind", "7")),
        (SHIPS, "a70+ b85+", ("ahead_few", "")),
        ("a70+ b85+", SHIPS, ("behind_few", "")),
        (SHIPS, "a81+ b88+ c86+", ("close", "")),
        (SHIPS, "a10+", ("unshared", "")),
        (SHIPS, SKIPPED, ("ahead", "")),
        (SPLIT, SHIPS, ("behind", "")),
        (SKIPPED, SKIPPED, ("skip", "")),
        (SPLIT, SPLIT, ("split", "")),
        (SPLIT, SKIPPED, ("skip_split", "")),
        (SHIPS, "", ("missing", "")),
        ("", "", ("missing", "")),
    ],
)
def test_a_cell_of_the_matrix_follows_the_answer_of_the_comparison(first, second, found):
    assert pair_result(contender(first), contender(second)) == found


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
