"""A vote: its page with the form, the POST and the redirect back, the answer to HTMX, and what it
says if the database does not answer or its disk is full.
"""

from typing import Any
from unittest.mock import patch

import pytest
from django.db import InterfaceError, OperationalError, connections
from django.test import Client, RequestFactory

from reviews.models import Vote
from shipskip.web.htmx import came_from
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
from tools.models import Category, Tool

pytestmark = pytest.mark.django_db

SITE = "http://testserver"
LONGEST = "/compare/".ljust(1_000, "x")
"""The longest address that a form goes back to."""


@pytest.fixture
def tool() -> Tool:
    return factories.tool(slug="a", name="A & B")


@pytest.fixture
def url(tool: Tool) -> str:
    return vote_url(tool)


def pressed(page: Document) -> list[str]:
    buttons = page.all("button", name="choice", aria_pressed="true")
    return [button.attributes["value"] for button in buttons]


def test_the_page_shows_the_form_and_the_present_vote(client: Client, url: str, snapshot):
    page = read(client.get(url))
    assert pressed(page) == []
    assert page.one("button", value="none").attributes["aria-disabled"] == "true"
    assert page.one("meta", name="robots").attributes["content"] == "noindex"
    client.post(url, {"choice": "skip"})
    page = read(client.get(url))
    assert pressed(page) == ["skip"]
    assert "aria-disabled" not in page.one("button", value="none").attributes
    assert page.visible_text == snapshot


@pytest.mark.parametrize("way", ["page", "in place"])
def test_a_vote_is_cast_changed_and_withdrawn(client: Client, url: str, tool: Tool, way: str):
    for choice, counts, short, said in (
        ("ship", (1, 0), "1 ship / 0 skip", "You voted ship."),
        ("ship", (1, 0), "1 ship / 0 skip", "You voted ship."),
        ("skip", (0, 1), "0 ship / 1 skip", "You voted skip."),
        ("none", (0, 0), "—", "You have no vote on this tool now."),
        ("none", (0, 0), "—", "You have no vote on this tool now."),
    ):
        is_cast = choice != "none"
        if way == "page":
            response = client.post(url, {"choice": choice})
            assert response.status_code == 303
            assert response["Location"] == f"{url}?done={choice}&next=%2Ftools%2Fa%2F"
            page = read(client.get(response["Location"]))
            assert page.notices == [said, "Back to where you were"]
            assert "/tools/a/#vote-a" in page.links
        else:
            response = client.post(in_place(tool), {"choice": choice})
            page = read(response)
            assert page.by_id("tally-a").text == short
            assert page.by_id("announce").text.startswith(f"A & B: {said}")
            assert said in page.by_id("vote-a").text
        assert pressed(page) == [choice] * is_cast
        ids = {button.attributes.get("id") for button in page.all("button", name="choice")}
        assert ids == {"vote-a-ship", "vote-a-skip", "vote-a-none"}, "the focus can stay"
        assert rows(tool) == [(choice, "counted")] * is_cast
        assert tally(tool) == counts
    assert [after for _, after in events(tool)] == ["ship", "skip", ""]


def test_the_answer_to_htmx_is_one_form_and_out_of_band_parts_each_with_an_id(
    client: Client, tool: Tool
):
    """A browser that refuses cookies shows what its first vote hides."""
    for choice, hidden in (("none", 0), ("ship", 2), ("skip", 0)):
        response = client.post(in_place(tool), {"choice": choice, "next": "/compare/a-vs-b/"})
        page = read(response)
        assert b"<html" not in response.content
        form, *others = [element for element in page.elements if len(element.inside) == 1]
        names = ("id", "action", "data-hx-post", "data-hx-swap-oob")
        attributes = [form.attributes.get(name) for name in names]
        assert attributes == ["vote-a", vote_url(tool), in_place(tool), None]
        assert [part.attributes["id"] for part in others] == ["tally-a", "announce"]
        assert all(part.attributes["data-hx-swap-oob"] for part in others)
        fields = [(e.attributes["name"], e.attributes["value"]) for e in page.all("input")]
        assert fields == [("next", "/compare/a-vs-b/")], "and no token"
        warnings = [span for span in page.all("span") if "hidden" in span.attributes]
        assert len(warnings) == hidden, "in the form and in the announcement"
        assert all("you cannot change the vote" in span.text for span in warnings)


HERE = {
    "/tools/?q=x&page=2": "/tools/?q=x&page=2",
    f"{SITE}/compare/a-vs-b/?x=1#decision": "/compare/a-vs-b/?x=1",
    "/methodology/%F0%9F%9A%80": "/methodology/%F0%9F%9A%80",
    LONGEST: LONGEST,
    f"{LONGEST}x": "",
    "/tools/a/vote/": "",
}
ELSEWHERE = ["//evil.example/", "///evil.example/", "https://evil.example/", "ftp://testserver/"]
ELSEWHERE += ["http://testserver.evil.example/", "http://testserver@evil.example/", "http://["]
ELSEWHERE += [f"{SITE}:8001/compare/", f"{SITE}//evil.example/", f"{SITE}/\\evil.example/"]
ELSEWHERE += ["/\\evil.example/", "\\\\evil.example/", " //evil.example/", "compare/", ""]
ELSEWHERE += ["javascript:alert(1)"]


