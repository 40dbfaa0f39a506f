"""Every string as every query parameter of every page, public and private."""

from itertools import zip_longest
from typing import Any

import pytest

from shipskip.web.cache_control import public_view
from tests import addresses
from tests.junk.judging import Judge, marked
from tests.junk.sender import HTMX, Sender
from tests.junk.world import QUIET, World

ASKED = {
    name: view
    for name, row in addresses.patterns()
    if (view := public_view(row.callback)) and view.keys
}
"""The public pages that read a query, and the keys that they declare."""


HERE_OR_NOT = [
    (b"/me/forget/", "done"),
    (b"/newsletter/join/", "asked"),
    (b"/newsletter/join/", "free"),
]
"""Keys of which only the presence is read, not the value."""

FED = {key for query in ASKED.values() for key in query.keys} | {
    *("removed", *(key for _, key in HERE_OR_NOT))
}
"""Every key that gets junk here."""

STRANGELY = "newsletter:archive"
UNTOLD = {"comparisons:suggest", "sitemap-section"}
"""Pages that show nothing of their query."""


@pytest.mark.usefixtures("pages_rendered_once")
@pytest.mark.parametrize("name", [name for name, query in ASKED.items() if not query.lists])
def test_no_query_breaks_a_public_page(strings, sender: Sender, judge: Judge, name):
    """All keys of a page at once: each is read by itself, and marked where it is shown. One page
    is sent strange keys as well, those that look like a filter's: a notice names them.
    """
    path, keys = QUIET[name].encode(), ASKED[name].keys
    for text in strings:
        query: Any = [(key, marked(text)) for key in keys]
        if name == STRANGELY:
            query += [(b"page" + marked(text), text), (text, text)]
        response = sender.ask(path, query, headers=HTMX)
        assert not judge.faults(response, text), text
        assert response.status_code in (200, 404), text
        assert not response.cookies, text
    assert judge.echoes > 100 or name in UNTOLD


@pytest.mark.parametrize("name", [name for name, query in ASKED.items() if query.lists])
def test_no_list_in_a_query_breaks_a_public_page(strings, sender: Sender, judge: Judge, name):
    """Two strings at a time; what is marked shows on the page, the others may name a tool."""
    path, lists = QUIET[name].encode(), ASKED[name].lists
    others = set(ASKED[name].keys) - lists
    for texts in zip_longest(*[iter(strings)] * 2, fillvalue=b""):
        both = [(key, marked(text)) for key in lists for text in texts]
        first, second = ([(key, marked(text)) for key in others] for text in texts)
        for query in (both + first, second):
            response = sender.ask(path, query)
            assert not judge.faults(response, *texts), texts
            assert response.status_code in (200, 302), texts
            assert not response.cookies, texts
    assert judge.echoes > 100


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "fragment"])
def test_no_tools_in_view_break_what_is_a_visitors_own(
    strings, sender: Sender, private_judge: Judge, world: World, headers
):
    """Ten at a time, the most that is read: each string unchanged and marked."""
    mine = {"visitor": world.mine.cookie}
    for start in range(0, len(strings), 5):
        texts = strings[start : start + 5]
        query = [("tools", value) for text in texts for value in (text, marked(text))]
        response = sender.ask(b"/me/", query, headers=headers, cookies=mine)
        assert not private_judge.faults(response, *texts), texts
        assert response.status_code == 200
        assert world.mine.slug in response.content.decode()


def test_no_query_breaks_the_list_of_bookmarks(
    strings, sender: Sender, private_judge: Judge, world: World
):
    mine = {"visitor": world.mine.cookie}
    for number, text in enumerate(strings):
        headers = HTMX if number % 2 else {}
        response = sender.ask(b"/bookmarks/", [("removed", text)], headers=headers, cookies=mine)
        assert not private_judge.faults(response, text), text
        assert response.status_code == 200, text
        assert world.mine.slug in response.content.decode()


@pytest.mark.parametrize(("path", "key"), HERE_OR_NOT)
def test_no_query_breaks_a_page_that_looks_whether_a_key_is_there(
    strings, sender: Sender, private_judge: Judge, world: World, path, key
):
    """All strings at once, as the key's values and as keys of their own."""
    for headers in ({}, HTMX):
        for start in range(0, len(strings), 400):
            texts = strings[start : start + 400]
            query = [(name, text) for text in texts for name in (key, text)]
            mine = {"visitor": world.mine.cookie}
            response = sender.ask(path, query, headers=headers, cookies=mine)
            assert not private_judge.faults(response, *texts)
            assert response.status_code == 200
