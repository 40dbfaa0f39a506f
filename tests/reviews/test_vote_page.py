"""The page of a vote: the form, its POST, the redirect back, and what is refused."""

from collections.abc import Callable
from urllib.parse import urljoin
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from reviews.models import Vote, VoteEvent
from tests import factories
from tests.markup import Document, read
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


@pytest.fixture
def tool() -> Tool:
    return factories.tool(slug="a", name="A")


@pytest.fixture
def url(tool: Tool) -> str:
    return vote_url(tool)


def pressed(page: Document) -> list[str]:
    """The values of the buttons that are pressed."""
    buttons = page.all("button", name="choice", aria_pressed="true")
    return [button.attributes["value"] for button in buttons]


def test_the_page_shows_the_form_and_no_vote_to_a_reader(client: Client, url: str):
    response = client.get(url)
    page = read(response)
    assert response.status_code == 200
    assert [b.attributes["value"] for b in page.all("button", name="choice")] == [
        "ship",
        "skip",
        "none",
    ]
    assert pressed(page) == []
    assert page.one("form", id="vote-a").attributes["action"] == url
    assert page.one("button", value="none").attributes["aria-disabled"] == "true"
    assert "No community votes yet" in page.text


def test_the_page_shows_the_present_vote(client: Client, url: str):
    client.post(url, {"choice": "skip"})
    page = read(client.get(url))
    assert pressed(page) == ["skip"]
    assert "Your vote: skip." in page.text
    assert "0 ship / 1 skip" in page.text
    assert "aria-disabled" not in page.one("button", value="none").attributes


def test_the_page_is_private_never_cached_and_not_indexed(client: Client, url: str):
    for response in (client.get(url), client.post(url, {"choice": "ship"}), client.post(url)):
        assert response["Cache-Control"] == "private, no-store"
    assert read(client.get(url)).one("meta", name="robots").attributes["content"] == "noindex"


@pytest.mark.parametrize("method", ["get", "head"])
def test_reading_never_writes_and_never_makes_a_visitor(client: Client, url: str, method: str):
    before = row_counts()
    for query in ("", "?choice=ship", "?choice=none&next=/"):
        response = getattr(client, method)(url + query)
        assert response.status_code == 200
        assert not response.cookies
    assert row_counts() == before


@pytest.mark.parametrize("method", ["put", "patch", "delete", "options", "trace"])
def test_a_wrong_method_is_answered_with_the_allowed_ones(client: Client, url: str, method: str):
    before = row_counts()
    response = getattr(client, method)(url)
    assert response.status_code == 405
    assert response["Allow"] == "GET, HEAD, POST"
    assert row_counts() == before


def test_a_vote_is_cast_changed_and_withdrawn_by_page_and_redirect(
    client: Client, url: str, tool: Tool
):
    for choice, state, counts in (
        ("ship", [("ship", "counted")], (1, 0)),
        ("skip", [("skip", "counted")], (0, 1)),
        ("none", [], (0, 0)),
        ("none", [], (0, 0)),
    ):
        response = client.post(url, {"choice": choice})
        assert response.status_code == 303
        done = response["Location"].partition("?")[2]
        assert done == f"done={choice}&next=%2Ftools%2Fa%2F"
        assert (rows(tool), tally(tool)) == (state, counts)
    assert len(events(tool)) == 3


def test_sending_the_same_form_again_changes_nothing(client: Client, url: str, tool: Tool):
    client.post(url, {"choice": "ship"})
    before = row_counts()
    assert client.post(url, {"choice": "ship"}).status_code == 303
    assert row_counts() == before
    assert tally(tool) == (1, 0)


@pytest.mark.parametrize(
    ("where", "back"),
    [
        ("/compare/a-vs-b/", "/compare/a-vs-b/"),
        ("/tools/?q=x&page=2", "/tools/?q=x&page=2"),
        (f"{SITE}/compare/a-vs-b/?x=1#decision", "/compare/a-vs-b/?x=1"),
        ("/methodology/%F0%9F%9A%80", "/methodology/%F0%9F%9A%80"),
    ],
)
def test_the_reader_goes_back_to_the_page_they_came_from(
    client: Client, url: str, where: str, back: str
):
    page = read(client.post(url, {"choice": "ship", "next": where}, follow=True))
    assert page.notices == ["You voted ship.", "Back to where you were"]
    assert f"{back}#vote-a" in page.links
    assert pressed(page) == ["ship"]


def test_without_a_next_the_referring_page_is_where_the_reader_came_from(client: Client, url: str):
    response = client.post(url, {"choice": "ship"}, HTTP_REFERER=f"{SITE}/compare/a-vs-b/")
    assert response["Location"] == f"{url}?done=ship&next=%2Fcompare%2Fa-vs-b%2F"


def test_the_form_contains_the_page_that_the_reader_came_from(client: Client, url: str):
    page = read(client.get(url, HTTP_REFERER=f"{SITE}/compare/a-vs-b/"))
    assert page.one("input", name="next").attributes["value"] == "/compare/a-vs-b/"


