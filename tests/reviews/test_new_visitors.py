"""The limit of new visitors for each network and hour: votes and bookmarks together, then a 429."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client

from shipskip.limits.models import ActCount
from tests import factories
from tests.markup import read
from tests.reviews.voters import NOON, row_counts, set_visitor_cookie, vote_url
from tools.models import Bookmark, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

SENTENCE = (
    "Nothing was changed. Your network has used up its 2 new browsers of an hour, which everybody"
    " on it shares. Try again in 45 minutes."
)


@pytest.fixture
def tool(settings, clock) -> Tool:
    settings.NEW_VISITORS_PER_NETWORK_PER_HOUR = 2
    clock(NOON + timedelta(minutes=15, seconds=30))
    return factories.tool(slug="a", name="A")


def vote(client: Client, place: str = ""):
    return client.post(f"/tools/a/vote/{place}", {"choice": "ship"})


def save(client: Client, place: str = ""):
    return client.post(f"/tools/a/bookmark/{place}", {"saved": "yes"})


@pytest.mark.parametrize("send", [vote, save])
@pytest.mark.parametrize("place", ["", "in-place/"])
def test_votes_and_bookmarks_of_new_visitors_have_one_limit(tool: Tool, send, place: str):
    assert [run_action(Client()).status_code for run_action in (vote, save)] == [303, 303]
    before = row_counts()
    response = send(Client(), place)
    assert response.status_code == 429
    assert response["Retry-After"] == "2670"
    assert SENTENCE in read(response).text
    assert "visitor" not in response.cookies
    assert row_counts() == before
    assert send(Client(REMOTE_ADDR="198.51.100.1"), place).status_code in (200, 303)


def test_an_earlier_visitor_can_vote_and_new_visitors_can_in_the_next_hour(tool: Tool, clock):
    known = Client()
    for client in (known, Client()):
        vote(client)
    for _ in range(3):
        assert save(known).status_code == 303
    clock(NOON + timedelta(hours=1))
    assert vote(Client()).status_code == 303
    counts = ActCount.objects.filter(kind="new browsers").order_by("pk")
    assert list(counts.values_list("acts", flat=True)) == [2, 1]


def test_a_request_that_writes_no_vote_is_not_counted(tool: Tool):
    client = Client()
    client.get(vote_url(tool))
    client.post(vote_url(tool), {"choice": "none"})
    client.post(vote_url(tool), {"choice": "junk"})
    client.post("/tools/a/bookmark/", {"saved": "no"})
    assert not ActCount.objects.filter(kind="new browsers").exists()


def test_a_full_list_of_bookmarks_does_not_count_towards_the_network_s_limit(
    tool: Tool, monkeypatch
):
    monkeypatch.setattr("tools.models.bookmarks.MAX_BOOKMARKS", 1)
    client = Client()
    visitor_id = set_visitor_cookie(client, uuid4())
    Bookmark.objects.save_tool(factories.tool(), visitor_id, NOON)
    assert save(client).status_code == 409
