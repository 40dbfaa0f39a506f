"""The list of bookmarks: newest first, removed with undo, two compared, drafts hidden."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests import factories
from tests.markup import Document, read
from tests.reviews.voters import row_counts, set_visitor_cookie
from tools.models import MAX_BOOKMARKS, Bookmark, Tool

pytestmark = pytest.mark.django_db


@pytest.fixture
def tools() -> list[Tool]:
    """Three tools: A, B and C."""
    return [factories.tool(slug=name.lower(), name=name) for name in "ABC"]


def bookmark(client: Client, *tools: Tool) -> None:
    """Give a browser these bookmarks, each a minute after the one before."""
    who, now = uuid4(), timezone.now()
    set_visitor_cookie(client, who)
    for minute, tool in enumerate(tools):
        Bookmark.objects.save_tool(tool, who, now + timedelta(minutes=minute))


def names(page: Document) -> list[str]:
    """The tools on the list, in its order."""
    return page.texts("label", class_="bookmark-list__name")


def opened(client: Client, path: str = "/bookmarks/") -> Document:
    return read(client.get(path))


def test_an_empty_list_says_so_and_what_to_do(client: Client):
    page = opened(client)
    assert "No bookmarks yet." in page.texts("p")
    assert "/tools/" in page.links
    assert page.all("form", method="get") == []


def test_the_newest_bookmark_is_first(client: Client, tools: list[Tool]):
    a, b, c = tools
    bookmark(client, b, c, a)
    page = opened(client)
    assert names(page) == ["A", "C", "B"]
    assert "3 tools, newest first" in page.text


def test_of_two_tools_saved_at_the_same_time_the_later_row_is_first(
    client: Client, tools: list[Tool]
):
    who, now = uuid4(), timezone.now()
    set_visitor_cookie(client, who)
    for tool in tools:
        Bookmark.objects.save_tool(tool, who, now)
    assert names(opened(client)) == ["C", "B", "A"]


def test_the_list_is_this_browsers_alone(client: Client, tools: list[Tool]):
    bookmark(Client(), *tools)
    assert names(opened(client)) == []
    bookmark(client, tools[0])
    assert names(opened(client)) == ["A"]


def test_removing_from_the_list_offers_to_undo_it(tools: list[Tool]):
    client = Client()
    bookmark(client, *tools)
    page = opened(client)
    removal = page.one("form", action="/tools/b/bookmark/")
    sent = {
        field.attributes["name"]: field.attributes["value"]
        for field in page.all("input", type="hidden")
        if field.within("form") is removal
    }
    response = client.post("/tools/b/bookmark/", sent | {"saved": "no"})
    assert (response.status_code, response["Location"]) == (303, "/bookmarks/?removed=b")
    page = opened(client, "/bookmarks/?removed=b")
    assert names(page) == ["C", "A"]
    assert page.notices == ["Removed B. Undo"]
    undo = page.one("form", action="/tools/b/bookmark/")
    sent = {
        field.attributes["name"]: field.attributes["value"]
        for field in page.all("input", type="hidden")
        if field.within("form") is undo
    }
    response = client.post("/tools/b/bookmark/", sent | {"saved": "yes"})
    assert (response.status_code, response["Location"]) == (303, "/bookmarks/")
    assert set(names(opened(client))) == {"A", "B", "C"}


def test_the_last_one_removed_can_be_brought_back(client: Client, tools: list[Tool]):
    bookmark(client, tools[0])
    client.post("/tools/a/bookmark/", {"saved": "no"})
    page = opened(client, "/bookmarks/?removed=a")
    assert page.notices == ["Removed A. Undo"]
    assert "No bookmarks yet." in page.text


def test_only_the_whole_slug_of_a_tool_that_was_removed_reports_its_removal(
    client: Client, tools: list[Tool]
):
    bookmark(client, tools[0])
    long = factories.tool(slug="l" * 100)
    factories.tool(slug="long")
    for removed in (long.slug, "long"):
        assert opened(client, f"/bookmarks/?removed={removed}").notices, removed
    for removed in (
        *("a", "zzz", "%00", "x" * 500, ""),
        *("lo%00ng", f"{long.slug}x", "Long", "lon", "long&removed="),
    ):
        assert opened(client, f"/bookmarks/?removed={removed}").notices == [], removed


def test_two_chosen_tools_lead_to_their_comparison(client: Client, tools: list[Tool]):
    a, b, c = tools
    bookmark(client, a, b, c)
    page = opened(client)
    form = page.one("form", id="compare-these")
    boxes = page.all("input", type="checkbox", form="compare-these", name="tools")
    chosen = [box.attributes["value"] for box in boxes][:2]
    assert (form.attributes["method"], chosen) == ("get", ["c", "b"])
    sent = {"compare": "yes", "tools": chosen}
    response = client.get(form.attributes["action"], sent, follow=True)
    assert response.redirect_chain[-1][0] == "/compare/b-vs-c/"
    assert read(response).heading == "B vs C"


def test_one_bookmark_alone_is_not_offered_for_comparing(client: Client, tools: list[Tool]):
    bookmark(client, tools[0])
    assert "Compare these" not in opened(client).text
    bookmark(client, *tools[:2])
    assert "Compare these" in opened(client).text


def test_drafts_are_hidden_and_come_back_when_they_are_public_again(
    client: Client, tools: list[Tool]
):
    bookmark(client, *tools)
    Tool.objects.filter(slug="b").update(published_at=None)
    page = opened(client)
    assert names(page) == ["C", "A"]
    assert "2 tools" in page.text
    assert opened(client, "/bookmarks/?removed=b").notices == []
    Tool.objects.filter(slug="b").update(published_at=factories.PUBLISHED)
    assert names(opened(client)) == ["C", "B", "A"]


def test_a_full_list_says_so(client: Client):
    category = factories.category()
    rows = [factories.tool(in_category=category) for _ in range(MAX_BOOKMARKS)]
    bookmark(client)
    who = uuid4()
    set_visitor_cookie(client, who)
    now = timezone.now()
    Bookmark.objects.bulk_create(Bookmark(visitor=who, tool=t, saved_at=now) for t in rows[1:])
    assert "The list is full" not in opened(client).text
    Bookmark.objects.save_tool(rows[0], who, now)
    page = opened(client)
    assert len(names(page)) == 200
    assert "The list is full: 200 tools is the maximum." in page.text


def test_as_many_queries_for_two_bookmarks_as_for_a_hundred():
    counts = {}
    for count in (2, 100):
        client = Client()
        bookmark(client, *[factories.tool() for _ in range(count)])
        with CaptureQueriesContext(connection) as queries:
            assert len(names(opened(client))) == count
        counts[count] = len(queries)
    assert counts == {2: 1, 100: 1}


def test_reading_the_list_writes_nothing_and_makes_no_visitor(client: Client, tools: list[Tool]):
    before = row_counts()
    response = client.get("/bookmarks/?removed=a")
    assert response["Cache-Control"] == "private, no-store"
    assert not response.cookies
    assert row_counts() == before
    assert client.post("/bookmarks/").status_code == 405


def test_two_or_more_are_ticked_already_and_lead_to_their_comparison(
    client: Client, tools: list[Tool]
):
    bookmark(client, tools[0])
    assert not opened(client).all("input", checked="")
    bookmark(client, *tools)
    page = opened(client)
    ticked = [box.attributes["value"] for box in page.all("input", checked="")]
    assert ticked == ["c", "b", "a"]
    assert page.one("form", id="compare-these").attributes["action"] == "/bookmarks/"
    response = client.get("/bookmarks/?compare=yes&tools=c&tools=b")
    assert response["Location"] == "/compare/?tools=c&tools=b"


@pytest.mark.parametrize(
    ("ticked", "notice_text"),
    [([], "at least two"), (["b"], "at least two"), (["b"] * 11, "At most 10")],
)
def test_too_few_or_too_many_ticks_are_told_in_place_and_stay(
    client: Client, tools: list[Tool], ticked: list[str], notice_text: str
):
    bookmark(client, *tools)
    page = read(client.get("/bookmarks/", {"compare": "yes", "tools": ticked}))
    assert [notice_text in notice for notice in page.notices] == [True]
    boxes = [box.attributes["value"] for box in page.all("input", checked="")]
    assert boxes == sorted(set(ticked))
