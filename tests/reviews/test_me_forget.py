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


@pytest.fixture
def tool() -> Tool:
    return factories.tool(slug="a", name="A")


@pytest.fixture
def visitor(tool: Tool) -> Client:
    """A browser that voted on A and saved it."""
    client = Client()
    client.post(vote_url(tool), {"choice": "ship"})
    client.post("/tools/a/bookmark/", {"saved": "yes"})
    return client


def test_the_page_asks_for_confirmation_and_deletes_nothing(visitor: Client):
    before = row_counts()
    page = read(visitor.get("/me/forget/"))
    assert page.heading == "Forget me?"
    assert "The votes themselves stay counted, but anonymous." in page.text
    assert page.one("form", action="/me/forget/").attributes["method"] == "post"
    assert row_counts() == before
    assert "visitor" in visitor.cookies


def test_a_reader_without_data_sees_that_there_is_nothing_to_forget(client: Client):
    page = read(client.get("/me/forget/"))
    assert page.heading == "There is nothing to forget"
    assert page.all("form", action="/me/forget/") == []


def test_forgetting_deletes_bookmarks_link_and_cookie_but_not_the_vote(visitor: Client, tool: Tool):
    visitor_id = Vote.objects.get().visitor
    response = visitor.post("/me/forget/")
    assert (response.status_code, response["Location"]) == (303, "?done=yes")
    for name in ("visitor", "marks"):
        cookie = response.cookies[name]
        assert (cookie.value, cookie["max-age"], cookie["path"]) == ("", 0, "/")
    assert Bookmark.objects.count() == 0
    assert tally(tool) == (1, 0)
    assert Vote.objects.filter(visitor=visitor_id).count() == 0
    assert VoteEvent.objects.filter(visitor=visitor_id).count() == 0
    assert VoteEvent.objects.count() == 1


def test_after_forgetting_the_page_lists_what_is_still_stored(visitor: Client):
    page = read(visitor.post("/me/forget/", follow=True))
    assert page.heading == "Forgotten"
    assert "stay counted, but anonymous" in page.text


def test_votes_and_bookmarks_of_others_stay(visitor: Client, tool: Tool):
    other = Client()
    other.post(vote_url(tool), {"choice": "skip"})
    other.post("/tools/a/bookmark/", {"saved": "yes"})
    visitor.post("/me/forget/")
    assert Bookmark.objects.count() == 1
    assert b'value="skip" aria-pressed="true"' in other.get(vote_url(tool)).content


def test_a_new_vote_of_the_browser_is_that_of_a_new_visitor(visitor: Client, tool: Tool):
    visitor.post("/me/forget/")
    assert b'aria-pressed="true"' not in visitor.get(vote_url(tool)).content
    visitor.post(vote_url(tool), {"choice": "ship"})
    assert tally(tool) == (2, 0)
    first, second = Vote.objects.order_by("pk").values_list("visitor", flat=True)
    assert first is None
    assert second is not None


def test_a_copied_cookie_has_no_effect_afterwards(visitor: Client, tool: Tool):
    old_cookie = visitor.cookies["visitor"].value
    visitor.post("/me/forget/")
    new_browser = Client()
    new_browser.cookies["visitor"] = old_cookie
    page = read(new_browser.get("/me/"))
    assert "No votes." in page.text
    assert "No bookmarks yet." in page.text


def test_forgetting_twice_or_without_data_is_no_error(visitor: Client, client: Client):
    before = row_counts()
    assert client.post("/me/forget/").status_code == 303
    assert row_counts() == before
    visitor.post("/me/forget/")
    before = row_counts()
    set_visitor_cookie(visitor, uuid4())
    assert visitor.post("/me/forget/").status_code == 303
    assert row_counts() == before


def test_another_site_cannot_send_the_form_to_forget_a_browser(visitor: Client):
    strict = Client(enforce_csrf_checks=True)
    strict.cookies["visitor"] = visitor.cookies["visitor"].value
    before = row_counts()
    assert strict.post("/me/forget/").status_code == 403
    assert row_counts() == before


@pytest.mark.parametrize("method", ["put", "delete", "options"])
def test_a_wrong_method_forgets_nothing(visitor: Client, method: str):
    before = row_counts()
    assert getattr(visitor, method)("/me/forget/").status_code == 405
    assert row_counts() == before


def test_the_hash_of_the_network_is_erased_from_a_forgotten_vote_too(
    visitor: Client, tool: Tool, clock
):
    visitor.post("/me/forget/")
    event = VoteEvent.objects.get()
    clock(event.at + timedelta(hours=48))
    call_command("tidy", stdout=StringIO())
    event.refresh_from_db()
    assert (event.network, event.wide_network) == ("", "")
