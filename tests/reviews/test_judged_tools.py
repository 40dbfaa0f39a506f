"""Tools filtered and sorted by the panel's verdict and score."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.judged_tools import judged_tools
from reviews.models import Take
from reviews.scoring import verdict_of
from tests import factories as make

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def test_the_panel_ranks_tools():
    now = timezone.now()
    make.tool(slug="none", name="A")
    for slug, name, score in (("low", "B", 10), ("b", "Same", 90), ("c", "same", 90)):
        make.take(on=make.tool(slug=slug, name=name), score=score)
    assert [tool.slug for tool in judged_tools().ranked(now)] == ["b", "c", "low", "none"]


def test_a_take_to_come_ranks_nothing_yet():
    now = timezone.now()
    first, second = make.tool(slug="first", name="A"), make.tool(slug="second", name="B")
    make.take(on=first, score=50)
    make.take(on=second, score=90, published_at=now + MINUTE)
    assert [tool.slug for tool in judged_tools().ranked(now)] == ["first", "second"]
    assert [tool.slug for tool in judged_tools().ranked(now + MINUTE)] == ["second", "first"]


GRID = [
    *((ship, total) for total in range(1, 9) for ship in range(total + 1)),
    *((ship, 50) for ship in (0, 24, 25, 26, 50)),
    *((ship, 199) for ship in (98, 99, 100, 101)),
    *((ship, 200) for ship in (98, 99, 100, 101)),
]


def test_the_verdict_in_sql_is_the_verdict_of_the_rules():
    """Two hundred reviewers, and a tool for each count of the grid."""
    now = timezone.now()
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
    for verdict in ("ship", "split", "skip"):
        found = {tool.slug for tool in judged_tools().judged(verdict, now)}
        wanted = {f"t-{ship}-of-{n}" for ship, n in GRID if verdict_of(ship, n) == verdict}
        assert found == wanted
    assert [tool.slug for tool in judged_tools().unjudged(now)] == ["t-none"]


def test_takes_that_are_not_public_judge_nothing():
    now = timezone.now()
    tool = make.tool()
    make.take(on=tool, verdict="ship", published_at=None)
    make.take(on=tool, verdict="ship", published_at=now + MINUTE)
    make.take(on=tool, verdict="ship", by=make.reviewer(published_at=None))
    assert judged_tools().unjudged(now).get() == tool
    assert not judged_tools().judged("ship", now)
    make.take(on=tool, verdict="skip")
    assert judged_tools().judged("skip", now).get() == tool
    assert not judged_tools().unjudged(now)
