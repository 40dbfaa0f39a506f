"""`/me/`: this visitor's votes and bookmarks, as a page, as marks for a public page, forgotten."""

from typing import Any
from uuid import uuid4

import brotli
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reviews.models import Vote
from tests import factories
from tests.markup import Element, read
from tests.reviews.voters import (
    cast,
    row_counts,
    set_visitor_cookie,
    tally,
    unreachable_database,
    vote_url,
)
from tools.models import Bookmark, Tool

pytestmark = pytest.mark.django_db

FORGET = "/me/forget/"


@pytest.fixture
def tools() -> list[Tool]:
    return [factories.tool(slug=name.lower(), name=name) for name in "ABC"]


@pytest.fixture
def visitor(tools: list[Tool]) -> Client:
    """A browser that voted ship on A and saved it."""
    return act(Client(), tools[0], "ship")


def act(client: Client, tool: Tool, choice: str) -> Client:
    client.post(vote_url(tool), {"choice": choice})
    client.post(f"/tools/{tool.slug}/bookmark/", {"saved": "yes"})
    return client


def in_view(client: Client, *slugs: str, **headers: str) -> Any:
    return client.get("/me/marks/", {"tools": slugs}, headers=headers)


def of_tools(*slugs: str) -> set[str]:
    """The ids of the parts of an answer about these tools."""
    return {"drawer", *(f"{part}-{slug}" for slug in slugs for part in ("ballot", "tally"))}


def parts(response: Any) -> dict[str, Element]:
    """The elements at the top of a fragment by their ids; each is out of band."""
    top = [element for element in read(response).elements if len(element.inside) == 1]
    assert all(element.attributes.get("data-hx-swap-oob") for element in top)
    found = {element.attributes["id"]: element for element in top}
    assert len(found) == len(top)
    return found


def test_the_marks_are_this_visitors_votes_and_bookmarks_and_the_tallies_of_the_tools_in_view(
    tools: list[Tool], visitor: Client
):
    act(Client(), tools[1], "skip")
    cast(tools[0], "skip")
    response = in_view(visitor, "b", "a", "c")
    page, found = read(response), parts(response)
    assert set(found) == of_tools("a", "b", "c"), "and nothing is announced"
    assert page.all("form") == page.all("input") == []
    pressed = {button.attributes["id"] for button in page.all("button", aria_pressed="true")}
    assert pressed == {"vote-a-ship"}
    assert "Your vote: ship." in found["ballot-a"].text
    assert found["tally-a"].text == "1 ship / 1 skip"
    assert "1 ship / 1 skip" in found["ballot-a"].text
    assert "Your vote:" not in found["ballot-b"].text
    assert "No community votes" in found["ballot-c"].text
    assert found["drawer"].attributes["data-saved"].split() == ["a"]
    assert found["drawer"].text.startswith("Bookmarks 1 A")
    twin = factories.tool(slug="x", name="Twin", label="the x")
    factories.tool(slug="y", name="Twin")
    response = in_view(Client(), twin.slug)
    assert read(response).all("div", aria_label="Your vote on Twin (the x)")
    assert parts(response)["drawer"].text == "Bookmarks"
    assert set(parts(in_view(Client()))) == of_tools()


def test_the_marks_are_compressed(client: Client, tools: list[Tool]):
    plain = in_view(client, "a").content
    for accepted, unpack in (("gzip, deflate, br", brotli.decompress), ("identity", bytes)):
        response = in_view(client, "a", **{"accept-encoding": accepted})
        assert response["Vary"] == "Accept-Encoding"
        assert unpack(response.content) == plain


def test_junk_in_view_is_left_out_and_no_more_than_ten_tools_are_looked_up(
    client: Client, tools: list[Tool]
):
    assert set(parts(in_view(client, "b", "", "\x00", "nothing", "../a", "é"))) == of_tools("b")
    slugs = [factories.tool(slug=f"t-{number:02}").slug for number in range(12)]
    assert len(parts(in_view(client, *slugs))) == 2 * 10 + 1


def test_a_draft_is_never_shown_nor_what_was_done_with_it(visitor: Client):
    Tool.objects.filter(slug="a").update(published_at=None)
    found = parts(in_view(visitor, "a", "b"))
    assert set(found) == of_tools("b")
    assert found["drawer"].text == "Bookmarks"
    assert {"No votes.", "No bookmarks yet."} <= set(read(visitor.get("/me/")).texts("p"))


