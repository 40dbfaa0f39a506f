"""Bookmarks: saving and removing one on its page and in place, and the list of them."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from tests import factories as make
from tests.markup import Document, read
from tests.reviews.voters import row_counts, set_visitor_cookie, unreachable_database
from tools.models import MAX_BOOKMARKS, Bookmark, Tool

pytestmark = pytest.mark.django_db
URL, LIST = "/tools/a/bookmark/", "/bookmarks/"
IN_PLACE = f"{URL}in-place/"
DONE = URL + "?done={}&next=%2Ftools%2Fa%2F"


@pytest.fixture
def tools() -> list[Tool]:
    return [make.tool(slug=name.lower(), name=name) for name in "ABC"]


def save(client: Client, saved: str = "yes", url: str = URL, **fields: str) -> Any:
    return client.post(url, {"saved": saved, **fields})


def bookmark(client: Client, *tools: Tool, minutes: int = 1) -> None:
    """Make the browser a new visitor with these bookmarks, each so many minutes after the last."""
    who, now = uuid4(), timezone.now()
    set_visitor_cookie(client, who)
    Bookmark.objects.bulk_create(
        Bookmark(visitor=who, tool=tool, saved_at=now + number * timedelta(minutes=minutes))
        for number, tool in enumerate(tools)
    )


def opened(client: Client, path: str = LIST) -> Document:
    return read(client.get(path))


def names(page: Document) -> str:
    """The tools on the list, in its order, as one word."""
    return "".join(page.texts("label", class_="bookmark-list__name"))


def button(page: Document) -> tuple[str, str, str]:
    """The page's heading, its button and what that sends."""
    found = page.one("button", name="saved")
    return page.heading, found.text, found.attributes["value"]


def test_a_bookmark_can_be_saved_and_removed_repeatedly(client, tools):
    assert button(opened(client, URL)) == ("Save for later", "Save A", "yes")
    before: list[Any] = []
    for saved, count in (("yes", 1), ("yes", 1), ("no", 0), ("no", 0), ("yes", 1)):
        response = save(client, saved)
        assert (response.status_code, response["Location"]) == (303, DONE.format(saved))
        rows = list(Bookmark.objects.values_list("pk", "saved_at"))
        assert len(rows) == count
        if rows and before:
            assert rows == before, "saving again does not move it in the list"
        before = rows
    assert button(opened(client, URL)) == ("Saved", "Saved A", "no")
    [row] = Bookmark.objects.all()
    with pytest.raises(IntegrityError), transaction.atomic():
        Bookmark.objects.create(tool=tools[0], visitor=row.visitor, saved_at=row.saved_at)
    assert list(Bookmark.objects.of(None)) == []


def test_what_is_refused_writes_nothing_and_says_why(client, tools):
    """How any form with a choice refuses: tests/reviews/test_vote_page.py."""
    Tool.objects.filter(slug="c").update(published_at=None)
    client.get("/tools/zzz/")  # the search of a 404 page indexes
    before = row_counts()
    page, in_place = read(client.post(URL)), client.post(IN_PLACE)
    assert in_place.status_code == 400
    assert in_place.content.decode() == "Choose to save the tool or to remove it."
    assert in_place.content.decode() in page.text
    assert page.one("form", id="bookmark-a")
    client.get(f"{URL}?saved=yes&done=yes")
    for slug in ("c", "zzz"):
        assert save(client, url=f"/tools/{slug}/bookmark/").status_code == 404
    assert client.post(LIST).status_code == 405
    # A list that cannot be changed leaves the choice in the form.
    with unreachable_database():
        page, in_place = read(save(client, "no")), save(client, "no", IN_PLACE)
    assert in_place.status_code == 503
    assert in_place.content.decode() in page.text
    assert page.one("button", name="saved").attributes["value"] == "no"
    assert row_counts() == before


def test_the_link_back_leads_to_the_page_of_the_site_and_says_if_there_are_no_cookies(
    client, tools
):
    assert save(client, next="/bookmarks/?removed=a")["Location"] == "/bookmarks/?removed=a"
    url = save(client, next="/compare/a-vs-b/")["Location"]
    page = opened(client, url)
    assert page.notices == ["Saved A.", "Back to where you were"]
    assert "/compare/a-vs-b/#bookmark-a" in page.links
    without = opened(Client(), url).notices[0]
    assert without.startswith("This browser stores no cookies of this site")


