"""Tests of the turns in which pages are rendered."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from django.test import Client

from shipskip.page_cache import render_turns
from tests import factories

pytestmark = pytest.mark.django_db


@contextmanager
def all_turns_taken() -> Iterator[None]:
    """No page can be rendered inside `with`."""
    with ExitStack() as stack:
        for number in range(render_turns.MAX_RENDERED_AT_ONCE):
            stack.enter_context(render_turns.turns.take(f"198.51.{number}.0/24"))
        yield


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render_turns, "MAX_WAIT_SECONDS", 0)


def test_a_page_that_gets_no_turn_in_time_is_a_503_and_each_page_gives_its_turn_back(
    calm_client: Client,
):
    for path in ("/tools/", "/no-such-page/", "/tools/no-such-tool/"):
        with all_turns_taken():
            response = calm_client.get(path)
        assert (response.status_code, response["Retry-After"]) == (503, "5"), path
        assert response["Cache-Control"] == "private, no-store"
        assert "cannot answer" in response.text
        for _ in range(render_turns.MAX_RENDERED_AT_ONCE + 1):
            assert calm_client.get(path).status_code != 503, path


def test_votes_private_pages_and_checks_need_no_turn():
    factories.tool(slug="a", name="A")
    client = Client(headers={"Sec-Fetch-Site": "same-origin"})
    with all_turns_taken():
        assert client.post("/tools/a/vote/", {"choice": "ship"}).status_code == 303
        assert client.get("/tools/a/vote/").status_code == 200
        assert client.get("/me/").status_code == 200
        assert client.get("/livez").status_code == 200


def test_a_page_in_the_cache_needs_no_turn(page_cache):
    factories.tool(slug="a", name="A")
    assert Client().get("/tools/a/").status_code == 200
    with all_turns_taken():
        assert Client().get("/tools/a/").status_code == 200
        assert Client(raise_request_exception=False).get("/categories/a/").status_code == 503


def test_one_network_has_one_turn_and_leaves_the_other_to_other_readers():
    reader = Client(raise_request_exception=False)
    with render_turns.turns.take("198.51.100.0/24"):
        assert reader.get("/tools/", REMOTE_ADDR="198.51.100.9").status_code == 503
        assert reader.get("/tools/", REMOTE_ADDR="198.51.101.9").status_code == 200
    assert reader.get("/tools/", REMOTE_ADDR="198.51.100.9").status_code == 200
    with render_turns.turns.take("2001:db8:1::/48"):
        assert reader.get("/tools/", REMOTE_ADDR="2001:db8:1:7::9").status_code == 503
        assert reader.get("/tools/", REMOTE_ADDR="2001:db8:2:7::9").status_code == 200
