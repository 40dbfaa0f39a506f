"""Every string as every query parameter of every page, public and private."""

from itertools import zip_longest
from typing import Any

import pytest

from shipskip.web.cache_control import public_view
from tests import addresses
from tests.malformed_input.checking import Checker, marked, minimum_shown
from tests.malformed_input.sample_site import QUIET, SampleSite
from tests.malformed_input.sender import HTMX, Sender

READ_BY_PAGE = {
    name: view
    for name, row in addresses.patterns()
    if (view := public_view(row.callback)) and view.keys
}
"""The public pages that read a query, and the keys that they declare."""


LOOKED_UP = ("tools:list", "search:results", "search:suggest", "comparisons:suggest")
"""Pages without lists in their query that look for what they are sent in the database."""

NOT_LOOKED_UP = [
    name for name, query in READ_BY_PAGE.items() if not query.lists and name not in LOOKED_UP
]

PRESENCE_ONLY = [
    (b"/me/forget/", "done"),
    (b"/newsletter/join/", "asked"),
    (b"/newsletter/join/", "free"),
]
"""Keys of which only the presence is read, not the value."""

WEIGHED = {
    name: view
    for name, row in addresses.patterns()
    if (view := public_view(row.callback)) and view.uncached and name in QUIET
    if not name.startswith("programs:api-")
}
"""The public pages that follow a reader's own weights. The API refuses what it cannot read: see
tests/programs/test_api.py.
"""

OEMBED = ("url", "format", "maxwidth", "maxheight")

KEYS_WITH_JUNK = {key for query in READ_BY_PAGE.values() for key in query.keys} | {
    *("weigh", "weigh-builder"),
    *("removed", "compare", *(key for _, key in PRESENCE_ONLY)),
    *OEMBED,
}
"""Every query key that gets malformed input in this file."""

WITH_UNKNOWN_KEYS = "newsletter:archive"
WITHOUT_ECHO = {"comparisons:suggest", "search:suggest", "sitemap-section"} | {
    name for name in READ_BY_PAGE | WEIGHED if name.startswith("programs:")
}
"""Pages that do not show their query."""


@pytest.mark.both_databases
@pytest.mark.usefixtures("pages_rendered_once")
@pytest.mark.parametrize("name", LOOKED_UP)
def test_no_query_that_is_looked_up_breaks_a_public_page(
    strings, sender: Sender, checker: Checker, name
):
    send_as_all_keys(strings, sender, checker, name)


@pytest.mark.usefixtures("reaches_no_query", "pages_rendered_once")
@pytest.mark.parametrize("name", NOT_LOOKED_UP)
def test_no_query_breaks_a_public_page(strings, sender: Sender, checker: Checker, name):
    send_as_all_keys(strings, sender, checker, name)


def test_no_query_breaks_oembed(strings, sender: Sender, checker: Checker):
    for text in strings:
        response = sender.send(b"/oembed", [(key, text) for key in OEMBED if key != "format"])
        assert not checker.faults(response, text), text
        assert response.status_code == 404, text
        assert sender.send(b"/oembed", [("format", text)]).status_code in (404, 501), text


def send_as_all_keys(strings: list[bytes], sender: Sender, checker: Checker, name: str) -> None:
    """Send all keys of a page at once: each is read by itself, and marked where it is shown. One
    page is also sent unknown keys that look like a filter's, because a notice names them.
    """
    path, keys = QUIET[name].encode(), READ_BY_PAGE[name].keys
    for text in strings:
        query: Any = [(key, marked(text)) for key in keys]
        if name == WITH_UNKNOWN_KEYS:
            query += [(b"page" + marked(text), text), (text, text)]
        response = sender.send(path, query, headers=HTMX)
        assert not checker.faults(response, text), text
        assert response.status_code in (200, 404), text
        assert not response.cookies, text
    assert checker.echoes >= minimum_shown(strings) or name in WITHOUT_ECHO


