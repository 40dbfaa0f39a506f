"""The database is unreachable or its disk is full: 503, and the form keeps the choice."""

from typing import Any
from unittest.mock import patch

import pytest
from django.db import InterfaceError, OperationalError, connections
from django.test import Client

from tests import factories
from tests.markup import Document, read
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

NOT_SAVED = (
    "Your vote could not be saved. Your choice is still in the form: send it again in a moment."
)


@pytest.fixture
def tool() -> Tool:
    return factories.tool(slug="a", name="A")


def assert_choice_survives(response: Any, choice: str) -> Document:
    """A 503 with Retry-After; the choice has the focus but is not shown as cast."""
    page = read(response)
    assert response.status_code == 503
    assert response["Retry-After"] == "5"
    assert response["Cache-Control"] == "private, no-store"
    assert "visitor" not in response.cookies
    assert NOT_SAVED in page.text
    assert "Your vote:" not in page.text
    assert page.all("button", aria_pressed="true") == []
    at_hand = [b.attributes["value"] for b in page.all("button") if "autofocus" in b.attributes]
    assert at_hand == [choice]
    assert page.one("form", id="vote-a").attributes["action"] == "/tools/a/vote/"
    return page


@pytest.mark.parametrize("choice", ["ship", "skip"])
def test_without_the_database_the_page_keeps_the_choice(client: Client, tool: Tool, choice: str):
    with unreachable_database():
        response = client.post(vote_url(tool), {"choice": choice, "next": "/compare/a-vs-b/"})
    page = assert_choice_survives(response, choice)
    assert page.one("input", name="next").attributes["value"] == "/compare/a-vs-b/"
    assert (rows(tool), events(tool)) == ([], [])


def test_without_the_database_the_script_gets_a_sentence(client: Client, tool: Tool):
    with unreachable_database():
        response = client.post(in_place(tool), {"choice": "ship"})
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response.content.decode() == NOT_SAVED
    assert "visitor" not in response.cookies


def test_without_the_database_the_form_keeps_the_choice_to_withdraw_the_vote(
    client: Client, tool: Tool
):
    client.post(vote_url(tool), {"choice": "ship"})
    with unreachable_database():
        response = client.post(vote_url(tool), {"choice": "none"})
    assert_choice_survives(response, "none")
    assert rows(tool) == [("ship", "counted")]


@pytest.mark.parametrize("statement", ["SAVEPOINT", "INSERT", "UPDATE"])
def test_a_full_disk_at_any_write_leaves_no_row(client: Client, tool: Tool, statement: str):
    before = row_counts()
    with database_error("database or disk is full", only=statement):
        response = client.post(vote_url(tool), {"choice": "ship"})
    assert_choice_survives(response, "ship")
    assert row_counts() == before
    client.post(vote_url(tool), {"choice": "ship"})
    assert (rows(tool), tally(tool)) == ([("ship", "counted")], (1, 0))


def test_a_full_disk_during_a_change_leaves_the_earlier_vote(client: Client, tool: Tool):
    client.post(vote_url(tool), {"choice": "ship"})
    before = row_counts()
    with database_error("database or disk is full", only="UPDATE"):
        response = client.post(in_place(tool), {"choice": "skip"})
    assert response.status_code == 503
    assert row_counts() == before
    assert (rows(tool), tally(tool)) == ([("ship", "counted")], (1, 0))


@pytest.mark.django_db(transaction=True)
def test_a_failed_commit_is_not_acknowledged_as_a_vote(client: Client, tool: Tool):
    full = OperationalError("database or disk is full")
    with patch.object(connections["default"], "_commit", side_effect=full):
        response = client.post(vote_url(tool), {"choice": "ship"})
    assert_choice_survives(response, "ship")
    assert (rows(tool), events(tool), tally(tool)) == ([], [], (0, 0))


def test_a_closed_connection_is_reported_like_one_that_cannot_be_opened(client: Client, tool: Tool):
    lost = InterfaceError("connection already closed")
    with patch("reviews.voting.cast", side_effect=lost):
        assert_choice_survives(client.post(vote_url(tool), {"choice": "ship"}), "ship")


def test_the_form_says_if_the_database_is_unavailable(client: Client, tool: Tool):
    with unreachable_database():
        response = client.get(vote_url(tool))
    assert response.status_code == 503
    assert read(response).one("form", id="vote-a")


def test_malformed_input_without_the_database_is_no_server_error(client: Client, tool: Tool):
    with unreachable_database():
        response = client.post(vote_url(tool), {"choice": "<b>"})
    assert response.status_code == 503
    assert b"<b>" not in response.content


def test_the_next_attempt_succeeds(client: Client, tool: Tool):
    with unreachable_database():
        client.post(vote_url(tool), {"choice": "ship"})
    assert client.post(vote_url(tool), {"choice": "ship"}).status_code == 303
    assert tally(tool) == (1, 0)