def test_the_reader_goes_back_to_the_page_they_came_from_and_never_to_another_site(
    rf: RequestFactory, client: Client, url: str
):
    for given, back in (HERE | dict.fromkeys(ELSEWHERE, "")).items():
        sent = {"next": given}
        for request in (
            rf.post(url, sent),
            rf.get(url, sent),
            rf.get(url, headers={"referer": given}),
        ):
            assert came_from(request) == back, given
    form = rf.post(url, {"next": ELSEWHERE[0]}, headers={"referer": f"{SITE}/methodology/"})
    assert came_from(form) == "/methodology/"
    for given, back in (("/methodology/", "%2Fmethodology%2F"), (ELSEWHERE[0], "%2Ftools%2Fa%2F")):
        response = client.post(url, {"choice": "none", "next": given})
        assert response["Location"] == f"{url}?done=none&next={back}"


def test_a_form_without_a_choice_is_answered_400_with_a_sentence(
    client: Client, url: str, tool: Tool
):
    """Other junk: tests/malformed_input/test_forms.py."""
    client.post(url, {"choice": ["both", "skip"]})
    assert rows(tool) == [("skip", "counted")], "the last of several choices counts"
    for sent in ({}, {"choice": "SHIP"}):
        response = client.post(url, sent)
        page = read(response)
        assert response.status_code == 400
        assert "Choose" in page.one("p", role="alert").text
        assert pressed(page) == ["skip"]
    response = client.post(in_place(tool))
    assert response.status_code == 400
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response.content.startswith(b"Choose")
    assert rows(tool) == [("skip", "counted")]


def test_a_link_of_another_site_cannot_claim_a_vote(client: Client, url: str):
    for done, sender in (("ship", "cross-site"), ("ship", "none"), ("nothing", "same-origin")):
        response = client.get(f"{url}?done={done}", headers={"sec-fetch-site": sender})
        assert read(response).notices == []


def test_a_browser_without_cookies_votes_and_sees_that_the_vote_is_not_remembered(
    client: Client, url: str, tool: Tool
):
    address = client.post(url, {"choice": "ship"})["Location"]
    page = read(Client().get(address))
    assert "this browser stores no cookies" in page.notices[0]
    assert page.all("form", id="vote-a") == [], "each vote of it would be one more"
    assert rows(tool) == [("ship", "counted")]
    page = read(Client().get(Client().post(url, {"choice": "none"})["Location"]))
    assert "no vote here" in page.notices[0]


def test_a_tool_that_is_not_public_accepts_no_votes_and_a_renamed_one_still_does(
    client: Client, url: str, tool: Tool
):
    Category.objects.update(published_at=None)
    for address in (url, in_place(tool), "/tools/nothing/vote/"):
        response = client.post(address, {"choice": "ship"})
        assert (response.status_code, len(response.cookies)) == (404, 0)
    assert (rows(tool), events(tool)) == ([], [])
    Category.objects.update(published_at=factories.PUBLISHED)
    tool.rename("b")
    response = client.get(url)
    assert (response.status_code, response["Location"]) == (301, vote_url(tool))
    assert client.post(url, {"choice": "ship"}).status_code == 303
    assert Vote.objects.get().tool == tool


FULL = "database or disk is full"
FAULTS = {
    "no connection": unreachable_database,
    "lost connection": lambda: patch("reviews.voting.cast", side_effect=InterfaceError("closed")),
    "full at the vote": lambda: database_error(FULL, only='UPDATE "reviews_vote"'),
    "full at the event": lambda: database_error(FULL, only='INSERT INTO "reviews_voteevent"'),
}


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


@pytest.mark.both_databases
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_leaves_no_row_keeps_the_choice_and_the_next_attempt_succeeds(
    client: Client, url: str, tool: Tool, fault: str
):
    client.post(url, {"choice": "ship"})
    before = row_counts()
    sent = {"choice": "skip", "next": "/compare/a-vs-b/"}
    with FAULTS[fault]():
        assert_choice_survives(client.post(url, sent), "skip")
        response = client.post(in_place(tool), sent)
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert b"could not be saved" in response.content
    assert (row_counts(), rows(tool), tally(tool)) == (before, [("ship", "counted")], (1, 0))
    assert client.post(url, sent).status_code == 303
    assert (rows(tool), tally(tool)) == ([("skip", "counted")], (0, 1))


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_failed_commit_is_not_acknowledged_as_a_vote(client: Client, url: str, tool: Tool):
    with patch.object(connections["default"], "_commit", side_effect=OperationalError(FULL)):
        response = client.post(url, {"choice": "ship", "next": "/compare/a-vs-b/"})
    assert_choice_survives(response, "ship")
    assert (rows(tool), events(tool), tally(tool)) == ([], [], (0, 0))


def test_the_form_and_malformed_input_without_the_database_are_no_server_error(client: Client):
    with unreachable_database():
        answers = [client.get("/tools/a/vote/"), client.post("/tools/a/vote/", {"choice": "<b>"})]
    assert [answer.status_code for answer in answers] == [503, 503]
    assert read(answers[0]).one("form", id="vote-a")
    assert b"<b>" not in answers[1].content
