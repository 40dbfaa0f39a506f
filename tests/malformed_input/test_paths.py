"""Every string as every part of every path, with and without its last slash."""

import re

import pytest
from django.urls import Resolver404, resolve
from django.utils.encoding import repercent_broken_unicode

from tests import addresses
from tests.malformed_input.checking import Checker
from tests.malformed_input.sender import Sender

FORMATS = {"feed_format": "atom", "twin": "json", "table": "csv"}
"""An end of an address for each kind of twin."""


def with_gap(pattern: str) -> bytes:
    """An address with a gap for each variable part; the end that names a format is known, if
    another part varies too.
    """
    if pattern.count("<") > 1:
        pattern = re.sub("<([a-z_]+):[a-z_]+>", lambda it: FORMATS.get(it[1], "%s"), pattern)
    return f"/{re.sub('<[^>]+>', '%s', pattern)}".encode()


PARTS = {
    name: with_gap(str(row.pattern))
    for name, row in addresses.patterns()
    if not name.startswith("admin:") and "<" in str(row.pattern)
}
"""The site's addresses with a variable part."""

MORE = {
    "root": b"/%s/",
    "file": b"/static/%s",
    "first of a pair": b"/compare/%s-vs-beta/",
    "second of a pair": b"/compare/alpha-vs-%s/",
    "both of a pair": b"/compare/%s-vs-%s/",
}
UNENDED = {name: MORE[name].rstrip(b"/") for name in ("root", "first of a pair")}


@pytest.mark.both_databases
def test_every_part_of_every_path_is_tried():
    assert len(PARTS) >= 14
    assert all(b"%s" in path for path in PARTS.values())


def has_view(path: bytes) -> bool:
    """Whether an address has a view."""
    try:
        resolve(repercent_broken_unicode(path).decode())
    except Resolver404:
        return False
    return True


@pytest.mark.both_databases
@pytest.mark.usefixtures("pages_rendered_once")
@pytest.mark.parametrize("places", [PARTS, MORE, UNENDED], ids=["parts", "more", "unended"])
def test_no_part_of_a_path_breaks_the_site(strings, sender: Sender, checker: Checker, places):
    """A redirect stays on the site; a path too long for one is a bad request. Paths without a view
    get the same 404 page, so each string is sent to only two of them in turn.
    """
    for number, text in enumerate(strings):
        paths = [place.replace(b"%s", text) for place in places.values()]
        with_view = [path for path in paths if places is not PARTS or has_view(path)]
        others = [path for path in paths if path not in with_view]
        for path in with_view + [
            others[(number + step) % len(others)] for step in (0, 1) if others
        ]:
            response = sender.send(path)
            assert not checker.faults(response, text), path
            assert response.status_code in (200, 301, 400, 404, 405), path
            assert not response.cookies, path
