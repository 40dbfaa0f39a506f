"""The limits of one visitor a minute, and of new visitors of a network and hour."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client

from reviews.models import VoteEvent
from shipskip.limits.models import ActCount
from shipskip.web.refusals import RefusedError
from tests import factories
from tests.markup import read
from tests.reviews.voters import (
    NOON,
    cast,
    in_place,
    row_counts,
    set_visitor_cookie,
    tally,
    vote_url,
)
from tools.models import Bookmark, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
NEW_BROWSERS = "new browsers"


@pytest.fixture
def tool(settings, clock) -> Tool:
    settings.VOTES_PER_NETWORK_PER_DAY = 1_000
    settings.NEW_VISITORS_PER_NETWORK_PER_HOUR = 2
    clock(NOON)
    return factories.tool(slug="a", name="A")


def test_the_thirtieth_change_in_a_minute_is_accepted_and_the_next_only_after_it(tool: Tool, clock):
    client = Client()
    for number in range(30):
        choice = ("ship", "skip")[number % 2]
        assert client.post(vote_url(tool), {"choice": choice}).status_code == 303
    assert vote(Client()).status_code == 303, "another visitor has a limit of their own"
    before = row_counts()
    refused = client.post(in_place(tool), {"choice": "none"})
    assert (refused.status_code, refused["Retry-After"]) == (429, "60")
    assert refused["Content-Type"] == "text/plain; charset=utf-8"
    assert "its 30 votes, changes and take-backs of a minute" in refused.content.decode()
    clock(NOON + 20 * SECOND)
    refused = client.post(vote_url(tool), {"choice": "none"})
    assert (refused.status_code, refused["Retry-After"]) == (429, "40")
    assert not refused.cookies
    page = read(refused)
    alert = page.one("p", role="alert").text
    assert alert.startswith("Nothing was changed. This browser")
    assert "You can vote again in 40 seconds." in alert
    assert page.one("button", aria_pressed="true").attributes["value"] == "skip"
    assert (row_counts(), tally(tool)) == (before, (1, 1))
    clock(NOON + MINUTE)
    assert client.post(vote_url(tool), {"choice": "ship"}).status_code == 303
    assert tally(tool) == (2, 0)


def test_changes_on_all_tools_count_together_and_the_same_choice_again_is_no_change(
    tool: Tool, settings
):
    settings.VOTES_PER_VISITOR_PER_MINUTE = 2
    visitor_id = uuid4()
    for _ in range(5):
        cast(tool, "ship", by=visitor_id)
    cast(factories.tool(), "ship", by=visitor_id)
    with pytest.raises(RefusedError):
        cast(factories.tool(), "ship", by=visitor_id)
    cast(tool, "ship", by=visitor_id)
    assert VoteEvent.objects.count() == 2


def vote(client: Client, place: str = ""):
    return client.post(f"/tools/a/vote/{place}", {"choice": "ship"})


def save(client: Client, place: str = ""):
    return client.post(f"/tools/a/bookmark/{place}", {"saved": "yes"})


def test_votes_and_bookmarks_of_new_visitors_have_one_limit(tool: Tool, clock):
    clock(NOON + 15.5 * MINUTE)
    known = Client()
    assert [vote(known).status_code, save(Client()).status_code] == [303, 303]
    before = row_counts()
    for send in (vote, save):
        for place in ("", "in-place/"):
            response = send(Client(), place)
            assert (response.status_code, response["Retry-After"]) == (429, "2670")
            assert "its 2 new browsers of an hour" in read(response).text
            assert not response.cookies
            assert row_counts() == before
    assert save(known).status_code == 303
    assert vote(Client(REMOTE_ADDR="198.51.100.1")).status_code == 303
    clock(NOON + HOUR)
    assert vote(Client()).status_code == 303
    counts = ActCount.objects.filter(kind=NEW_BROWSERS).values_list("acts", flat=True)
    assert sorted(counts) == [1, 1, 2]


def test_a_request_that_writes_nothing_does_not_count_towards_the_network_s_limit(
    tool: Tool, monkeypatch
):
    monkeypatch.setattr("tools.models.bookmarks.MAX_BOOKMARKS", 1)
    client = Client()
    client.get(vote_url(tool))
    for choice in ("none", "junk"):
        client.post(vote_url(tool), {"choice": choice})
    client.post("/tools/a/bookmark/", {"saved": "no"})
    Bookmark.objects.save_tool(factories.tool(), set_visitor_cookie(client, uuid4()), NOON)
    assert save(client).status_code == 409
    assert not ActCount.objects.filter(kind=NEW_BROWSERS).exists()


def test_the_day_s_votes_of_a_network_are_those_of_its_addresses(tool: Tool, settings):
    settings.VOTES_PER_NETWORK_PER_DAY, settings.NEW_VISITORS_PER_NETWORK_PER_HOUR = 1, 10
    for ip, status in (("192.0.2.1", 303), ("192.0.2.250", 429), ("192.0.3.1", 303)):
        response = vote(Client(REMOTE_ADDR=ip))
        assert response.status_code == status
        assert ("visitor" in response.cookies) == (status == 303)
        assert response.get("Retry-After") == (None if status == 303 else str(12 * 3600))
    assert tally(tool) == (2, 0)
