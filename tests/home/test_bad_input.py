"""Any path, query or form gets the right status and a page in the site's design."""

import pytest

from reviews.models import Vote
from shipskip.web.desk_path import DESK_PATH
from tests import addresses
from tests.markup import read

pytestmark = pytest.mark.django_db

VALUES = {
    "nothing": "",
    "spaces": "%20%20",
    "minus one": "-1",
    "a huge number": "99999999999999999999",
    "a far page": "500",
    "a fraction": "1.5",
    "not a number": "NaN",
    "an unknown word": "drop",
    "NUL": "a%00b",
    "broken UTF-8": "%ff%fe",
    "half a surrogate": "%ed%a0%80",
    "a broken escape": "%zz%",
    "10,000 characters": "x" * 10_000,
    "a wildcard": "%25",
    "another wildcard": "_",
    "quotes": "%27%22%60",
    "SQL": "1%27%20OR%20%271%27=%271",
    "emoji": "%F0%9F%9A%80",
    "right to left": "%D7%A9%D7%9C%D7%95%D7%9D",
    "turned around": "%E2%80%AE",
    "markup": "%3Cscript%3Ealert(1)%3C/script%3E",
    "a template": "%7B%7B%207*7%20%7D%7D",
    "line ends": "a%0d%0aSet-Cookie:%20x=y",
    "a path": "..%2F..%2Fetc%2Fpasswd",
    "true": "true",
    "a list": "%5B%5D",
}
KEYS = ["page", "q", "sort", "category", "entry", "verdict", "tools", "removed", "category[]", "p"]
ANSWERING = {
    **addresses.PAGES,
    "comparisons:suggest": "/compare/suggest/",
    **{name: path for name, path in addresses.PRIVATE.items() if name not in addresses.NOT_HTML},
}

STATUS = {
    "reports:follow": 404,
    **dict.fromkeys(["newsletter:allow", "tools:preview", "comparisons:preview", "metrics"], 404),
    **dict.fromkeys(addresses.POST_ONLY, 405),
}
"""The status of these pages, if not 200."""


SOME = ("nothing", "a far page", "NUL", "a broken escape", "10,000 characters", "markup")


def test_no_query_string_breaks_a_page(client):
    """Some values on all pages; tests/malformed_input sends hundreds where a query is read."""
    addresses.sample_site()
    for value in (VALUES[key] for key in SOME):
        query = "&".join(f"{key}={value}" for key in KEYS)
        for name, path in ANSWERING.items():
            response = client.get(f"{path}?{query}")
            assert response.status_code == STATUS.get(name, 200), (path, value)
            page = read(response)
            assert name == "comparisons:suggest" or page.heading, (path, value)
            assert "x" not in response.cookies, (path, value)
            assert len([row for row in page.all("script") if "src" in row.attributes]) in (0, 2), (
                path
            )


def test_no_shape_of_a_query_string_breaks_a_page(client):
    addresses.sample_site()
    for query in ["", "&&&", "=", "?", "a=b=c", "%", "%00", "%00=%00", "&".join("ab")]:
        for path in ("/tools/", "/compare/", "/me/", "/tools/alpha/vote/"):
            assert client.get(f"{path}?{query}").status_code == 200, (path, query)


def test_a_query_of_too_many_parts_gets_the_site_s_400_page(client):
    addresses.sample_site()
    query = "&".join(f"a{n}=1" for n in range(1_001))
    response = client.get(f"/tools/?{query}")
    assert response.status_code == 400
    assert read(response).heading == "This request could not be read"


