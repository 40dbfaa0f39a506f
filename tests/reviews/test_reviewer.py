"""One reviewer's page."""

from datetime import timedelta

import pytest
from django.utils import timezone

from shipskip.web.paging import PAGE_SIZE
from tests import factories as make
from tests.markup import Document, read

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def figures(page: Document) -> list[str]:
    """The reviewer's figures: takes, ship rate, mean score."""
    return page.texts("dd")


def tools_of_takes(page: Document) -> list[str]:
    """The tools of the takes shown, in order."""
    takes = page.of_class("take-row")
    return [h3.text for h3 in page.all("h3") if any(take in h3.inside for take in takes)]


def test_the_page_shows_the_point_of_view_and_the_record(client):
    builder = make.reviewer(
        slug="builder",
        name="Builder",
        motto="Ship it.",
        bio="Builds *things*.",
        likes=["clear <errors>"],
        dislikes=["lock-in"],
    )
    make.take(by=builder, on=make.tool(name="Alpha", tagline="Quick"), score=84, body="**Good**")
    make.take(by=builder, score=41, verdict="skip", published_at=make.PUBLISHED - MINUTE)
    page = read(client.get("/reviewers/builder/"))
    assert page.heading == "Builder"
    assert page.title == "Builder on the panel — Ship or Skip"
    for words in ("Ship it.", "Builds things.", "clear <errors>", "lock-in"):
        assert words in page.text
    assert figures(page) == ["2", "50%", "62.5 of 100"]
    assert page.of_class("take-row")[0].text == "Alpha Quick 84/100 · ship 1 May 2026 Good"


def test_a_reviewer_without_takes_has_no_rate(client):
    make.reviewer(slug="builder")
    page = read(client.get("/reviewers/builder/"))
    assert figures(page) == ["0", "—", "—"]
    assert "No takes yet." in page.text


def test_the_newest_takes_come_first(client):
    builder = make.reviewer(slug="builder")
    now = timezone.now()
    for name, age in (("Middle", 2), ("Oldest", 3), ("Newest", 1)):
        make.take(by=builder, on=make.tool(name=name), published_at=now - age * MINUTE)
    assert tools_of_takes(read(client.get("/reviewers/builder/"))) == ["Newest", "Middle", "Oldest"]


def test_a_category_narrows_takes_and_record(client):
    builder = make.reviewer(slug="builder", name="Builder")
    agents = make.category(slug="agents", name="Agents")
    make.take(by=builder, on=make.tool(name="In", in_category=agents), score=90)
    make.take(by=builder, on=make.tool(name="Out"), score=10, verdict="skip")
    page = read(client.get("/reviewers/builder/?category=agents"))
    assert tools_of_takes(page) == ["In"]
    assert figures(page) == ["1", "100%", "90.0 of 100"]
    assert page.title == "Builder on the panel: Agents — Ship or Skip"
    assert page.one("meta", name="robots").attributes["content"] == "noindex, follow"


def test_a_category_without_takes_offers_all_of_them(client):
    make.reviewer(slug="builder")
    make.category(slug="agents", name="Agents")
    page = read(client.get("/reviewers/builder/?category=agents"))
    assert "No takes in Agents." in page.text


@pytest.mark.parametrize(
    ("query", "notice"),
    [
        ("?category=unknown", "There is no category “unknown” here; it was left out."),
        ("?category=hidden", "There is no category “hidden” here; it was left out."),
        ("?category=%00", "There is no category “�” here; it was left out."),
        ("?category[]=agents", "“category[]” is not a filter of this page; it was left out."),
        ("?page=-1", "There is no page “-1”; this is the first."),
        ("?page=500", "There is no page 500; this is the first."),
    ],
)
def test_a_filter_that_makes_no_sense_is_ignored_and_the_page_says_so(client, query, notice):
    make.category(slug="hidden", published_at=None)
    make.take(by=make.reviewer(slug="builder"), on=make.tool(name="Alpha"))
    response = client.get(f"/reviewers/builder/{query}")
    assert response.status_code == 200
    page = read(response)
    assert page.notices == [notice]
    assert tools_of_takes(page) == ["Alpha"]


def test_many_takes_have_pages_and_one_record(client):
    builder = make.reviewer(slug="builder")
    for _ in range(PAGE_SIZE + 1):
        make.take(by=builder)
    page = read(client.get("/reviewers/builder/?page=2"))
    assert len(tools_of_takes(page)) == 1
    assert figures(page)[0] == str(PAGE_SIZE + 1)
    assert "page 2" in page.title


def test_takes_that_readers_cannot_see_are_not_shown(client, clock):
    now = timezone.now()
    builder = make.reviewer(slug="builder")
    make.take(by=builder, on=make.tool(name="Draft", published_at=None))
    make.take(by=builder, on=make.tool(name="Take is a draft"), published_at=None)
    make.take(by=builder, on=make.tool(name="Soon", published_at=now))
    clock(now - MINUTE)
    assert tools_of_takes(read(client.get("/reviewers/builder/"))) == []
    clock(now + MINUTE)
    assert tools_of_takes(read(client.get("/reviewers/builder/"))) == ["Soon"]


@pytest.mark.parametrize("slug", ["unknown", "BUILDER", "draft", "a" * 5000])
def test_an_unknown_reviewer_is_not_found(client, slug):
    make.reviewer(slug="builder")
    make.reviewer(slug="draft", published_at=None)
    response = client.get(f"/reviewers/{slug}/")
    assert response.status_code == 404
    assert "matches the given query" not in response.content.decode()


def test_namesakes_among_the_takes_are_distinguished(client):
    builder = make.reviewer(slug="builder")
    for tagline in ("The first", "The second"):
        make.take(by=builder, on=make.tool(name="Twin", tagline=tagline))
    page = read(client.get("/reviewers/builder/"))
    assert sorted(page.texts("p", class_="take-row__what quiet")) == ["The first", "The second"]
