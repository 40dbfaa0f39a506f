"""Saving and removing a bookmark: the page, the fragment, and what is refused."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from tests import factories
from tests.markup import read
from tests.reviews.voters import (
    database_error,
    row_counts,
    set_visitor_cookie,
    unreachable_database,
)
from tools.models import MAX_BOOKMARKS, Bookmark, Tool

pytestmark = pytest.mark.django_db

URL = "/tools/a/bookmark/"
IN_PLACE = f"{URL}in-place/"
PLACES = pytest.mark.parametrize("url", [URL, IN_PLACE], ids=["page", "fragment"])
DONE = URL + "?done={}&next=%2Ftools%2Fa%2F"
FULL = "Your list is full at 200 tools. Remove one first."


@pytest.fixture
def tool() -> Tool:
    return factories.tool(slug="a", name="A")


def save(client: Client, saved: str = "yes", url: str = URL) -> Any:
    return client.post(url, {"saved": saved})


def fill(client: Client, count: int) -> None:
    """Give a browser `count` bookmarks."""
    who, now = uuid4(), timezone.now()
    set_visitor_cookie(client, who)
    category = factories.category()
    tools = [factories.tool(in_category=category) for _ in range(count)]
    Bookmark.objects.bulk_create(
        Bookmark(visitor=who, tool=one, saved_at=now + timedelta(seconds=place))
        for place, one in enumerate(tools)
    )


def test_a_bookmark_can_be_saved_and_removed_repeatedly(client: Client, tool: Tool):
    before: list[Bookmark] = []
    for saved, count in (("yes", 1), ("yes", 1), ("no", 0), ("no", 0), ("yes", 1)):
        response = save(client, saved)
        assert (response.status_code, response["Location"]) == (303, DONE.format(saved))
        rows = list(Bookmark.objects.filter(tool=tool))
        assert len(rows) == count
        if rows and before:  # saving again does not move it in the list
            assert (rows[0].pk, rows[0].saved_at) == (before[0].pk, before[0].saved_at)
        before = rows


def test_the_database_itself_refuses_a_second_row(tool: Tool):
    who, now = uuid4(), timezone.now()
    Bookmark.objects.save_tool(tool, who, now)
    with pytest.raises(IntegrityError), transaction.atomic():
        Bookmark.objects.create(tool=tool, visitor=who, saved_at=now)


def test_the_page_offers_what_can_be_done(client: Client, tool: Tool):
    page = read(client.get(URL))
    assert page.heading == "Save for later"
    assert page.one("button", name="saved").attributes["value"] == "yes"
    save(client)
    page = read(client.get(URL))
    assert page.heading == "Saved"
    assert page.one("button", name="saved").attributes["value"] == "no"
    assert page.one("button", name="saved").text == "Saved A"


def test_reading_writes_nothing_and_is_private_and_wrong_methods_are_refused(
    client: Client, tool: Tool
):
    before = row_counts()
    response = client.get(f"{URL}?saved=yes&done=yes")
    assert response["Cache-Control"] == "private, no-store"
    assert not response.cookies
    assert client.get(IN_PLACE).status_code == 405
    for method in ("put", "patch", "delete", "options"):
        response = getattr(client, method)(URL)
        assert (response.status_code, response["Allow"]) == (405, "GET, HEAD, POST"), method
    assert row_counts() == before


def test_junk_is_answered_400_with_the_form_and_a_sentence(client: Client, tool: Tool):
    before = row_counts()
    cases: list[dict[str, str]] = [{}, {"saved": ""}, {"saved": "maybe"}, {"saved": "YES"}]
    for sent in cases:
        page, sentence = client.post(URL, sent), client.post(IN_PLACE, sent)
        assert page.status_code == sentence.status_code == 400, sent
        assert "Choose to save the tool or to remove it." in read(page).text
        assert read(page).one("form", id="bookmark-a")
        assert sentence.content == b"Choose to save the tool or to remove it."
        assert not page.cookies | sentence.cookies
    assert row_counts() == before


@PLACES
def test_another_sites_post_is_refused(tool: Tool, url: str):
    response = Client().post(url, {"saved": "yes"}, headers={"sec-fetch-site": "cross-site"})
    assert response.status_code == 403
    assert Bookmark.objects.count() == 0


def test_a_browser_without_cookies_sees_that_nothing_is_remembered(client: Client, tool: Tool):
    address = client.post(URL, {"saved": "yes", "next": "/compare/a-vs-b/"})["Location"]
    page = read(client.get(address))
    assert page.notices == ["Saved A.", "Back to where you were"]
    assert "/compare/a-vs-b/#bookmark-a" in page.links
    page = read(Client().get(address))
    assert page.notices[0].startswith("This browser stores no cookies of this site")
    elsewhere = client.get(address, headers={"sec-fetch-site": "cross-site"})
    assert read(elsewhere).notices == []


def test_the_link_back_leads_to_the_page_of_this_site_the_reader_came_from(
    client: Client, tool: Tool
):
    for where, back in (
        ("/compare/a-vs-b/", f"{URL}?done=yes&next=%2Fcompare%2Fa-vs-b%2F"),
        ("/bookmarks/?removed=a", "/bookmarks/?removed=a"),
        ("//evil.example/", DONE.format("yes")),
        ("https://evil.example/", DONE.format("yes")),
        ("http://testserver//evil.example/", DONE.format("yes")),
        ("http://testserver:81/", DONE.format("yes")),
        ("javascript:alert(1)", DONE.format("yes")),
    ):
        assert client.post(URL, {"saved": "yes", "next": where})["Location"] == back, where


def test_the_fragment_is_the_drawer_and_the_announcement(client: Client, tool: Tool):
    for saved, listed, drawer, message in (
        ("yes", ["a"], "Bookmarks 1", "Saved A."),
        ("no", [], "Bookmarks", "Removed A."),
    ):
        response = save(client, saved, IN_PLACE)
        top = [element for element in read(response).elements if len(element.inside) == 1]
        assert [e.attributes["id"] for e in top[-2:]] == ["drawer", "announce"]
        assert [e.attributes.get("data-hx-swap-oob") for e in top[-2:]] == ["true", "innerHTML"]
        assert top[-2].attributes["data-saved"].split() == listed
        assert top[-2].text.startswith(drawer)
        assert top[-1].text.startswith(message)
        assert response["Cache-Control"] == "private, no-store"


@PLACES
def test_a_draft_or_unknown_tool_cannot_be_saved(client: Client, tool: Tool, url: str):
    Tool.objects.update(published_at=None)
    assert save(client, url=url).status_code == 404
    assert client.post("/tools/zzz/bookmark/", {"saved": "yes"}).status_code == 404
    assert Bookmark.objects.count() == 0


def test_the_two_hundredth_is_saved_and_the_next_is_refused_with_a_sentence(
    client: Client, tool: Tool
):
    fill(client, MAX_BOOKMARKS - 1)
    assert save(client).status_code == 303
    assert Bookmark.objects.count() == 200
    one_more = factories.tool(slug="z", name="Z")
    url = f"/tools/{one_more.slug}/bookmark/"
    for place in ("", "in-place/"):
        response = client.post(f"{url}{place}", {"saved": "yes"})
        assert response.status_code == 409
        assert FULL in response.content.decode()
    assert Bookmark.objects.count() == 200
    assert save(client).status_code == 303  # what is on the list can still be saved again
    assert save(client, "no").status_code == 303
    assert client.post(url, {"saved": "yes"}).status_code == 303
    assert Bookmark.objects.count() == 200


@pytest.mark.parametrize("saved", ["yes", "no"])
def test_without_the_database_the_form_still_shows_the_choice(
    client: Client, tool: Tool, saved: str
):
    sent = {"saved": saved, "next": "/compare/a-vs-b/"}
    with unreachable_database():
        response, sentence = client.post(URL, sent), client.post(IN_PLACE, sent)
    page = read(response)
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert "Your list could not be changed. Try again in a moment." in page.text
    assert page.one("button", name="saved").attributes["value"] == saved
    assert page.one("input", name="next").attributes["value"] == "/compare/a-vs-b/"
    assert (sentence.status_code, sentence["Retry-After"]) == (503, "5")
    assert sentence.content == b"Your list could not be changed. Try again in a moment."
    assert not response.cookies | sentence.cookies


def test_a_full_disk_is_reported_and_leaves_the_list_as_it_was(client: Client, tool: Tool):
    before = row_counts()
    with database_error("database or disk is full", only="INSERT"):
        assert save(client).status_code == 503
    assert row_counts() == before


def test_without_a_visitor_there_are_no_bookmarks(tool: Tool):
    Bookmark.objects.save_tool(tool, uuid4(), timezone.now())
    assert list(Bookmark.objects.of(None)) == []
