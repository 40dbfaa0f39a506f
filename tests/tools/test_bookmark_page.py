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
    HTMX,
    become,
    database_fault,
    row_counts,
    unreachable_database,
)
from tools.models import MAX_BOOKMARKS, Bookmark, Tool

pytestmark = pytest.mark.django_db

URL = "/tools/a/bookmark/"
FULL = "Your list is full at 200 tools. Remove one first."


@pytest.fixture
def tool() -> Tool:
    return factories.tool(slug="a", name="A")


def save(client: Client, saved: str = "yes", **headers: str) -> Any:
    return client.post(URL, {"saved": saved}, headers=headers)


def fill(client: Client, count: int) -> None:
    """Give a browser `count` bookmarks."""
    who, now = uuid4(), timezone.now()
    become(client, who)
    category = factories.category()
    tools = [factories.tool(in_category=category) for _ in range(count)]
    Bookmark.objects.bulk_create(
        Bookmark(visitor=who, tool=one, saved_at=now + timedelta(seconds=place))
        for place, one in enumerate(tools)
    )


def test_saving_and_removing_and_each_again(client: Client, tool: Tool):
    for saved, count in (("yes", 1), ("yes", 1), ("no", 0), ("no", 0), ("yes", 1)):
        response = save(client, saved)
        assert (response.status_code, response["Location"]) == (303, "/tools/a/#bookmarks")
        assert Bookmark.objects.filter(tool=tool).count() == count


def test_saving_again_does_not_move_it_in_the_list(client: Client, tool: Tool):
    save(client)
    before = Bookmark.objects.get()
    save(client)
    assert Bookmark.objects.get() == before
    assert Bookmark.objects.get().saved_at == before.saved_at


def test_the_database_itself_refuses_a_second_row(tool: Tool):
    who, now = uuid4(), timezone.now()
    Bookmark.objects.save_tool(tool, who, now)
    with pytest.raises(IntegrityError), transaction.atomic():
        Bookmark.objects.create(tool=tool, visitor=who, saved_at=now)


def test_the_page_offers_what_can_be_done(client: Client, tool: Tool):
    page = read(client.get(URL))
    assert (page.heading, page.one("button", name="saved").text) == ("Save for later", "Save A")
    assert page.one("button", name="saved").attributes["value"] == "yes"
    save(client)
    page = read(client.get(URL))
    assert (page.heading, page.one("button", name="saved").text) == ("Saved", "Saved: remove A")
    assert page.one("button", name="saved").attributes["value"] == "no"


def test_reading_writes_nothing_and_is_private(client: Client, tool: Tool):
    before = row_counts()
    for headers in ({}, HTMX):
        response = client.get(f"{URL}?saved=yes", headers=headers)
        assert response["Cache-Control"] == "private, no-store"
        assert set(response.cookies) <= {"csrftoken"}
    assert row_counts() == before


@pytest.mark.parametrize("method", ["put", "patch", "delete", "options"])
def test_a_wrong_method_is_refused(client: Client, tool: Tool, method: str):
    response = getattr(client, method)(URL)
    assert (response.status_code, response["Allow"]) == (405, "GET, HEAD, POST")


@pytest.mark.parametrize("sent", [{}, {"saved": ""}, {"saved": "maybe"}, {"saved": "YES"}])
def test_junk_is_answered_400_with_the_form_and_a_sentence(
    client: Client, tool: Tool, sent: dict[str, str]
):
    before = row_counts()
    for headers in ({}, HTMX):
        response = client.post(URL, sent, headers=headers)
        assert response.status_code == 400
        assert "Choose to save the tool or to remove it." in read(response).text
        assert read(response).one("form", id="bookmark-a")
        assert "visitor" not in response.cookies
    assert row_counts() == before


