"""Tools sorted and filtered by a reader's own weights."""

import random
from datetime import timedelta

import pytest
from django.utils import timezone
from reviews.tool_sets import PublicTools, public_tools
from reviews.weighed_tools import WeighedTools, weighed_tools
from shipskip.page_cache.per_version import Snapshot

from reviews.models import Take
from reviews.scoring import weighted_panel
from tests import factories as make
from tools.models import Tool

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def verdicts(tools: PublicTools, found: WeighedTools) -> dict[int, str]:
    """The verdict on each tool by its primary key."""
    return {
        key: verdict
        for verdict, among in found.by_verdict.items()
        for key in tools.in_order(found.keys, among)
    }


def test_order_and_verdicts_follow_the_rules():
    """A hundred tools with up to six takes, under weights of every kind."""
    now, chance = timezone.now(), random.Random(18)  # noqa: S311
    category, panel = make.category(), [make.reviewer() for _ in range(6)]
    for number in range(100):
        tool = make.tool(name=f"Tool {number:03}", in_category=category)
        for reviewer in chance.sample(panel, chance.randint(0, 6)):
            verdict = chance.choice(["ship", "skip"])
            make.take(on=tool, by=reviewer, score=chance.randint(0, 100), verdict=verdict)
    rows = list(Take.objects.published(now).order_by("tool__name"))
    snapshot = Snapshot(now)
    tools = public_tools(snapshot)
    for chosen in ([3, 0, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2], [0, 0, 0, 0, 0, 0], [0, 1, 2, 3, 0, 1]):
        weights = {row.pk: weight for row, weight in zip(panel, chosen, strict=True) if weight != 1}
        found = weighed_tools(snapshot, tools, weights)
        panels = {
            key: weighted_panel(
                (take, weights.get(take.reviewer_id, 1)) for take in rows if take.tool_id == key
            )
            for key in sorted(tools.keys)
        }
        scores = [panels[key].score for key in found.keys]
        judged = [score for score in scores if score is not None]
        assert scores == sorted(judged, reverse=True) + [None] * (100 - len(judged))
        assert verdicts(tools, found) == {key: row.verdict for key, row in panels.items()}


def test_equal_means_stand_by_name_and_a_take_to_come_does_not_count():
    now = timezone.now()
    one, other = make.reviewer(), make.reviewer()
    for name in ("b", "A", "c"):
        make.take(on=make.tool(slug=f"t-{name.lower()}", name=name), by=one, score=70)
    make.tool(slug="t-none", name="0")
    make.take(on=make.tool(slug="late", name="Late"), by=one, published_at=now + MINUTE)
    snapshot = Snapshot(now)
    tools = public_tools(snapshot)
    slugs = {row.pk: row.slug for row in Tool.objects.all()}
    found = weighed_tools(snapshot, tools, {one.pk: 3, other.pk: 0})
    assert [slugs[key] for key in found.keys] == ["t-a", "t-b", "t-c", "t-none", "late"]
    assert verdicts(tools, found)[found.keys[-1]] == "none"