def test_as_many_queries_for_one_tool_as_for_many(keep_content):
    visitor, visitor_id, slugs = Client(), uuid4(), list[str]()
    set_visitor_cookie(visitor, visitor_id)

    def queries_of(client: Client, path: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            client.get(path, {"tools": slugs})
        return len(queries)

    for number in (1, 9):
        for _ in range(number):
            tool = factories.tool()
            slugs.append(tool.slug)
            cast(tool, "ship", by=visitor_id)
            Bookmark.objects.save_tool(tool, visitor_id, timezone.now())
        keep_content()
        found = [queries_of(visitor, path) for path in ("/me/marks/", "/me/")]
        assert [*found, queries_of(Client(), "/me/marks/")] == [3, 2, 1]
    slugs.clear()
    assert queries_of(visitor, "/me/marks/") == 1


def test_only_the_button_forgets_and_reading_writes_nothing(visitor: Client, snapshot):
    """Nor does it make a visitor: tests/web/test_visitor.py."""
    before = row_counts()
    visitor.get("/me/marks/?tools=a&tools=b")
    page = read(visitor.get(FORGET))
    assert page.visible_text == snapshot
    assert page.one("form", action=FORGET).attributes["method"] == "post"
    assert visitor.put(FORGET).status_code == visitor.post("/me/").status_code == 405
    page = read(Client().get(FORGET))
    assert page.heading == "There is nothing to forget"
    assert page.all("form", action=FORGET) == []
    assert row_counts() == before


def test_without_the_database_the_answer_contains_no_fragment(calm_client: Client):
    with unreachable_database():
        response = in_view(calm_client, "a")
    assert response.status_code == 503
    assert b"data-hx-swap-oob" not in response.content


def test_the_page_lists_a_visitors_votes_newest_first_and_counts_bookmarks(
    tools: list[Tool], snapshot
):
    client, visitor_id = Client(), uuid4()
    page = read(client.get("/me/"))
    assert "Nothing is stored" in page.text
    assert FORGET not in page.links
    set_visitor_cookie(client, visitor_id)
    for tool, choice in zip(tools, ("ship", "skip", "ship"), strict=True):
        cast(tool, choice, by=visitor_id, now=timezone.now())
    client.post("/tools/b/bookmark/", {"saved": "yes"})
    page = read(client.get("/me/"))
    assert page.visible_text == snapshot
    assert {"/tools/a/vote/", "/bookmarks/", FORGET} <= set(page.links)


def test_forgetting_deletes_bookmarks_link_and_cookie_but_not_the_vote_nor_those_of_others(
    visitor: Client, tools: list[Tool]
):
    tool, copied = tools[0], Client()
    other = act(Client(), tool, "skip")
    visitor_id = Vote.objects.earliest("pk").visitor
    copied.cookies["visitor"] = visitor.cookies["visitor"].value
    response = visitor.post(FORGET)
    assert (response.status_code, response["Location"]) == (303, "?done=yes")
    for name in ("visitor", "marks"):
        cookie = response.cookies[name]
        assert (cookie.value, cookie["max-age"], cookie["path"]) == ("", 0, "/")
    page = read(visitor.get(f"{FORGET}?done=yes"))
    assert page.heading == "Forgotten"
    assert "stay counted, but anonymous" in page.text
    assert tally(tool) == (1, 1)
    assert not Vote.objects.filter(visitor=visitor_id).exists()
    assert Bookmark.objects.count() == 1
    assert b'value="skip" aria-pressed="true"' in other.get(vote_url(tool)).content

    assert "No votes." in read(copied.get("/me/")).text
    before = row_counts()
    for browser in (Client(), visitor, copied):
        assert browser.post(FORGET).status_code == 303, "twice or without data is no error"
    assert row_counts() == before
    visitor.post(vote_url(tool), {"choice": "ship"})
    assert tally(tool) == (2, 1), "a new visitor"


def test_the_file_has_all_that_is_stored_and_names_no_tool_that_is_not_public(
    tools: list[Tool], visitor: Client
):
    act(visitor, tools[1], "ship")
    visitor.post(vote_url(tools[1]), {"choice": "none"})
    tools[1].withdraw(timezone.now())
    answer = visitor.get("/me/data.json")
    assert answer["Content-Disposition"].startswith("attachment")
    found = answer.json()
    assert {key: len(rows) for key, rows in found.items() if key != "visitor"} == {
        "votes": 1,
        "acts": 3,
        "bookmarks": 2,
    }
    assert found["visitor"] == str(Vote.objects.get().visitor)
    assert [row["tool"] for row in found["bookmarks"]] == ["a", None]
    assert [(row["from"], row["to"]) for row in found["acts"]] == [
        ("", "ship"),
        ("", "ship"),
        ("ship", ""),
    ]
    stranger = Client().get("/me/data.json").json()
    assert stranger == {"visitor": None, "votes": [], "acts": [], "bookmarks": []}


def test_only_what_is_stored_prolongs_the_cookie(tools: list[Tool], visitor: Client):
    for path, data, renews in (
        (vote_url(tools[0]), {"choice": "ship"}, False),
        (vote_url(tools[0]), {"choice": "skip"}, True),
        (vote_url(tools[0]), {"choice": "none"}, False),
        ("/tools/a/bookmark/", {"saved": "yes"}, False),
        ("/tools/a/bookmark/", {"saved": "no"}, False),
        ("/tools/a/bookmark/", {"saved": "yes"}, True),
    ):
        assert ("visitor" in visitor.post(path, data).cookies) == renews, data
