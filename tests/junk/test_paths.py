"""Every string as every part of every path, with and without its last slash."""

import re

import pytest

from tests.junk.judging import Judge
from tests.junk.sender import Sender
from tests.site import addresses

PARTS = {
    name: b"/" + re.sub(rb"<[^>]+>", b"%s", str(row.pattern).encode())
    for name, row in addresses.patterns()
    if not name.startswith("admin:") and "<" in str(row.pattern)
}
"""Where an address of the site has a part that is not always the same."""

MORE = {
    "root": b"/%s/",
    "file": b"/static/%s",
    "first of a pair": b"/compare/%s-vs-beta/",
    "second of a pair": b"/compare/alpha-vs-%s/",
    "both of a pair": b"/compare/%s-vs-%s/",
}
UNENDED = {name: path.rstrip(b"/") for name, path in MORE.items()}


def test_every_part_of_every_path_is_tried():
    assert len(PARTS) >= 14
    assert all(path.count(b"%s") == 1 for path in PARTS.values())


@pytest.mark.usefixtures("told_once")
@pytest.mark.parametrize("places", [PARTS, MORE, UNENDED], ids=["parts", "more", "unended"])
def test_no_part_of_a_path_breaks_the_site(strings, sender: Sender, judge: Judge, places):
    """A redirect stays on the site; what is too long for one is a bad request."""
    for text in strings:
        for place in places.values():
            response = sender.ask(place.replace(b"%s", text))
            assert not judge.faults(response, text), (place, text)
            assert response.status_code in (200, 301, 400, 404), (place, text)
            assert not response.cookies, (place, text)
