"""The panel, one reviewer's page, and what their takes say together."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.models import Reviewer
from reviews.reviewer_profile import agreements, by_category, score_bars, stats_of
from reviews.score_strip import ScoreBar
from shipskip.web.paging import PAGE_SIZE
from tests import factories as make
from tests.markup import Document, read
from tools.models import Category

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
COUNTS = {(1, 100, "ship"): 1, (1, 95, "ship"): 1, (2, 72, "ship"): 3, (2, 72, "skip"): 1}


def tools_of_takes(page: Document) -> list[str]:
    takes = page.of_class("take-row")
    return [h3.text for h3 in page.all("h3") if any(take in h3.inside for take in takes)]


def test_the_panel_lists_public_reviewers_in_order_with_the_record_of_public_takes(client, clock):
    def rows() -> list[str]:
        """The text for each reviewer after their portrait, a letter, in order."""
        page = read(client.get("/reviewers/"))
        return [row.text.partition(" ")[2] for row in page.of_class("reviewers__row")]

    assert "No reviewers yet." in read(client.get("/reviewers/")).text
    now = timezone.now()
    second = make.reviewer(name="Second", position=2, motto="Prove it.")
    first = make.reviewer(name="First", position=1)
    for score, verdict in ((90, "ship"), (80, "ship"), (10, "skip")):
        make.take(by=first, score=score, verdict=verdict)
    make.take(by=second, published_at=None)
    make.take(by=second, on=make.tool(in_category=make.category(published_at=None)))
    make.reviewer(name="Soon", position=3, published_at=now)
    make.reviewer(name="Draft", published_at=None)
    known = ["First ships 67% of 3 · mean score 60.0", "Second Prove it. No takes yet"]
    clock(now - MINUTE)
    assert rows() == known
    clock(now + MINUTE)
    assert rows() == [*known, "Soon No takes yet"]


def test_the_page_shows_the_point_of_view_and_the_record(client, snapshot):
    builder = make.reviewer(
        slug="builder",
        name="Builder",
        motto="Ship it.",
        bio="Builds *things*.",
        likes=["clear <errors>"],
        dislikes=["lock-in"],
    )
    page = read(client.get("/reviewers/builder/"))
    assert page.texts("dd") == ["0", "—", "—"]
    assert "No takes yet." in page.text
    make.take(by=builder, on=make.tool(name="Alpha", tagline="Quick"), score=84, body="**Good**")
    for tagline, age in (("The second", 2), ("The first", 1)):
        tool = make.tool(name="Twin", tagline=tagline)
        published_at = make.PUBLISHED - age * MINUTE
        make.take(by=builder, on=tool, score=41, verdict="skip", published_at=published_at)
    page = read(client.get("/reviewers/builder/"))
    assert page.title == "Builder on the panel — Ship or Skip"
    assert tools_of_takes(page) == ["Alpha", "Twin", "Twin"]
    assert page.visible_text.partition("The weekly verdicts\n")[0] == snapshot


def test_a_category_narrows_takes_and_record_and_what_makes_no_sense_is_ignored(client):
    builder = make.reviewer(slug="builder", name="Builder")
    agents = make.category(slug="agents", name="Agents")
    make.category(slug="hidden", published_at=None)
    empty = read(client.get("/reviewers/builder/?category=agents"))
    assert "No takes in Agents." in empty.text
    make.take(by=builder, on=make.tool(name="In", in_category=agents), score=90)
    make.take(by=builder, on=make.tool(name="Out"), score=10, verdict="skip")
    page = read(client.get("/reviewers/builder/?category=agents"))
    assert tools_of_takes(page) == ["In"]
    assert page.texts("dd") == ["1", "100%", "90.0 of 100"]
    assert page.title == "Builder on the panel: Agents — Ship or Skip"
    assert page.one("meta", name="robots").attributes["content"] == "noindex, follow"
    for query in ("category=hidden", "page=500"):
        page = read(client.get(f"/reviewers/builder/?{query}"))
        assert len(page.notices) == 1, query
        assert tools_of_takes(page) == ["Out", "In"]


def test_only_takes_that_readers_can_see_are_shown_on_pages_with_one_record(client, clock):
    now = timezone.now()
    builder = make.reviewer(slug="builder")
    make.take(by=builder, on=make.tool(published_at=None))
    make.take(by=builder, published_at=None)
    make.take(by=builder, on=make.tool(name="Soon", published_at=now))
    for moment, tools in ((now - MINUTE, []), (now + MINUTE, ["Soon"])):
        clock(moment)
        assert tools_of_takes(read(client.get("/reviewers/builder/"))) == tools
    for _ in range(PAGE_SIZE):
        make.take(by=builder)
    page = read(client.get("/reviewers/builder/?page=2"))
    assert len(tools_of_takes(page)) == 1
    assert page.texts("dd")[0] == str(PAGE_SIZE + 1)
    assert "page 2" in page.title
    make.reviewer(slug="draft", published_at=None)
    for slug in ("unknown", "draft"):
        assert client.get(f"/reviewers/{slug}/").status_code == 404, slug


def test_figures_are_those_of_all_takes_or_of_one_category():
    two = Category(pk=2)
    assert (stats_of(COUNTS).total, stats_of(COUNTS).ship_rate) == (6, 83)
    assert str(stats_of(COUNTS, two).mean) == "72.0"
    rows = by_category(COUNTS, [Category(pk=1), two, Category(pk=3)])
    assert [(row.pk, stats.ship, stats.total) for row, stats in rows] == [(2, 3, 4), (1, 2, 2)]


def test_scores_stand_in_columns_of_five_points_and_the_last_has_100():
    assert score_bars(COUNTS) == [
        ScoreBar(70, 74, "ship", 3, 3 / 3),
        ScoreBar(70, 74, "skip", 1, 1 / 3),
        ScoreBar(95, 100, "ship", 2, 2 / 3),
    ]
    assert score_bars({}) == []


def test_the_reviewer_who_agrees_most_comes_first_and_few_shared_takes_do_not_count():
    panel = [Reviewer(pk=pk, name=str(pk)) for pk in range(1, 5)]
    shared = {1: (6, 3), 2: (8, 6), 3: (4, 4), 4: (16, 12)}
    rows = agreements(panel, shared)
    assert [(row.reviewer.pk, row.share) for row in rows] == [(4, 75), (2, 75), (1, 50)]


def test_the_page_shows_categories_and_agreement_of_public_takes_alone(client):
    builder, skeptic = make.reviewer(slug="builder"), make.reviewer(name="Skeptic")
    agents = make.category(slug="agents", name="Agents")
    for at in range(6):
        tool = make.tool(in_category=agents)
        make.take(on=tool, by=builder, score=60 + at)
        make.take(on=tool, by=skeptic, verdict="ship" if at < 4 else "skip")
    hidden = make.tool(in_category=agents, published_at=timezone.now() + timedelta(days=1))
    for by in (builder, skeptic):
        make.take(on=hidden, by=by)
    page = read(client.get("/reviewers/builder/"))
    rows = [row.text for row in page.all("tr")]
    assert "Agents 6 of 6 62.5" in rows
    assert [row for row in rows if row.startswith("Skeptic")] == ["Skeptic 4 of 6 67%"]
    assert {"60 to 64 ship 5", "65 to 69 ship 1"} <= set(rows)
    assert "Agrees most with" not in read(client.get("/reviewers/builder/?category=agents")).text
