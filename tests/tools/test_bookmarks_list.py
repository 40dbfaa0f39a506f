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


def test_the_list_is_this_browsers_alone_newest_first(client: Client, tools: list[Tool]):
    a, b, c = tools
    bookmark(Client(), *tools)
    assert names(opened(client)) == []
    bookmark(client, b, c, a)
    page = opened(client)
    assert names(page) == ["A", "C", "B"]
    assert "3 tools, newest first" in page.text
    # Of tools saved at the same time the later row is first.
    who, now = uuid4(), timezone.now()
    set_visitor_cookie(client, who)
    for tool in tools:
        Bookmark.objects.save_tool(tool, who, now)
    assert names(opened(client)) == ["C", "B", "A"]


def send(client: Client, page: Document, saved: str) -> str:
    """Send the page's form for the bookmark of B; where it redirects to."""
    form = page.one("form", action="/tools/b/bookmark/")
    hidden = [each for each in page.all("input", type="hidden") if each.within("form") is form]
    sent = {each.attributes["name"]: each.attributes["value"] for each in hidden}
    response = client.post("/tools/b/bookmark/", sent | {"saved": saved})
    assert response.status_code == 303
    return str(response["Location"])


def test_removing_from_the_list_offers_to_undo_it(client: Client, tools: list[Tool]):
    for kept in (["C", "A"], []):
        bookmark(client, *[tool for tool in tools if tool.name in [*kept, "B"]])
        assert send(client, opened(client), "no") == "/bookmarks/?removed=b"
        page = opened(client, "/bookmarks/?removed=b")
        assert names(page) == kept
        assert page.notices == ["Removed B. Undo"]
        assert send(client, page, "yes") == "/bookmarks/"
        assert sorted(names(opened(client))) == sorted([*kept, "B"])


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


def test_two_or_more_are_ticked_already_and_lead_to_their_comparison(
    client: Client, tools: list[Tool]
):
    bookmark(client, tools[0])
    page = opened(client)
    assert "Compare these" not in page.text
    assert not page.all("input", checked="")
    bookmark(client, *tools)
    page = opened(client)
    assert "Compare these" in page.text
    form = page.one("form", id="compare-these")
    assert (form.attributes["method"], form.attributes["action"]) == ("get", "/bookmarks/")
    boxes = page.all("input", type="checkbox", form="compare-these", name="tools", checked="")
    ticked = [box.attributes["value"] for box in boxes]
    assert ticked == ["c", "b", "a"]
    response = client.get("/bookmarks/", {"compare": "yes", "tools": ticked[:2]}, follow=True)
    assert response.redirect_chain[0][0] == "/compare/?tools=c&tools=b"
    assert response.redirect_chain[-1][0] == "/compare/b-vs-c/"
    assert read(response).heading == "B vs C"
    bookmark(client, *tools[:2])
    assert "Compare these" in opened(client).text


def test_too_few_or_too_many_ticks_are_told_in_place_and_stay(client: Client, tools: list[Tool]):
    bookmark(client, *tools)
    for ticked, notice_text in (
        ([], "at least two"),
        (["b"], "at least two"),
        (["b"] * 11, "At most 10"),
    ):
        page = read(client.get("/bookmarks/", {"compare": "yes", "tools": ticked}))
        assert [notice_text in notice for notice in page.notices] == [True], ticked
        boxes = [box.attributes["value"] for box in page.all("input", checked="")]
        assert boxes == sorted(set(ticked))


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
        client, category = Client(), factories.category()
        bookmark(client, *[factories.tool(in_category=category) for _ in range(count)])
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
