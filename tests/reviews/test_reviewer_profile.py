"""What one reviewer's takes say together."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.models import Reviewer
from reviews.reviewer_profile import agreements, by_category, score_bars, stats_of
from tests import factories as make
from tests.markup import read
from tools.models import Category

COUNTS = {(1, 100, "ship"): 1, (1, 95, "ship"): 1, (2, 72, "ship"): 3, (2, 72, "skip"): 1}


def test_figures_are_those_of_all_takes_or_of_one_category():
    two = Category(pk=2)
    assert (stats_of(COUNTS).total, stats_of(COUNTS).ship_rate) == (6, 83)
    assert str(stats_of(COUNTS, two).mean) == "72.0"
    rows = by_category(COUNTS, [Category(pk=1), two, Category(pk=3)])
    assert [(row.pk, stats.ship, stats.total) for row, stats in rows] == [(2, 3, 4), (1, 2, 2)]


def test_scores_stand_in_columns_of_five_points_and_the_last_has_100():
    bars = [(bar.low, bar.high, bar.verdict, bar.number, bar.height) for bar in score_bars(COUNTS)]
    assert bars == [
        (70, 74, "ship", 3, 100.0),
        (70, 74, "skip", 1, 33.3),
        (95, 100, "ship", 2, 66.7),
    ]
    assert score_bars({}) == []


def test_the_reviewer_who_agrees_most_comes_first_and_few_shared_takes_do_not_count():
    panel = [Reviewer(pk=pk, name=str(pk)) for pk in range(1, 5)]
    shared = {1: (6, 3), 2: (8, 6), 3: (4, 4), 4: (16, 12)}
    rows = agreements(panel, shared)
    assert [(row.reviewer.pk, row.share) for row in rows] == [(4, 75), (2, 75), (1, 50)]


@pytest.mark.django_db
def test_the_page_shows_categories_and_agreement_of_public_takes_alone(client):
    builder, skeptic = make.reviewer(slug="builder"), make.reviewer(name="Skeptic")
    agents = make.category(slug="agents", name="Agents")
    for at in range(6):
        tool = make.tool(in_category=agents)
        make.take(on=tool, by=builder, score=60 + at)
        make.take(on=tool, by=skeptic, verdict="ship" if at < 4 else "skip")
        make.take(on=tool, by=make.reviewer())
    hidden = make.tool(in_category=agents)
    make.take(on=hidden, by=builder, published_at=None)
    make.take(on=hidden, by=skeptic)
    soon = make.tool(in_category=agents, published_at=timezone.now() + timedelta(days=1))
    make.take(on=soon, by=builder)
    make.take(on=soon, by=skeptic)
    page = read(client.get("/reviewers/builder/"))
    rows = [row.text for row in page.all("tr")]
    assert "Agents 6 of 6 62.5" in rows
    assert [row for row in rows if row.startswith("Skeptic")] == ["Skeptic 4 of 6 67%"]
    assert {"60 to 64 ship 5", "65 to 69 ship 1"} <= set(rows)
    assert "Agrees most with" not in read(client.get("/reviewers/builder/?category=agents")).text
