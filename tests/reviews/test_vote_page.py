"""The page of a vote: the form, its POST, the redirect back, and what is refused."""

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
    HTMX,
    become,
    events,
    row_counts,
    rows,
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
        assert set(response.cookies) <= {"csrftoken"}
    assert row_counts() == before


@pytest.mark.parametrize("method", ["put", "patch", "delete", "options", "trace"])
def test_a_wrong_method_is_answered_with_the_allowed_ones(client: Client, url: str, method: str):
    before = row_counts()
    response = getattr(client, method)(url)
    assert response.status_code == 405
    assert response["Allow"] == "GET, HEAD, POST"
    assert row_counts() == before


def test_casting_changing_and_taking_back_by_page_and_redirect(
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
        assert response["Location"] == "/tools/a/#community"
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
    assert client.post(url, {"choice": "ship", "next": where})["Location"] == back


def test_without_a_next_the_referring_page_is_where_the_reader_came_from(client: Client, url: str):
    response = client.post(url, {"choice": "ship"}, HTTP_REFERER=f"{SITE}/compare/a-vs-b/")
    assert response["Location"] == "/compare/a-vs-b/"


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
    location = response["Location"]
    assert urljoin(SITE, location.replace("\\", "/")).startswith(f"{SITE}/")
    assert location.isprintable()
    assert client.get(url, **extra).status_code == 200  # type: ignore[arg-type]


def test_a_next_parameter_that_names_the_form_is_ignored(client: Client, url: str):
    assert client.post(url, {"choice": "ship", "next": url})["Location"] == "/tools/a/#community"


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
    assert page.notices == ["Choose ship, skip, or take your vote back."]
    assert pressed(page) == ["skip"]
    assert row_counts() == before


def test_junk_creates_no_visitor(client: Client, url: str):
    assert "visitor" not in client.post(url, {"choice": "both"}).cookies


def test_of_several_choices_the_last_counts_as_in_any_form(client: Client, url: str, tool: Tool):
    client.post(url, {"choice": ["ship", "skip"]})
    assert rows(tool) == [("skip", "counted")]


def test_a_post_without_the_sites_own_token_is_refused(url: str, tool: Tool):
    strict = Client(enforce_csrf_checks=True)
    for sent, extra in (
        ({"choice": "ship"}, {}),
        ({"choice": "ship", "csrfmiddlewaretoken": "x" * 64}, {}),
        ({"choice": "ship"}, HTMX),
    ):
        response = strict.post(url, sent, headers=extra)
        assert response.status_code == 403
        assert b"Nothing was changed" in response.content
    assert (rows(tool), VoteEvent.objects.count()) == ([], 0)


def test_a_post_with_the_forms_token_is_taken_unless_another_site_sends_it(url: str, tool: Tool):
    strict = Client(enforce_csrf_checks=True)
    token = read(strict.get(url)).one("input", name="csrfmiddlewaretoken").attributes["value"]
    sent = {"choice": "ship", "csrfmiddlewaretoken": token}
    for origin in ("https://evil.example", "http://testserver:8001", "null"):
        assert strict.post(url, sent, HTTP_ORIGIN=origin).status_code == 403
    assert rows(tool) == []
    assert strict.post(url, sent, HTTP_ORIGIN=SITE).status_code == 303
    assert rows(tool) == [("ship", "counted")]


@pytest.mark.parametrize("moment", [None, "2999-01-01T00:00:00Z"], ids=["draft", "scheduled"])
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "fragment"])
def test_a_tool_unpublished_between_page_and_post_is_not_found(
    client: Client, url: str, tool: Tool, moment: str | None, headers: dict[str, str]
):
    assert client.get(url).status_code == 200
    Tool.objects.update(published_at=moment)
    response = client.post(url, {"choice": "ship"}, headers=headers)
    assert response.status_code == 404
    assert (rows(tool), events(tool)) == ([], [])
    assert "visitor" not in response.cookies


def test_a_tool_of_a_category_that_is_withdrawn_takes_no_votes(
    client: Client, url: str, tool: Tool
):
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
        become(crowd, uuid4())
        crowd.post(url, {"choice": "ship"})
    if action != "first":
        client.post(url, {"choice": "ship"})
    choice = {"first": "ship", "again": "ship", "change": "skip", "take back": "none"}[action]
    with CaptureQueriesContext(connection) as queries:
        assert client.post(url, {"choice": choice}).status_code == 303
    assert len(queries) <= most, [query["sql"] for query in queries]
    assert Vote.objects.filter(tool=tool).count() == 31 - (action == "take back")
