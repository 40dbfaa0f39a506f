"""`/me/`: this visitor's votes and bookmarks, as a page and as marks for the page in view."""

import gzip
from typing import Any
from uuid import uuid4

import brotli
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests import factories
from tests.markup import Element, read
from tests.reviews.voters import (
    cast,
    row_counts,
    set_visitor_cookie,
    unreachable_database,
    vote_url,
)
from tools.models import Bookmark, Tool

pytestmark = pytest.mark.django_db


@pytest.fixture
def tools() -> list[Tool]:
    """Three tools: A, B and C."""
    return [factories.tool(slug=name.lower(), name=name) for name in "ABC"]


def in_view(client: Client, *slugs: str, **headers: str) -> Any:
    return client.get("/me/marks/", {"tools": slugs}, headers=headers)


def of_tool(slug: str) -> set[str]:
    """The ids of what differs for a tool's visitor."""
    return {f"ballot-{slug}", f"tally-{slug}"}


def parts(response: Any) -> dict[str, Element]:
    """The elements at the top of a fragment by their ids; each is out of band."""
    top = [element for element in read(response).elements if len(element.inside) == 1]
    assert all(element.attributes.get("data-hx-swap-oob") for element in top)
    found = {element.attributes["id"]: element for element in top}
    assert len(found) == len(top)
    return found


def test_the_marks_are_only_this_visitors_votes_and_bookmarks_of_the_tools_in_view(
    tools: list[Tool],
):
    mine, theirs = Client(), Client()
    for client, tool, choice in ((mine, tools[0], "ship"), (theirs, tools[1], "skip")):
        client.post(vote_url(tool), {"choice": choice})
        client.post(f"/tools/{tool.slug}/bookmark/", {"saved": "yes"})
    response = in_view(mine, "b", "a")
    page, found = read(response), parts(response)
    assert set(found) == of_tool("a") | of_tool("b") | {"drawer"}, "and nothing is announced"
    assert page.all("form") == page.all("input") == []
    pressed = {button.attributes["id"] for button in page.all("button", aria_pressed="true")}
    assert pressed == {"vote-a-ship"}
    assert "Your vote:" not in found["ballot-b"].text
    assert found["drawer"].attributes["data-saved"].split() == ["a"]
    assert found["drawer"].text.startswith("Bookmarks 1 A")
    assert "Your vote: ship." in found["ballot-a"].text


def test_the_marks_show_the_tally_as_it_is_now_to_a_reader(client: Client, tools: list[Tool]):
    cast(tools[0], "ship")
    cast(tools[0], "skip")
    found = parts(in_view(client, "a", "b"))
    assert found["tally-a"].text == "1 ship / 1 skip"
    assert "1 ship / 1 skip" in found["ballot-a"].text
    assert "No community votes" in found["ballot-b"].text
    assert found["drawer"].text == "Bookmarks"
    assert set(parts(in_view(client))) == {"drawer"}


def test_namesakes_are_distinguished_in_the_marks(client: Client):
    for slug in ("x", "y"):
        factories.tool(slug=slug, name="Twin", label=f"the {slug}")
    page = read(in_view(client, "x", "y"))
    assert page.all("div", aria_label="Your vote on Twin (the x)")


@pytest.mark.parametrize(
    ("accepted", "encoding", "plain"),
    [
        ("gzip, deflate, br", "br", brotli.decompress),
        ("gzip", "gzip", gzip.decompress),
        ("identity", None, bytes),
    ],
)
def test_the_marks_are_compressed(
    client: Client, tools: list[Tool], accepted: str, encoding: str | None, plain: Any
):
    response = in_view(client, "a", **{"accept-encoding": accepted})
    assert response.get("Content-Encoding") == encoding
    assert response["Vary"] == "Accept-Encoding"
    assert response["Cache-Control"] == "private, no-store"
    assert plain(response.content) == in_view(client, "a").content