def test_the_fragment_is_the_drawer_and_the_announcement(client, tools):
    for saved, listed, drawer_text, message in (
        ("yes", ["a"], "Bookmarks 1", "Saved A."),
        ("no", [], "Bookmarks", "Removed A."),
    ):
        page = read(save(client, saved, IN_PLACE))
        drawer, announcement = page.by_id("drawer"), page.by_id("announce")
        swaps = [each.attributes["data-hx-swap-oob"] for each in (drawer, announcement)]
        assert swaps == ["true", "innerHTML"]
        assert drawer.attributes["data-saved"].split() == listed
        assert drawer.text.startswith(drawer_text)
        assert announcement.text.startswith(message)


def test_the_two_hundredth_is_saved_and_the_next_is_refused_and_two_hundred_take_one_query(
    client, django_assert_num_queries
):
    a = make.tool(slug="a")
    make.tool(slug="z")
    others = {"name": "B", "category": a.category, "published_at": make.PUBLISHED}
    rows = [Tool(slug=f"b-{number}", **others) for number in range(MAX_BOOKMARKS - 1)]
    bookmark(client, *Tool.objects.bulk_create(rows))
    assert "The list is full" not in opened(client).text
    assert save(client).status_code == 303
    assert Bookmark.objects.count() == 200
    with django_assert_num_queries(1):
        assert "The list is full" in opened(client).text
    url = "/tools/z/bookmark/"
    response = save(client, url=url)
    assert response.status_code == 409
    assert "Your list is full at 200 tools. Remove one first." in response.content.decode()
    assert save(client).status_code == 303, "what is on the list can still be saved again"
    assert Bookmark.objects.count() == 200
    assert save(client, "no").status_code == save(client, url=url).status_code == 303
    assert Bookmark.objects.filter(tool__slug="z").exists()


def test_the_list_is_this_browsers_alone_newest_first_without_drafts(client, tools):
    a, b, c = tools
    bookmark(Client(), *tools)
    page = opened(client)
    assert "No bookmarks yet." in page.texts("p")
    assert page.all("form", method="get") == []
    bookmark(client, b, c, a)
    page = opened(client)
    assert names(page) == "ACB"
    assert "3 tools, newest first" in page.text
    bookmark(client, a, b, c, minutes=0)
    assert names(opened(client)) == "CBA", "of one moment the later row is first"
    Tool.objects.filter(slug="b").update(published_at=None)
    page = opened(client, f"{LIST}?removed=b")
    assert (names(page), page.notices) == ("CA", [])
    assert "2 tools" in page.text


def test_removing_from_the_list_offers_to_undo_it(client, tools):
    def send(page: Document, saved: str) -> str:
        """Send the page's form for the bookmark of B; where it redirects to."""
        form = page.one("form", action="/tools/b/bookmark/")
        hidden = [e.attributes for e in page.all("input", type="hidden") if form in e.inside]
        sent = {each["name"]: each["value"] for each in hidden}
        return str(client.post("/tools/b/bookmark/", sent | {"saved": saved})["Location"])

    for kept in ("CA", ""):
        bookmark(client, *[tool for tool in tools if tool.name in f"{kept}B"])
        assert send(opened(client), "no") == f"{LIST}?removed=b"
        page = opened(client, f"{LIST}?removed=b")
        assert (names(page), page.notices) == (kept, ["Removed B. Undo"])
        assert send(page, "yes") == LIST
        assert sorted(names(opened(client))) == sorted(f"{kept}B")
    for removed in ("b", "zzz", "A", "a/", "%00"):
        assert opened(client, f"{LIST}?removed={removed}").notices == [], removed


def test_two_or_more_are_ticked_already_and_lead_to_their_comparison(client, tools):
    def ticked(page: Document) -> list[str]:
        return [box.attributes["value"] for box in page.all("input", type="checkbox", checked="")]

    bookmark(client, tools[0])
    page = opened(client)
    assert ("Compare these" in page.text, ticked(page)) == (False, [])
    bookmark(client, *tools)
    page = opened(client)
    assert ("Compare these" in page.text, ticked(page)) == (True, ["c", "b", "a"])
    form = page.one("form", id="compare-these").attributes
    assert (form["method"], form["action"]) == ("get", LIST)
    response = client.get(LIST, {"compare": "yes", "tools": ["c", "b"]}, follow=True)
    urls = [url for url, _ in response.redirect_chain]
    assert (urls[0], urls[-1]) == ("/compare/?tools=c&tools=b", "/compare/b-vs-c/")
    # Too few or too many are told in place, and stay ticked.
    for number, words in ((0, "at least two"), (1, "at least two"), (11, "At most 10")):
        page = read(client.get(LIST, {"compare": "yes", "tools": ["b"] * number}))
        [notice] = page.notices
        assert words in notice, number
        assert ticked(page) == ["b"][:number]