@pytest.mark.parametrize(
    "where",
    [
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
    ],
)
@pytest.mark.parametrize("how", ["next", "referer"])
def test_the_reader_is_never_redirected_to_another_site(
    client: Client, url: str, where: str, how: str
):
    sent = {"choice": "ship"} | ({"next": where} if how == "next" else {})
    extra = {"HTTP_REFERER": where} if how == "referer" else {}
    response = client.post(url, sent, **extra)  # type: ignore[arg-type]
    assert response.status_code == 303
    assert response["Location"].isprintable()
    for page in (client.get(response["Location"]), client.get(url, {"next": where}, **extra)):  # type: ignore[arg-type]
        for link in read(page).links:
            assert urljoin(f"{SITE}/", link.replace("\\", "/")).startswith(f"{SITE}/"), link


def test_a_next_parameter_that_names_the_form_is_ignored(client: Client, url: str):
    response = client.post(url, {"choice": "ship", "next": url})
    assert response["Location"].endswith("&next=%2Ftools%2Fa%2F")


@pytest.mark.parametrize(
    "sent",
    [{}, {"choice": ""}, {"choice": "SHIP"}, {"choice": "both"}, {"choice": "ship\x00"}],
    ids=["nothing", "empty", "capitals", "unknown", "with a zero byte"],
)
def test_junk_is_answered_400_with_the_form_and_a_sentence(
    client: Client, url: str, sent: dict[str, str]
):
    client.post(url, {"choice": "skip"})
    before = row_counts()
    response = client.post(url, sent)
    page = read(response)
    assert response.status_code == 400
    assert page.one("p", role="alert").text == "Choose ship, skip, or take your vote back."
    assert pressed(page) == ["skip"]
    assert row_counts() == before


def test_malformed_input_creates_no_visitor(client: Client, url: str):
    assert "visitor" not in client.post(url, {"choice": "both"}).cookies


def test_if_several_choices_are_sent_the_last_one_counts(client: Client, url: str, tool: Tool):
    client.post(url, {"choice": ["ship", "skip"]})
    assert rows(tool) == [("skip", "counted")]


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
    assert page.notices[0].startswith("Your vote counts, but this browser stores no cookies")
    assert page.all("form", id="vote-a") == [], "each vote of it would be one more"
    assert rows(tool) == [("ship", "counted")]
    page = read(Client().get(Client().post(url, {"choice": "none"})["Location"]))
    assert page.notices[0] == "This browser has no vote here that could be taken back."


def test_a_link_from_elsewhere_cannot_claim_that_somebody_voted(client: Client, url: str):
    for headers in ({"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "none"}):
        response = client.get(f"{url}?done=ship", headers=headers)
        assert read(response).notices == []
    assert read(client.get(f"{url}?done=nothing")).notices == []


@pytest.mark.parametrize("moment", [None, "2999-01-01T00:00:00Z"], ids=["draft", "scheduled"])
@pytest.mark.parametrize("address", [vote_url, in_place])
def test_a_tool_unpublished_between_page_and_post_is_not_found(
    client: Client, url: str, tool: Tool, moment: str | None, address: Callable[[Tool], str]
):
    assert client.get(url).status_code == 200
    Tool.objects.update(published_at=moment)
    response = client.post(address(tool), {"choice": "ship"})
    assert response.status_code == 404
    assert (rows(tool), events(tool)) == ([], [])
    assert "visitor" not in response.cookies


def test_a_tool_of_a_withdrawn_category_accepts_no_votes(client: Client, url: str, tool: Tool):
    tool.category.published_at = None
    tool.category.save()
    assert client.post(url, {"choice": "ship"}).status_code == 404


def test_an_unknown_tool_is_not_found(client: Client):
    assert client.post("/tools/nothing/vote/", {"choice": "ship"}).status_code == 404


def test_a_page_that_was_open_while_its_tool_was_renamed_still_votes(
    client: Client, url: str, tool: Tool
):
    tool.rename("b")
    response = client.get(url)
    assert (response.status_code, response["Location"]) == (301, vote_url(tool))
    assert client.post(url, {"choice": "ship"}).status_code == 303
    assert Vote.objects.get().tool == tool


@pytest.mark.parametrize(
    ("action", "most"),
    [("first", 13), ("again", 6), ("change", 13), ("take back", 13)],
)
def test_a_vote_runs_few_queries_and_no_more_on_a_tool_of_many_votes(
    client: Client, url: str, tool: Tool, action: str, most: int
):
    other = factories.tool()
    client.post(vote_url(other), {"choice": "ship"})  # the day's salt
    for number in range(30):
        crowd = Client(REMOTE_ADDR=f"10.0.{number}.1")
        set_visitor_cookie(crowd, uuid4())
        crowd.post(url, {"choice": "ship"})
    if action != "first":
        client.post(url, {"choice": "ship"})
    choice = {"first": "ship", "again": "ship", "change": "skip", "take back": "none"}[action]
    with CaptureQueriesContext(connection) as queries:
        assert client.post(url, {"choice": choice}).status_code == 303
    assert len(queries) <= most, [query["sql"] for query in queries]
    assert Vote.objects.filter(tool=tool).count() == 31 - (action == "take back")
