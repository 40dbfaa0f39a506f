"""A vote: its page with the form, the POST and the redirect back, and the answer to HTMX."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from reviews.models import Vote, VoteEvent
from tests import factories
from tests.markup import Document, Element, read
from tests.reviews.voters import (
    events,
    in_place,
    row_counts,
    rows,
    set_visitor_cookie,
    tally,
    vote_url,
)
from tools.models import Tool

pytestmark = pytest.mark.django_db

SITE = "http://testserver"
BUTTONS = ["ship", "skip", "none"]


@pytest.fixture
def tool() -> Tool:
    return factories.tool(slug="a", name="A & B")


@pytest.fixture
def url(tool: Tool) -> str:
    return vote_url(tool)


def pressed(page: Document) -> list[str]:
    """The values of the buttons that are pressed."""
    buttons = page.all("button", name="choice", aria_pressed="true")
    return [button.attributes["value"] for button in buttons]


def parts(response: Any) -> list[Element]:
    """The top-level elements of a fragment."""
    return [element for element in read(response).elements if len(element.inside) == 1]


def test_the_page_shows_the_form_and_the_present_vote(client: Client, url: str, snapshot):
    page = read(client.get(url))
    assert [b.attributes["value"] for b in page.all("button", name="choice")] == BUTTONS
    assert pressed(page) == []
    assert page.one("form", id="vote-a").attributes["action"] == url
    assert page.one("button", value="none").attributes["aria-disabled"] == "true"
    assert page.one("meta", name="robots").attributes["content"] == "noindex"
    assert "No community votes" in page.text
    client.post(url, {"choice": "skip"})
    page = read(client.get(url))
    assert pressed(page) == ["skip"]
    assert "aria-disabled" not in page.one("button", value="none").attributes
    assert page.visible_text == snapshot


def test_reading_never_writes_and_a_wrong_method_is_answered_with_the_allowed_ones(
    client: Client, url: str, tool: Tool
):
    before = row_counts()
    for method in (client.get, client.head):
        for query in ("", "?choice=ship", "?choice=none&next=/"):
            response = method(url + query)
            assert (response.status_code, len(response.cookies)) == (200, 0), query
    for name in ("put", "patch", "delete", "options", "trace"):
        response = getattr(client, name)(url)
        assert (response.status_code, response["Allow"]) == (405, "GET, HEAD, POST"), name
    assert client.get(in_place(tool)).status_code == 405
    assert row_counts() == before


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
            assert page.notices[0].startswith(said)
        else:
            response = client.post(in_place(tool), {"choice": choice})
            page = read(response)
            assert page.by_id("tally-a").text == short
            assert page.by_id("announce").text.startswith(f"A & B: {said}")
            assert said in page.by_id("vote-a").text
        assert response["Cache-Control"] == "private, no-store"
        assert pressed(page) == [choice] * is_cast
        ids = {button.attributes.get("id") for button in page.all("button", name="choice")}
        assert ids == {f"vote-a-{value}" for value in BUTTONS}, "the focus can stay"
        assert rows(tool) == [(choice, "counted")] * is_cast
        assert tally(tool) == counts
    assert [after for _, after in events(tool)] == ["ship", "skip", ""]


def test_the_answer_to_htmx_is_one_form_and_out_of_band_parts_each_with_an_id(
    client: Client, tool: Tool
):
    sent = {"choice": "ship", "next": "/compare/a-vs-b/"}
    response = client.post(in_place(tool), sent)
    assert b"<html" not in response.content
    form, *others = parts(response)
    assert (form.name, form.attributes["id"]) == ("form", "vote-a")
    assert (form.attributes["action"], form.attributes["data-hx-post"]) == (
        vote_url(tool),
        in_place(tool),
    )
    assert "data-hx-swap-oob" not in form.attributes
    assert [part.attributes["id"] for part in others] == ["tally-a", "announce"]
    assert all(part.attributes["data-hx-swap-oob"] for part in others)
    inputs = read(response).all("input")
    fields = {field.attributes["name"]: field.attributes["value"] for field in inputs}
    assert fields == {"next": "/compare/a-vs-b/"}, "and no token"


def test_the_answer_to_a_first_vote_has_a_message_for_a_browser_that_refuses_cookies(
    client: Client, tool: Tool
):
    for choice, hidden in (("none", 0), ("ship", 2), ("skip", 0)):
        page = read(client.post(in_place(tool), {"choice": choice}))
        warnings = [element for element in page.all("span") if "hidden" in element.attributes]
        assert len(warnings) == hidden, "in the form and in the announcement"
        assert all("you cannot change the vote" in element.text for element in warnings)


def test_a_name_in_markup_is_shown_as_written_and_runs_nothing(client: Client, tool: Tool):
    Tool.objects.update(name='<b onclick="x">"&')
    page = read(client.post(in_place(tool), {"choice": "ship"}))
    assert page.by_id("announce").text.startswith('<b onclick="x">"&:')
    assert page.all("b", onclick="x") == []


def test_the_reader_goes_back_to_the_page_they_came_from(client: Client, url: str):
    for where, back in {
        "/compare/a-vs-b/": "/compare/a-vs-b/",
        "/tools/?q=x&page=2": "/tools/?q=x&page=2",
        f"{SITE}/compare/a-vs-b/?x=1#decision": "/compare/a-vs-b/?x=1",
        "/methodology/%F0%9F%9A%80": "/methodology/%F0%9F%9A%80",
        url: "/tools/a/",
    }.items():
        page = read(client.post(url, {"choice": "ship", "next": where}, follow=True))
        assert page.notices == ["You voted ship.", "Back to where you were"]
        assert f"{back}#vote-a" in page.links, where
    referer = {"HTTP_REFERER": f"{SITE}/compare/a-vs-b/"}
    response = client.post(url, {"choice": "ship"}, **referer)  # type: ignore[arg-type]
    assert response["Location"] == f"{url}?done=ship&next=%2Fcompare%2Fa-vs-b%2F"
    page = read(client.get(url, **referer))  # type: ignore[arg-type]
    assert page.one("input", name="next").attributes["value"] == "/compare/a-vs-b/"


ELSEWHERE = [
    "//evil.example/",
    "///evil.example/",
    "https://evil.example/",
    "http://testserver.evil.example/",
    "http://testserver@evil.example/",
    "http://testserver:8001/compare/",
    f"{SITE}//evil.example/",
    f"{SITE}/\\evil.example/",
    "/\\evil.example/",
    "\\\\evil.example/",
    "javascript:alert(1)",
    "data:text/html,x",
    "ftp://testserver/",
    "compare/",
    "/\x00",
    "/compare/\r\nSet-Cookie: x=y",
    "http://[",
    "/" + "x" * 2_000,
    " //evil.example/",
    "",
]


def test_the_reader_is_never_redirected_to_another_site(client: Client, url: str):
    client.post(url, {"choice": "ship"})
    for where in ELSEWHERE:
        headers = {"referer": where}
        response = client.post(url, {"choice": "ship", "next": where}, headers=headers)
        assert response.status_code == 303, where
        assert response["Location"].isprintable(), where
        assert response["Location"].startswith(f"{url}?done=ship&next=%2F"), where
        assert "evil" not in response["Location"]
        for link in read(client.get(url, {"next": where}, headers=headers)).links:
            target = urljoin(f"{SITE}/", link.replace("\\", "/"))
            assert target.startswith(f"{SITE}/"), (where, link)


@pytest.mark.parametrize("way", ["page", "in place"])
def test_junk_is_answered_400_with_a_sentence(client: Client, url: str, tool: Tool, way: str):
    assert "visitor" not in client.post(url, {"choice": "both"}).cookies
    client.post(url, {"choice": "skip"})
    before = row_counts()
    for sent in ({}, {"choice": ""}, {"choice": "SHIP"}, {"choice": "both"}, {"choice": "ship\0"}):
        response = client.post(url if way == "page" else in_place(tool), sent)
        assert response.status_code == 400, sent
        if way == "page":
            page = read(response)
            assert "Choose" in page.one("p", role="alert").text
            assert pressed(page) == ["skip"]
        else:
            assert response["Content-Type"] == "text/plain; charset=utf-8"
            assert response.content.startswith(b"Choose")
    assert row_counts() == before
    client.post(url, {"choice": ["ship", "skip"]})
    assert rows(tool) == [("skip", "counted")], "the last of several choices counts"


def test_a_post_that_was_not_sent_from_a_page_of_the_site_is_refused(url: str, tool: Tool):
    for address in (url, in_place(tool)):
        for headers in (
            {"sec-fetch-site": "cross-site"},
            {"sec-fetch-site": "same-site", "origin": SITE},
        ):
            response = Client().post(address, {"choice": "ship"}, headers=headers)
            assert response.status_code == 403
            assert b"Nothing was changed" in response.content
    assert (rows(tool), VoteEvent.objects.count()) == ([], 0)


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


def test_a_link_from_elsewhere_cannot_claim_that_somebody_voted(client: Client, url: str):
    for headers in ({"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "none"}):
        response = client.get(f"{url}?done=ship", headers=headers)
        assert read(response).notices == []
    assert read(client.get(f"{url}?done=nothing")).notices == []


@pytest.mark.parametrize("address", [vote_url, in_place])
def test_a_tool_that_is_not_public_accepts_no_votes(
    client: Client, tool: Tool, address: Callable[[Tool], str]
):
    for moment in (None, "2999-01-01T00:00:00Z"):
        Tool.objects.update(published_at=moment)
        response = client.post(address(tool), {"choice": "ship"})
        assert response.status_code == 404
        assert "visitor" not in response.cookies
    Tool.objects.update(published_at=factories.PUBLISHED)
    tool.category.published_at = None
    tool.category.save()
    assert client.post(address(tool), {"choice": "ship"}).status_code == 404
    assert client.post("/tools/nothing/vote/", {"choice": "ship"}).status_code == 404
    assert (rows(tool), events(tool)) == ([], [])


def test_a_page_that_was_open_while_its_tool_was_renamed_still_votes(
    client: Client, url: str, tool: Tool
):
    tool.rename("b")
    response = client.get(url)
    assert (response.status_code, response["Location"]) == (301, vote_url(tool))
    assert client.post(url, {"choice": "ship"}).status_code == 303
    assert Vote.objects.get().tool == tool


def test_a_vote_runs_few_queries_and_no_more_on_a_tool_of_many_votes(
    client: Client, url: str, tool: Tool
):
    client.post(vote_url(factories.tool()), {"choice": "ship"})  # the day's salt
    for number in range(30):
        crowd = Client(REMOTE_ADDR=f"10.0.{number}.1")
        set_visitor_cookie(crowd, uuid4())
        crowd.post(url, {"choice": "ship"})
    for choice, most in (("ship", 13), ("ship", 6), ("skip", 13), ("none", 13)):
        with CaptureQueriesContext(connection) as queries:
            assert client.post(url, {"choice": choice}).status_code == 303
        assert len(queries) <= most, [query["sql"] for query in queries]
    assert Vote.objects.filter(tool=tool).count() == 30
