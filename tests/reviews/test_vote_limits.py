"""The rate limit of one visitor: changes per minute, and the answer to one too many."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client

from reviews.models import VoteEvent
from shipskip.web.refusals import RefusedError
from tests import factories
from tests.markup import read
from tests.reviews.voters import (
    NOON,
    cast,
    in_place,
    row_counts,
    rows,
    set_visitor_cookie,
    tally,
    vote_url,
)
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

SECOND = timedelta(seconds=1)


@pytest.fixture
def tool(settings) -> Tool:
    settings.VOTES_PER_NETWORK_PER_DAY = 1_000
    return factories.tool(slug="a", name="A")


def change(tool: Tool, client: Client, times: int) -> None:
    """Change one visitor's vote `times` times, each accepted."""
    for number in range(times):
        answer = client.post(vote_url(tool), {"choice": ("ship", "skip")[number % 2]})
        assert answer.status_code == 303


def test_the_thirtieth_change_in_a_minute_is_accepted_and_the_next_is_refused(tool: Tool, clock):
    client = Client()
    clock(NOON)
    change(tool, client, 30)
    clock(NOON + 20 * SECOND)
    before = row_counts()
    response = client.post(vote_url(tool), {"choice": "ship"})
    page = read(response)
    assert response.status_code == 429
    assert response["Retry-After"] == "40"
    assert page.one("p", role="alert").text == (
        "Nothing was changed. This browser has used up its 30 votes, changes and take-backs of a"
        " minute. You can vote again in 40 seconds."
    )
    assert page.one("button", aria_pressed="true").attributes["value"] == "skip"
    assert row_counts() == before
    assert tally(tool) == (0, 1)


def test_a_fragment_shows_the_same_error_with_the_form(tool: Tool, clock, settings):
    settings.VOTES_PER_VISITOR_PER_MINUTE = 4
    client = Client()
    clock(NOON)
    change(tool, client, 4)
    response = client.post(in_place(tool), {"choice": "none"})
    assert (response.status_code, response["Retry-After"]) == (429, "60")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert "its 4 votes, changes" in response.content.decode()
    assert "You can vote again in 60 seconds." in response.content.decode()
    assert rows(tool) == [("skip", "counted")]


def test_after_the_stated_seconds_the_vote_is_accepted(tool: Tool, clock, settings):
    settings.VOTES_PER_VISITOR_PER_MINUTE = 4
    client = Client()
    clock(NOON)
    change(tool, client, 4)
    clock(NOON + timedelta(seconds=59, milliseconds=999))
    refused = client.post(vote_url(tool), {"choice": "ship"})
    assert (refused.status_code, refused["Retry-After"]) == (429, "1")
    clock(NOON + 60 * SECOND)
    assert client.post(vote_url(tool), {"choice": "ship"}).status_code == 303
    assert tally(tool) == (1, 0)


def test_changes_on_all_tools_count_together(tool: Tool, settings):
    settings.VOTES_PER_VISITOR_PER_MINUTE = 2
    visitor_id = uuid4()
    cast(tool, "ship", by=visitor_id)
    cast(factories.tool(), "ship", by=visitor_id)
    with pytest.raises(RefusedError):
        cast(factories.tool(), "ship", by=visitor_id)


def test_the_same_choice_again_is_no_change_and_is_never_refused(tool: Tool, settings):
    settings.VOTES_PER_VISITOR_PER_MINUTE = 1
    visitor_id = uuid4()
    for _ in range(5):
        cast(tool, "ship", by=visitor_id)
    assert VoteEvent.objects.count() == 1


def test_the_limit_of_one_visitor_does_not_affect_others(tool: Tool, clock, settings):
    settings.VOTES_PER_VISITOR_PER_MINUTE = 3
    clock(NOON)
    change(tool, Client(), 3)
    change(tool, Client(), 1)


def test_a_refused_reader_who_votes_with_a_cookie_keeps_it(tool: Tool, clock, settings):
    settings.VOTES_PER_VISITOR_PER_MINUTE = 1
    client = Client()
    set_visitor_cookie(client, uuid4())
    clock(NOON)
    change(tool, client, 1)
    response = client.post(vote_url(tool), {"choice": "none"})
    assert response.status_code == 429
    assert "visitor" not in response.cookies
