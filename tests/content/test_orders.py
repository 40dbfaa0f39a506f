"""Tools sorted by the panel's verdict and score, and by votes."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from reviews.models import ToolTally
from reviews.scoring import PERCENT_FROM, wilson_bounds
from tests import factories as make
from tests.markup import read

pytestmark = pytest.mark.django_db


def test_lists_are_sorted_by_scores_verdicts_votes_and_disagreement(client: Client):
    """The community ranks by the lower bound of its share: nine of nine say less than 30 of 40,
    which say more than ten of twelve. Disagreement is by the shares that readers see: 67 and 60, 67
    and 4; a split disagrees with both. What has no number comes last.
    """
    none = (0, 0)
    for days, (name, panel, votes, score) in enumerate(
        [
            ("few", (3, 0), (9, 0), 70),
            ("many", (2, 1), (30, 10), 90),
            ("some", (2, 1), (10, 2), 10),
            ("against", none, (0, 50), 0),
            ("Same", (2, 1), (6, 4), 60),
            ("same", (2, 1), (1, 24), 60),
            ("split", (1, 1), (10, 0), 50),
            ("B", none, none, 0),
        ]
    ):
        tool = make.tool(name=name)
        for number in range(sum(panel)):
            verdict = "ship" if number < panel[0] else "skip"
            published_at = timezone.now() - timedelta(days=days * 7 % 10)
            make.take(on=tool, verdict=verdict, score=score, published_at=published_at)
        ToolTally.objects.create(tool=tool, ship=votes[0], skip=votes[1])
    for sort, names in (
        ("score", "many few Same same split some against B"),
        ("judged", "few split some same many Same against B"),
        ("community", "split many some Same same against B few"),
        ("disagreement", "same split some many Same against B few"),
    ):
        page = read(client.get(f"/tools/?sort={sort}"))
        assert " ".join(page.texts("p", class_="tool-row__name")) == names, sort


def test_the_stored_lower_bound_is_that_of_the_rules():
    row = ToolTally.objects.create(tool=make.tool())
    for ship, skip in ((0, 0), (9, 0), (10, 0), (0, 10), (7, 13), (1, 9_999), (600_000, 400_000)):
        ToolTally.objects.update(ship=ship, skip=skip)
        row.refresh_from_db()
        low = wilson_bounds(ship, ship + skip)[0] if ship + skip >= PERCENT_FROM else None
        assert row.lower_bound == (None if low is None else pytest.approx(low, abs=1e-12))
