"""Junk reaches everything that the site reads, and the judge finds every kind of fault."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.test import Client

from tests.junk import test_forms, test_headers, test_queries
from tests.junk.judging import BEGIN, END, Judge
from tests.junk.strings import OWN
from tests.site import addresses

ELSEWHERE = re.compile(
    r"shipskip/desk/|/editing/|admin\.py$"  # what editors send
    r"|/management/|/migrations/"
    r"|shipskip/page_cache/middleware\.py$"  # reads only the presence of a header
)
SENT = {
    "GET": test_queries.FED | {"p"},
    "POST": test_forms.FED,
    "headers": {*test_headers.HEADERS, *test_headers.FOR_THE_PAGE, "Host"},
}


def read_by_the_site(place: str) -> set[str]:
    """The names that the site's code, without the desk's, reads from `request.GET`…"""
    names = rf"""{place}(?:\.get(?:list)?\(|\[)"([^"]+)"|"([^"]+)" in request\.{place}\b"""
    found = set()
    for folder in ("shipskip", "tools", "reviews", "comparisons"):
        for path in (Path(settings.BASE_DIR) / folder).rglob("*.py"):
            if not ELSEWHERE.search(path.as_posix()):
                text = path.read_text()
                found |= {one or other for one, other in re.findall(names, text)}
                if place == "headers":
                    pairs = re.findall(r'"HTTP_([A-Z_]+)"', text)
                    found |= {name.replace("_", "-") for name in pairs}
    return {name for name in found if name.isascii()}


@pytest.mark.parametrize("place", SENT)
def test_whatever_the_site_reads_of_a_request_is_sent_junk(place):
    found = read_by_the_site(place)
    assert len(found) >= 3
    assert {name.lower() for name in found} <= {name.lower() for name in SENT[place]}


@pytest.mark.django_db
def test_whatever_takes_a_form_is_sent_junk():
    addresses.world()
    taking = {
        name
        for name, path in addresses.PRIVATE.items()
        if "POST" in Client().put(path).headers.get("Allow", "")
    }
    assert taking == test_forms.TAKING


def test_every_string_is_sent_once(strings):
    assert len(strings) == len(set(strings)) >= 500
    assert set(OWN) < set(strings)


FAULTY = {
    "answered 500": HttpResponse("", status=500),
    "revealed": HttpResponse("somebody.else@example.org", content_type="text/plain"),
    "shows it unescaped": HttpResponse("<p>'\"<b>x</b></p>"),
    "shows": HttpResponse(f"<p>{BEGIN}&#x27;&quot;<b>x</b>{END}</p>"),
    "shows it where no text belongs": HttpResponse(f"<p {BEGIN}'\"<b>x</b>{END}></p>"),
    "holds marquee": HttpResponse("<marquee>"),
    "holds <p onclick>": HttpResponse("<p onclick='x()'>"),
    "holds <a href=": HttpResponse("<a href=' JavaScript:alert(1)'>"),
    "holds <script> from elsewhere": HttpResponse("<script>alert(1)</script>"),
    "holds a comment": HttpResponse("<!-- x -->"),
    "led to": HttpResponse(status=303, headers={"Location": "//evil.example/"}),
    "sent the header": HttpResponse(headers={"X-Said": "a\tb\x01"}),
}


@pytest.fixture
def strict() -> Judge:
    """Judges the pages below, with a fixed list of names."""
    return Judge({"p", "b", "a", "href"}, ["somebody.else@example.org"])


@pytest.mark.parametrize("fault", FAULTY)
def test_a_fault_would_be_seen(strict: Judge, fault):
    found = strict.faults(FAULTY[fault], b"'\"<b>x</b>")
    assert any(it.startswith(fault) for it in found), found


@pytest.mark.parametrize("name", ["visitor", "junk"])
def test_a_cookie_would_be_seen(strict: Judge, name):
    response = HttpResponse()
    response.set_cookie(name, "a\r\nX-Injected: 1" if name == "visitor" else "1")
    response.cookies[name]["path"] = "/\r\nX-Injected: 1"
    assert strict.faults(response, b"x")


def test_what_is_shown_well_is_no_fault(strict: Judge):
    html = f"<p>{BEGIN}&#x27;&quot;&lt;b&gt;x&lt;/b&gt;{END} and {BEGIN}&#x27;&quot;…</p>"
    assert strict.faults(HttpResponse(html), b"'\"<b>x</b>") == []
    assert strict.echoes == 2
