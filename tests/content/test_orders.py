"""Tools filtered and sorted by the panel's verdict and score."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from reviews.models import Take, ToolTally
from reviews.scoring import PERCENT_FROM, verdict_of, wilson_bounds
from shipskip.content.content import Content
from shipskip.content.selection import Selection, Wanted
from tests import factories as make
from tests.markup import read

pytestmark = pytest.mark.django_db


def listed(client: Client, sort: str) -> list[str]:
    """The names of the list's tools in this order."""
    return read(client.get(f"/tools/?sort={sort}")).texts("p", class_="tool-row__name")


def test_the_panel_ranks_tools_those_without_takes_last(client):
    make.tool(name="A")
    for slug, name, score in (("low", "B", 10), ("b", "Same", 90), ("c", "same", 90)):
        make.take(on=make.tool(slug=slug, name=name), score=score)
    assert listed(client, "score") == ["Same", "same", "B", "A"]


GRID = [
    *((ship, total) for total in range(1, 9) for ship in range(total + 1)),
    *((ship, 50) for ship in (0, 24, 25, 26, 50)),
]


def test_the_filter_by_verdict_follows_the_rules():
    """Fifty reviewers, and a tool for each count of the grid."""
    category = make.category()
    reviewers = [make.reviewer() for _ in range(max(total for _, total in GRID))]
    tools = [make.tool(slug=f"t-{ship}-of-{total}", in_category=category) for ship, total in GRID]
    Take.objects.bulk_create(
        Take(
            tool=tool,
            reviewer=reviewer,
            score=50,
            verdict="ship" if number < ship else "skip",
            published_at=make.PUBLISHED,
        )
        for tool, (ship, total) in zip(tools, GRID, strict=True)
        for number, reviewer in enumerate(reviewers[:total])
    )
    make.tool(slug="t-none", in_category=category)
    content = Content(None, timezone.now())
    for verdict in ("ship", "split", "skip", "none"):
        found = Selection(content, Wanted(choices={"verdict": [verdict]})).tools
        wanted = {f"t-{ship}-of-{n}" for ship, n in GRID if verdict_of(ship, n) == verdict}
        assert {tool.slug for tool in found} == (wanted or {"t-none"})


def test_the_newest_verdict_comes_first(client):
    for name, days in (("old", 9), ("new", 1), ("middle", 5)):
        make.take(on=make.tool(name=name), published_at=timezone.now() - timedelta(days=days))
    make.tool(name="A")
    assert listed(client, "judged") == ["new", "middle", "old", "A"]


def test_the_community_ranks_by_the_lower_bound_of_its_share(client):
    """Nine of nine say less than 30 of 40, which say more than ten of twelve."""
    votes = {"few": (9, 0), "many": (30, 10), "some": (10, 2), "against": (0, 50)}
    for slug, (ship, skip) in votes.items():
        ToolTally.objects.create(tool=make.tool(name=slug), ship=ship, skip=skip)
    make.tool(name="A")
    assert listed(client, "community") == ["many", "some", "against", "A", "few"]


def test_the_stored_lower_bound_is_that_of_the_rules():
    row = ToolTally.objects.create(tool=make.tool())
    for ship, skip in ((0, 0), (9, 0), (10, 0), (0, 10), (7, 13), (1, 9_999), (600_000, 400_000)):
        ToolTally.objects.update(ship=ship, skip=skip)
        row.refresh_from_db()
        low = wilson_bounds(ship, ship + skip)[0] if ship + skip >= PERCENT_FROM else None
        assert row.lower_bound == (None if low is None else pytest.approx(low, abs=1e-12))


def test_the_greatest_disagreement_of_panel_and_community_comes_first(client):
    """By the shares that readers see: 67 and 60, 67 and 4; a split disagrees with both."""
    shares = {"near": (2, 1, 6, 4), "far": (2, 1, 1, 24), "split": (1, 1, 10, 0)}
    shares |= {"few": (3, 0, 0, 9), "unjudged": (0, 0, 50, 0)}
    for slug, (ship, skip, voted_ship, voted_skip) in shares.items():
        tool = make.tool(slug=slug, name=slug)
        for verdict in ["ship"] * ship + ["skip"] * skip:
            make.take(on=tool, verdict=verdict)
        ToolTally.objects.create(tool=tool, ship=voted_ship, skip=voted_skip)
    make.tool(name="A")
    assert listed(client, "disagreement") == ["far", "split", "near", "A", "few", "unjudged"]
