"""Malformed paths, queries and bodies get the right status and a page in the site's design.

tests/malformed_input sends hundreds of strings everywhere; here are the cases with an answer of
their own.
"""

import pytest

from reviews.models import Vote
from shipskip.web.desk_path import DESK_PATH
from tests import addresses
from tests.markup import read
from tools.models import Bookmark

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _site(db: None) -> None:
    addresses.sample_site()


VALUES = ["", "%20", "-1", "a%00b", "%ff%fe", "%zz%", "%3Cscript%3E", "x" * 10_000, "SHIP", "true"]
KEYS = ["page", "q", "sort", "category", "entry", "verdict", "tools", "removed", "category[]", "p"]
STATUS = {
    **dict.fromkeys(["newsletter:allow", "tools:preview", "comparisons:preview", "metrics"], 404),
    **dict.fromkeys(addresses.POST_ONLY, 405),
    "reports:follow": 404,
}
"""The status of these pages, if not 200."""


def test_no_query_string_breaks_a_page(client):
    private = {n: path for n, path in addresses.PRIVATE.items() if n not in addresses.NOT_HTML}
    for number, (name, path) in enumerate((addresses.PAGES | private).items()):
        for value in (VALUES[number % len(VALUES)], "a%00b"):
            query = "&".join(f"{key}={value}" for key in KEYS)
            response = client.get(f"{path}?{query}")
            assert response.status_code == STATUS.get(name, 200), (path, value)
            assert read(response).heading, (path, value)
            assert "x" not in response.cookies, (path, value)


def test_no_shape_of_a_query_string_breaks_a_page_and_too_many_parts_are_a_400(client):
    for query in ["&&&", "=", "?", "a=b=c", "%", "%00=%00"]:
        for path in ("/tools/", "/compare/", "/me/", "/tools/alpha/vote/"):
            assert client.get(f"{path}?{query}").status_code == 200, (path, query)
    for parts, status in ((1_000, 200), (1_001, 400)):
        response = client.get("/tools/?" + "&".join(f"a{n}=1" for n in range(parts)))
        assert response.status_code == status
    assert read(response).heading == "This request could not be read"


PIECES = {
    "capitals": "ALPHA",
    "trailing junk": "alpha)",
    "5,000 characters": "a" * 5_000,
    "NUL": "alpha%00",
    "broken UTF-8": "alpha%ff",
    "an encoded slash": "alpha%2Fbeta",
    "dots": "..%2f..%2fetc%2fpasswd",
    "a broken escape": "%zz",
    "a line end": "alpha%0a",
    "a header": "alpha%0d%0aX-Injected:%201",
    "markup": "%3Cscript%3E",
    "a wide letter": "%EF%BD%81lpha",
    "hyphens": "---",
    "a file": "alpha.php",
}
PLACES = [
    *("/{}/", "/tools/{}/", "/tools/{}/vote/", "/tools/{}/bookmark/", "/categories/{}/"),
    *("/reviewers/{}/", "/tools/{}/changes/", "/compare/{}-vs-beta/", "/compare/{0}-vs-{0}/"),
    *("/sitemap-{}.xml", "/me/{}/", "/newsletter/{}/", "/static/{}.css"),
]
DESK_PLACES = ["{}/", "tools/tool/{}/", "tools/tool/{}/change/", "tools/{}/"]


def test_no_path_breaks_the_site_or_the_desk(client, editor_client):
    """Each piece goes to every fourth place, and each place gets every fourth piece."""
    for number, (name, piece) in enumerate(PIECES.items()):
        for place in PLACES[number % 4 :: 4]:
            response = client.get(place.format(piece))
            if name == "capitals" and place.startswith("/compare/"):
                assert response.status_code == 301, place
                continue
            assert response.status_code == 404, (place, name)
            assert read(response).heading == "This page does not exist", (place, name)
            assert "X-Injected" not in response.headers, place
        path = f"{DESK_PATH}{DESK_PLACES[number % 4].format(piece)}"
        for each in (client, editor_client):
            assert each.get(path).status_code in (302, 404), (path, name)


FORM = "application/x-www-form-urlencoded"


def test_no_value_and_no_kind_of_body_counts_as_a_choice(client):
    vote, bookmark = "/tools/alpha/vote/", "/tools/alpha/bookmark/"
    sent: list[tuple[str, str, str | bytes]]
    sent = [(vote, FORM, f"choice={value}") for value in VALUES]
    sent += [(bookmark, FORM, f"saved={value}") for value in VALUES]
    sent += [
        (vote, "application/json", b'{"choice": "ship"}'),
        (vote, "text/plain", b"choice=ship"),
        (vote, "multipart/form-data", b"choice=ship"),
        (vote, "multipart/form-data; boundary=x", b"--x\r\nnothing"),
        (vote, f"{FORM}; charset=nonsense", b"choice=x"),
        (vote, FORM, b"\xff\xfe\x00"),
        (vote, "", b"choice=ship"),
    ]
    for path, kind, body in sent:
        response = client.generic("POST", path, body, content_type=kind)
        assert response.status_code == 400, (path, kind, body)
        assert read(response).heading, (path, kind, body)
    assert not Vote.objects.exists()
    assert not Bookmark.objects.exists()
