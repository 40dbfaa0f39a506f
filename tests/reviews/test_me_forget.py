"""Forget me: needs a confirmation, deletes what identifies this browser, lists what stays."""

from datetime import timedelta
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client

from reviews.models import Vote, VoteEvent
from tests import factories
from tests.markup import read
from tests.reviews.voters import row_counts, set_visitor_cookie, tally, vote_url
from tools.models import Bookmark, Tool

pytestmark = pytest.mark.django_db

FORGET = "/me/forget/"


@pytest.fixture
def tool() -> Tool:
    return factories.tool(slug="a", name="A")


@pytest.fixture
def visitor(tool: Tool) -> Client:
    """A browser that voted on A and saved it."""
    return act(Client(), tool, "ship")


def act(client: Client, tool: Tool, choice: str) -> Client:
    client.post(vote_url(tool), {"choice": choice})
    client.post("/tools/a/bookmark/", {"saved": "yes"})
    return client


def test_only_the_button_of_our_own_page_forgets(visitor: Client, snapshot):
    before = row_counts()
    page = read(visitor.get(FORGET))
    assert page.visible_text == snapshot
    assert page.one("form", action=FORGET).attributes["method"] == "post"
    strict = Client(enforce_csrf_checks=True)
    strict.cookies["visitor"] = visitor.cookies["visitor"].value
    assert strict.post(FORGET).status_code == 403
    for method in (visitor.put, visitor.delete, visitor.options):
        assert method(FORGET).status_code == 405
    assert row_counts() == before
    assert "visitor" in visitor.cookies


def test_a_reader_without_data_sees_that_there_is_nothing_to_forget(client: Client):
    page = read(client.get(FORGET))
    assert page.heading == "There is nothing to forget"
    assert page.all("form", action=FORGET) == []


def test_forgetting_deletes_bookmarks_link_and_cookie_but_not_the_vote_nor_those_of_others(
    visitor: Client, tool: Tool
):
    other = act(Client(), tool, "skip")
    visitor_id = Vote.objects.earliest("pk").visitor
    response = visitor.post(FORGET)
    assert (response.status_code, response["Location"]) == (303, "?done=yes")
    for name in ("visitor", "marks"):
        cookie = response.cookies[name]
        assert (cookie.value, cookie["max-age"], cookie["path"]) == ("", 0, "/")
    page = read(visitor.get(f"{FORGET}?done=yes"))
    assert page.heading == "Forgotten"
    assert "stay counted, but anonymous" in page.text
    assert tally(tool) == (1, 1)
    for model in (Vote, VoteEvent):
        visitors = list(model.objects.order_by("pk").values_list("visitor", flat=True))
        assert visitors[0] is None
        assert visitors[1] not in (None, visitor_id)
    assert Bookmark.objects.count() == 1
    assert b'value="skip" aria-pressed="true"' in other.get(vote_url(tool)).content


def test_a_new_vote_of_the_browser_is_that_of_a_new_visitor_and_a_copied_cookie_is_dead(
    visitor: Client, tool: Tool
):
    copied = Client()
    copied.cookies["visitor"] = visitor.cookies["visitor"].value
    visitor.post(FORGET)
    page = read(copied.get("/me/"))
    assert "No votes." in page.text
    assert "No bookmarks yet." in page.text
    assert b'aria-pressed="true"' not in visitor.get(vote_url(tool)).content
    visitor.post(vote_url(tool), {"choice": "ship"})
    assert tally(tool) == (2, 0)
    first, second = Vote.objects.order_by("pk").values_list("visitor", flat=True)
    assert first is None
    assert second is not None


def test_forgetting_twice_or_without_data_is_no_error(visitor: Client, client: Client):
    visitor.post(FORGET)
    before = row_counts()
    set_visitor_cookie(visitor, uuid4())
    for browser in (client, visitor):
        assert browser.post(FORGET).status_code == 303
    assert row_counts() == before


def test_the_hash_of_the_network_is_erased_from_a_forgotten_vote_too(visitor: Client, clock):
    visitor.post(FORGET)
    event = VoteEvent.objects.get()
    clock(event.at + timedelta(hours=48))
    call_command("tidy", stdout=StringIO())
    event.refresh_from_db()
    assert (event.network, event.wide_network) == ("", "")
