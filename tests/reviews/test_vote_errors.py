"""The database is unreachable or its disk is full: 503, and the form keeps the choice."""

from typing import Any
from unittest.mock import patch

import pytest
from django.db import InterfaceError, OperationalError, connections
from django.test import Client

from tests import factories
from tests.markup import read
from tests.reviews.voters import (
    database_error,
    events,
    in_place,
    row_counts,
    rows,
    tally,
    unreachable_database,
    vote_url,
)
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

FULL = "database or disk is full"
FAULTS = {
    "no connection": unreachable_database,
    "lost connection": lambda: patch("reviews.voting.cast", side_effect=InterfaceError("closed")),
    "full at the change of the vote": lambda: database_error(FULL, only='UPDATE "reviews_vote"'),
    "full at the event": lambda: database_error(FULL, only="INSERT"),
}


@pytest.fixture
def tool() -> Tool:
    return factories.tool(slug="a", name="A")


def assert_choice_survives(response: Any, choice: str) -> None:
    """A 503 with Retry-After; the choice has the focus but is not shown as cast."""
    page = read(response)
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert "visitor" not in response.cookies
    assert "could not be saved" in page.text
    assert "Your vote:" not in page.text
    assert page.all("button", aria_pressed="true") == []
    at_hand = [b.attributes["value"] for b in page.all("button") if "autofocus" in b.attributes]
    assert at_hand == [choice]
    assert page.one("form", id="vote-a").attributes["action"] == "/tools/a/vote/"
    assert page.one("input", name="next").attributes["value"] == "/compare/a-vs-b/"


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_leaves_no_row_keeps_the_choice_and_the_next_attempt_succeeds(
    client: Client, tool: Tool, fault: str
):
    client.post(vote_url(tool), {"choice": "ship"})
    before = row_counts()
    sent = {"choice": "skip", "next": "/compare/a-vs-b/"}
    with FAULTS[fault]():
        assert_choice_survives(client.post(vote_url(tool), sent), "skip")
        response = client.post(in_place(tool), sent)
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert b"could not be saved" in response.content
    assert (row_counts(), rows(tool), tally(tool)) == (before, [("ship", "counted")], (1, 0))
    assert client.post(vote_url(tool), sent).status_code == 303
    assert (rows(tool), tally(tool)) == ([("skip", "counted")], (0, 1))


@pytest.mark.django_db(transaction=True)
def test_a_failed_commit_is_not_acknowledged_as_a_vote(client: Client, tool: Tool):
    with patch.object(connections["default"], "_commit", side_effect=OperationalError(FULL)):
        response = client.post(vote_url(tool), {"choice": "ship", "next": "/compare/a-vs-b/"})
    assert_choice_survives(response, "ship")
    assert (rows(tool), events(tool), tally(tool)) == ([], [], (0, 0))


def test_the_form_and_malformed_input_without_the_database_are_no_server_error(client: Client):
    with unreachable_database():
        answers = [client.get("/tools/a/vote/"), client.post("/tools/a/vote/", {"choice": "<b>"})]
    assert [answer.status_code for answer in answers] == [503, 503]
    assert read(answers[0]).one("form", id="vote-a")
    assert b"<b>" not in answers[1].content