PIECES = {
    "capitals": "ALPHA",
    "trailing junk": "alpha)",
    "5,000 characters": "a" * 5_000,
    "NUL": "alpha%00",
    "broken UTF-8": "alpha%ff",
    "overlong UTF-8": "%c0%ae%c0%ae",
    "half a surrogate": "%ed%a0%80",
    "an encoded slash": "alpha%2Fbeta",
    "dots": "..%2f..%2fetc%2fpasswd",
    "a broken escape": "%zz",
    "a per cent": "%25",
    "spaces": "al%20pha",
    "a line end": "alpha%0a",
    "a header": "alpha%0d%0aX-Injected:%201",
    "quotes": "%27%22",
    "markup": "%3Cscript%3E",
    "emoji": "%F0%9F%9A%80",
    "right to left": "%D7%A9%D7%9C%D7%95%D7%9D",
    "a wide letter": "%EF%BD%81lpha",
    "hyphens": "---",
    "a file": "alpha.php",
    "a parameter": "alpha;x=y",
}
PLACES = [
    "/{}/",
    "/tools/{}/",
    "/tools/{}/vote/",
    "/tools/{}/bookmark/",
    "/categories/{}/",
    "/reviewers/{}/",
    "/tools/{}/changes/",
    "/compare/{}-vs-beta/",
    "/compare/{0}-vs-{0}/",
    "/sitemap-{}.xml",
    "/me/{}/",
    "/newsletter/{}/",
    "/static/{}.css",
]


TURNS = 4
"""Each piece goes to every fourth place, and each place gets every fourth piece:
tests/malformed_input sends hundreds of strings as each part of each path.
"""


def test_no_path_breaks_the_site(client):
    addresses.sample_site()
    for number, piece in enumerate(PIECES.values()):
        for place in PLACES[number % TURNS :: TURNS]:
            response = client.get(place.format(piece))
            if piece == "ALPHA" and place.startswith("/compare/"):
                assert response.status_code == 301, (place, piece)
                continue
            assert response.status_code == 404, (place, piece)
            assert read(response).heading == "This page does not exist", (place, piece)
            assert "X-Injected" not in response.headers, place


def test_no_path_breaks_the_desk(client, editor_client):
    addresses.sample_site()
    places = ("{}/", "tools/tool/{}/", "tools/tool/{}/change/", "tools/{}/")
    for number, piece in enumerate(PIECES.values()):
        path = f"{DESK_PATH}{places[number % TURNS].format(piece)}"
        assert client.get(path).status_code in (302, 404), path
        assert editor_client.get(path).status_code in (302, 404), path


def test_a_path_of_many_slashes_leads_to_no_other_host(client):
    for path in ["//", "//evil.example/", "/\\evil.example/", "/%5c%5cevil.example/"]:
        for way in (path, path.rstrip("/")):
            response = client.get("/" + way.lstrip("/") if way.count("/") < 2 else way)
            assert response.status_code in (200, 301, 404), way
            assert not response.get("Location", "").startswith(("//", "/\\", "http")), path


FORMS = {"/tools/alpha/vote/": "choice", "/tools/alpha/bookmark/": "saved"}


def test_no_form_content_counts_as_a_choice(client):
    addresses.sample_site()
    for path in FORMS:
        for value in VALUES.values():
            body = f"{FORMS[path]}={value}"
            response = client.post(path, body, content_type="application/x-www-form-urlencoded")
            assert response.status_code == 400, (path, value)
            assert read(response).heading, (path, value)
            assert not Vote.objects.exists(), (path, value)


def test_no_kind_of_body_counts_as_a_choice(client):
    addresses.sample_site()
    for kind, body in [
        ("application/json", b'{"choice": "ship"}'),
        ("text/plain", b"choice=ship"),
        ("multipart/form-data", b"choice=ship"),
        ("multipart/form-data; boundary=x", b"--x\r\nnothing"),
        ("application/x-www-form-urlencoded; charset=nonsense", b"choice=x"),
        ("application/x-www-form-urlencoded", b"\xff\xfe\x00"),
        ("", b"choice=ship"),
    ]:
        response = client.generic("POST", "/tools/alpha/vote/", body, content_type=kind)
        assert response.status_code == 400, (kind, body)
        assert read(response).heading, (kind, body)
        assert not Vote.objects.exists(), (kind, body)


def test_no_header_breaks_the_page_of_a_form(client):
    """What tests/malformed_input does not send; there, no header changes any public page."""
    addresses.sample_site()
    for header in [
        "if-none-match",
        "if-modified-since",
        "range",
        "accept",
        "accept-encoding",
        "referer",
        "hx-current-url",
    ]:
        for value in ('"', "*;;,", "a" * 8_000, "bytes=0-99999999999", "http://[", "é"):
            response = client.get("/tools/alpha/vote/", headers={header: value})
            assert response.status_code == 200, (header, value)
