"""The HTMX answer to a vote: the form and, out of band, the other elements it changed."""

from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client

from tests import factories
from tests.markup import Element, read
from tests.reviews.voters import in_place, row_counts, rows, vote_url
from tools.models import Tool

pytestmark = pytest.mark.django_db


@pytest.fixture
def tool() -> Tool:
    return factories.tool(slug="a", name="A & B")


@pytest.fixture
def url(tool: Tool) -> str:
    return in_place(tool)


def send(client: Client, url: str, choice: str) -> Any:
    return client.post(url, {"choice": choice, "next": "/compare/a-vs-b/"})


def parts(response: Any) -> list[Element]:
    """The top-level elements of a fragment."""
    return [element for element in read(response).elements if len(element.inside) == 1]


def test_the_answer_is_one_form_and_out_of_band_parts_each_with_an_id(client: Client, url: str):
    form, *others = parts(send(client, url, "ship"))
    assert (form.name, form.attributes["id"]) == ("form", "vote-a")
    assert "data-hx-swap-oob" not in form.attributes
    assert [part.attributes["id"] for part in others] == ["tally-a", "announce"]
    assert all(part.attributes["data-hx-swap-oob"] for part in others)


def test_the_answer_is_a_fragment_and_no_page(client: Client, url: str):
    response = send(client, url, "ship")
    assert response.status_code == 200
    assert b"<html" not in response.content
    assert response["Cache-Control"] == "private, no-store"
    assert client.get(url).status_code == 405


def test_the_tally_is_updated_at_once_wherever_the_page_shows_it(client: Client, url: str):
    for choice, words, short in (
        ("ship", "1 ship / 0 skip", "1 ship / 0 skip"),
        ("skip", "0 ship / 1 skip", "0 ship / 1 skip"),
        ("none", "No community votes yet", "—"),
    ):
        page = read(send(client, url, choice))
        assert page.by_id("tally-a").text == short
        assert words in page.by_id("vote-a").text


def test_the_pressed_button_and_the_sentence_show_the_choice(client: Client, url: str):
    for choice, message in (
        ("ship", "You voted ship."),
        ("skip", "You voted skip."),
        ("none", "You have no vote on this tool now."),
    ):
        page = read(send(client, url, choice))
        pressed = page.all("button", aria_pressed="true")
        assert [button.attributes["value"] for button in pressed] == [choice] * (choice != "none")
        assert page.by_id("announce").text.startswith(f"A & B: {message}")
        assert message in page.by_id("vote-a").text


def test_buttons_keep_their_ids_so_that_the_focus_can_stay(client: Client, url: str):
    ids = {"vote-a-ship", "vote-a-skip", "vote-a-none"}
    for choice in ("ship", "skip", "none"):
        buttons = read(send(client, url, choice)).all("button")
        assert {button.attributes["id"] for button in buttons} == ids


def test_the_new_form_leads_to_the_same_addresses_and_has_no_token(client: Client, url: str):
    page = read(send(client, url, "ship"))
    form = page.one("form", id="vote-a").attributes
    assert (form["action"], form["data-hx-post"]) == ("/tools/a/vote/", url)
    fields = {field.attributes["name"]: field.attributes["value"] for field in page.all("input")}
    assert fields == {"next": "/compare/a-vs-b/"}


def test_junk_is_answered_with_a_sentence_for_the_form_that_stays(client: Client, url: str):
    send(client, url, "skip")
    before = row_counts()
    response = send(client, url, "both")
    assert (response.status_code, response["Content-Type"]) == (400, "text/plain; charset=utf-8")
    assert response.content.decode() == "Choose ship, skip, or take your vote back."
    assert row_counts() == before


def test_the_answer_to_a_first_vote_has_a_message_for_a_browser_that_refuses_cookies(
    client: Client, url: str
):
    for choice, hidden in (("none", 0), ("ship", 2), ("skip", 0)):
        page = read(send(client, url, choice))
        warnings = [element for element in page.all("span") if "hidden" in element.attributes]
        assert len(warnings) == hidden, "in the form and in the announcement"
        assert all("you cannot change the vote" in element.text for element in warnings)


def test_a_name_in_markup_is_shown_as_written_and_runs_nothing(client: Client, url: str):
    Tool.objects.update(name='<b onclick="x">"&')
    response = send(client, url, "ship")
    assert read(response).by_id("announce").text.startswith('<b onclick="x">"&:')
    names: list[str] = []

    class Names(HTMLParser):
        def handle_starttag(self, tag: str, attrs: Any) -> None:
            names.append(tag)

    Names().feed(response.content.decode())
    assert "b" not in names


def test_page_and_fragment_do_the_same(client: Client, url: str, tool: Tool):
    send(client, url, "ship")
    client.post(vote_url(tool), {"choice": "skip"})
    assert rows(tool) == [("skip", "counted")]
    assert b'value="skip" aria-pressed="true"' in client.get(vote_url(tool)).content