def test_another_sites_post_is_refused(tool: Tool):
    strict = Client(enforce_csrf_checks=True)
    assert save(strict).status_code == 403
    assert save(strict, **HTMX).status_code == 403
    token = read(strict.get(URL)).one("input", name="csrfmiddlewaretoken").attributes["value"]
    sent = {"saved": "yes", "csrfmiddlewaretoken": token}
    assert strict.post(URL, sent, HTTP_ORIGIN="https://evil.example").status_code == 403
    assert Bookmark.objects.count() == 0
    assert strict.post(URL, sent).status_code == 303


@pytest.mark.parametrize(
    ("where", "back"),
    [
        ("/compare/a-vs-b/", "/compare/a-vs-b/"),
        ("/bookmarks/?removed=a", "/bookmarks/?removed=a"),
        ("//evil.example/", "/tools/a/#bookmarks"),
        ("https://evil.example/", "/tools/a/#bookmarks"),
        ("http://testserver//evil.example/", "/tools/a/#bookmarks"),
        ("http://testserver:81/", "/tools/a/#bookmarks"),
        ("javascript:alert(1)", "/tools/a/#bookmarks"),
    ],
)
def test_the_way_back_is_the_page_of_this_site_the_reader_came_from(
    client: Client, tool: Tool, where: str, back: str
):
    assert client.post(URL, {"saved": "yes", "next": where})["Location"] == back


def test_the_fragment_is_the_form_the_drawer_and_the_announcement(client: Client, tool: Tool):
    for saved, text, count, message in (
        ("yes", "Saved: remove A", "1", "Saved A."),
        ("no", "Save A", "0", "Removed A."),
    ):
        response = save(client, saved, **HTMX)
        top = [element for element in read(response).elements if len(element.inside) == 1]
        assert [e.attributes["id"] for e in top] == ["bookmark-a", "drawer", "announce"]
        assert [e.attributes.get("hx-swap-oob") for e in top] == [None, "true", "innerHTML"]
        assert top[0].text.startswith(text)
        assert top[1].text.startswith(f"Bookmarks {count}")
        assert top[2].text == message
        assert response["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "fragment"])
def test_a_draft_or_unknown_tool_cannot_be_saved(
    client: Client, tool: Tool, headers: dict[str, str]
):
    Tool.objects.update(published_at=None)
    assert save(client, **headers).status_code == 404
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
    for headers in ({}, HTMX):
        response = client.post(url, {"saved": "yes"}, headers=headers)
        assert response.status_code == 409
        assert FULL in read(response).text
        assert read(response).one("button", name="saved").text == "Save Z"
    assert Bookmark.objects.count() == 200
    assert save(client).status_code == 303  # what is on the list can still be saved again
    assert save(client, "no").status_code == 303
    assert client.post(url, {"saved": "yes"}).status_code == 303
    assert Bookmark.objects.count() == 200


@pytest.mark.parametrize(
    ("saved", "offer"), [("yes", ("yes", "Save a")), ("no", ("no", "Saved: remove a"))]
)
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "fragment"])
def test_with_the_database_away_the_form_still_offers_what_was_chosen(
    client: Client, tool: Tool, saved: str, offer: tuple[str, str], headers: dict[str, str]
):
    with unreachable_database():
        sent = {"saved": saved, "next": "/compare/a-vs-b/"}
        response = client.post(URL, sent, headers=headers)
    page = read(response)
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert "Your list could not be changed. Try again in a moment." in page.text
    button = page.one("button", name="saved")
    assert (button.attributes["value"], button.text) == offer
    assert page.one("input", name="next").attributes["value"] == "/compare/a-vs-b/"
    assert "visitor" not in response.cookies


def test_a_full_disk_is_reported_and_leaves_the_list_as_it_was(client: Client, tool: Tool):
    before = row_counts()
    with database_fault("database or disk is full", only="INSERT"):
        assert save(client).status_code == 503
    assert row_counts() == before


def test_without_a_visitor_there_are_no_bookmarks(tool: Tool):
    Bookmark.objects.save_tool(tool, uuid4(), timezone.now())
    assert list(Bookmark.objects.of(None)) == []