def test_junk_in_view_is_left_out_and_no_more_than_ten_tools_are_looked_up(
    client: Client, tools: list[Tool]
):
    for junk in ("", "\x00", "nothing", "a" * 5_000, "'; DROP TABLE", "../a", "A", "é"):
        assert set(parts(in_view(client, "b", junk))) == of_tool("b") | {"drawer"}, junk
    assert client.get("/me/marks/?tools[]=a&tools=%ff&x=1").status_code == 200
    slugs = [factories.tool(slug=f"t-{number:02}").slug for number in range(12)]
    assert len(parts(in_view(client, *slugs))) == 2 * 10 + 1


def test_a_draft_is_never_shown_nor_what_was_done_with_it(client: Client, tools: list[Tool]):
    client.post(vote_url(tools[0]), {"choice": "ship"})
    client.post("/tools/a/bookmark/", {"saved": "yes"})
    Tool.objects.filter(slug="a").update(published_at=None)
    found = parts(in_view(client, "a", "b"))
    assert set(found) == of_tool("b") | {"drawer"}
    assert found["drawer"].text == "Bookmarks"
    page = read(client.get("/me/"))
    assert "No votes." in page.text
    assert "No bookmarks yet." in page.text


@pytest.mark.parametrize("count", [1, 10])
def test_three_queries_for_a_visitor_and_one_for_a_reader(count: int, keep_content):
    tools = [factories.tool() for _ in range(count)]
    visitor, visitor_id = Client(), uuid4()
    set_visitor_cookie(visitor, visitor_id)
    for tool in tools:
        cast(tool, "ship", by=visitor_id)
        Bookmark.objects.save_tool(tool, visitor_id, timezone.now())
    slugs = [tool.slug for tool in tools]
    keep_content()
    for client, most in ((visitor, 3), (Client(), 1)):
        with CaptureQueriesContext(connection) as queries:
            assert len(parts(in_view(client, *slugs))) == 2 * count + 1
        assert len(queries) == most
    with CaptureQueriesContext(connection) as queries:
        in_view(visitor)
    assert len(queries) == 1


def test_reading_makes_no_visitor_and_writes_nothing(client: Client, tools: list[Tool]):
    before = row_counts()
    for response in (
        in_view(client, "a", "b"),
        in_view(client),
        client.get("/me/"),
        client.get("/me/forget/"),
    ):
        assert not response.cookies
        assert response["Cache-Control"] == "private, no-store"
    for method in (client.post, client.put, client.delete):
        assert method("/me/").status_code == method("/me/marks/").status_code == 405
    assert row_counts() == before


def test_without_the_database_the_answer_contains_no_fragment(
    calm_client: Client, tools: list[Tool]
):
    with unreachable_database():
        response = in_view(calm_client, "a")
    assert response.status_code in (500, 503)
    assert b"data-hx-swap-oob" not in response.content


def test_the_page_lists_a_visitors_votes_newest_first_and_counts_bookmarks(
    tools: list[Tool], snapshot
):
    client, visitor_id = Client(), uuid4()
    page = read(client.get("/me/"))
    assert "Nothing is stored" in page.text
    assert "/me/forget/" not in page.links
    set_visitor_cookie(client, visitor_id)
    for tool, choice in zip(tools, ("ship", "skip", "ship"), strict=True):
        cast(tool, choice, by=visitor_id, now=timezone.now())
    client.post("/tools/b/bookmark/", {"saved": "yes"})
    page = read(client.get("/me/"))
    assert page.visible_text == snapshot
    assert {"/tools/a/vote/", "/bookmarks/", "/me/forget/"} <= set(page.links)


def test_the_page_runs_as_many_queries_for_two_votes_as_for_thirty(settings):
    counts = []
    for votes in (2, 30):
        client, visitor_id = Client(), uuid4()
        set_visitor_cookie(client, visitor_id)
        for _ in range(votes):
            cast(factories.tool(), "ship", by=visitor_id, network=f"192.0.{votes}.0/24")
        with CaptureQueriesContext(connection) as queries:
            page = read(client.get("/me/"))
        assert len([text for text in page.texts("li") if text.startswith("Ship ")]) == votes
        counts.append(len(queries))
    assert counts == [2, 2]