@pytest.mark.both_databases
@pytest.mark.parametrize("name", [name for name, query in READ_BY_PAGE.items() if query.lists])
def test_no_list_in_a_query_breaks_a_public_page(strings, sender: Sender, checker: Checker, name):
    """Two strings at a time; what is marked shows on the page, the others may name a tool."""
    path, lists = QUIET[name].encode(), READ_BY_PAGE[name].lists
    others = set(READ_BY_PAGE[name].keys) - lists
    for texts in zip_longest(*[iter(strings)] * 2, fillvalue=b""):
        both = [(key, marked(text)) for key in lists for text in texts]
        first, second = ([(key, marked(text)) for key in others] for text in texts)
        for query in (both + first, second):
            response = sender.send(path, query)
            assert not checker.faults(response, *texts), texts
            assert response.status_code in (200, 302), texts
            assert not response.cookies, texts
    assert checker.echoes >= minimum_shown(strings)


@pytest.mark.usefixtures("reaches_no_query", "pages_rendered_once")
@pytest.mark.parametrize("name", WEIGHED)
def test_no_weight_causes_an_error(strings, sender: Sender, checker: Checker, name):
    """As panel, as weights of two reviewers, as names of unknown reviewers, and beside them."""
    path = QUIET[name].encode()
    for start in range(0, len(strings), 2):
        texts = strings[start : start + 2]
        query: Any = [(b"weigh", marked(texts[0])), (texts[-1], texts[-1])]
        query += zip((b"weigh-builder", b"weigh-skeptic"), map(marked, texts), strict=False)
        query += [(b"weigh-" + marked(text), text) for text in texts]
        response = sender.send(path, query, headers=HTMX)
        assert not checker.faults(response, *texts), texts
        assert response.status_code in (200, 302), texts
        assert not response.cookies, texts
    assert checker.echoes > len(strings) // 5 or name in WITHOUT_ECHO


@pytest.mark.both_databases
def test_no_tools_in_view_break_the_visitor_s_marks(
    strings, sender: Sender, private_checker: Checker, sample_site: SampleSite
):
    """Ten at a time, the most that is read: each string unchanged and marked."""
    mine = {"visitor": sample_site.mine.cookie}
    for start in range(0, len(strings), 5):
        texts = strings[start : start + 5]
        query = [("tools", value) for text in texts for value in (text, marked(text))]
        response = sender.send(b"/me/marks/", query, cookies=mine)
        assert not private_checker.faults(response, *texts), texts
        assert response.status_code == 200
        assert sample_site.mine.slug in response.content.decode()


@pytest.mark.both_databases
def test_no_query_breaks_the_list_of_bookmarks(
    strings, sender: Sender, private_checker: Checker, sample_site: SampleSite
):
    mine = {"visitor": sample_site.mine.cookie}
    for number, text in enumerate(strings):
        headers = HTMX if number % 2 else {}
        junk = [("removed", text), ("compare", text), ("tools", text)]
        response = sender.send(b"/bookmarks/", junk, headers=headers, cookies=mine)
        assert not private_checker.faults(response, text), text
        assert response.status_code == 200, text
        assert sample_site.mine.slug in response.content.decode()


@pytest.mark.usefixtures("reaches_no_query")
@pytest.mark.parametrize(("path", "key"), PRESENCE_ONLY)
def test_no_query_breaks_a_page_that_checks_for_a_key(
    strings, sender: Sender, private_checker: Checker, sample_site: SampleSite, path, key
):
    """All strings at once, as the key's values and as keys of their own."""
    for headers in ({}, HTMX):
        for start in range(0, len(strings), 400):
            texts = strings[start : start + 400]
            query = [(name, text) for text in texts for name in (key, text)]
            mine = {"visitor": sample_site.mine.cookie}
            response = sender.send(path, query, headers=headers, cookies=mine)
            assert not private_checker.faults(response, *texts)
            assert response.status_code == 200
