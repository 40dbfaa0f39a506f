"""Malformed input goes to all that the site reads, and every kind of fault is found."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.forms import Form
from django.http import HttpResponse
from django.test import Client

from comparisons.comparison_form import ToolForm
from shipskip.newsletter.issues import issue_forms
from tests import addresses
from tests.malformed_input import test_forms, test_pages
from tests.malformed_input.junk import faults

ELSEWHERE = re.compile(
    r"shipskip/desk/|/editing/|admin\.py$"  # what editors send
    r"|/management/|/migrations/"
    r"|shipskip/page_cache/(middleware|cached_page)\.py$"  # what is sent, and whether nginx asks
    r"|shipskip/web/bounded_fetch\.py$"  # what other sites answer
    r"|shipskip/programs/api_forms\.py$"  # schemathesis sends junk in tests/programs/test_api.py
)
FIELDS = test_pages.KEYS | test_forms.FIELDS
NGINX = "X-Front"
"""Only nginx sets it; tests/page_cache sends junk in it."""
HEADERS = {
    *test_pages.HEADERS,
    *test_pages.FOR_THE_PAGE,
    *test_forms.OF_BODIES,
    "Host",
    "Cookie",
    NGINX,
}


def code() -> Iterator[tuple[str, str]]:
    """Each file of the site's code, without the desk's, with its text."""
    for folder in ("shipskip", "tools", "reviews", "comparisons"):
        for path in (Path(settings.BASE_DIR) / folder).rglob("*.py"):
            if not ELSEWHERE.search(path.as_posix()):
                yield path.as_posix(), path.read_text()


def forms_of(kind: type[Form]) -> Iterator[type[Form]]:
    """The form classes of readers' pages, by way of what they inherit from."""
    for each in kind.__subclasses__():
        module = f"{each.__module__.replace('.', '/')}.py"
        ours = module.startswith(("shipskip/", "tools/", "reviews/", "comparisons/"))
        if ours and not ELSEWHERE.search(module):
            yield each
        yield from forms_of(each)


def test_every_field_that_a_form_reads_is_sent_junk(client):
    client.get("/robots.txt")  # every address, and so every form, is imported
    desk = {issue_forms.ActionForm, issue_forms.MomentForm, issue_forms.TestMailForm, ToolForm}
    fields = {
        f"{form.prefix}-{name}" if form.prefix else name
        for form in set(forms_of(Form)) - desk
        for name in form.base_fields
    }
    assert len(fields) >= 12
    assert fields <= FIELDS


PAST_A_FORM = re.compile(r"request\.(GET|POST)(\.get(list)?\(|\[)|in request\.(GET|POST)")
HEADER = re.compile(r"""headers(?:\.get\(|\[)"([^"]+)"|"([^"]+)" in request\.headers""")


def test_no_query_or_body_is_read_without_a_form():
    assert PAST_A_FORM.search('request.GET.get("q")')
    for place, text in code():
        assert not PAST_A_FORM.search(text) or place.endswith("page_cache/keys.py"), place


def test_every_header_that_is_read_is_sent_junk():
    found = set()
    for _, text in code():
        found |= {one or other for one, other in HEADER.findall(text)}
        found |= {name.replace("_", "-") for name in re.findall(r'"HTTP_([A-Z_]+)"', text)}
    found = {name.lower() for name in found if name.isascii()}
    assert len(found) >= 3
    assert found <= {name.lower() for name in HEADERS}


@pytest.mark.django_db
def test_every_address_that_accepts_a_form_is_sent_junk():
    addresses.sample_site()
    taking = {
        name
        for name, path in addresses.PRIVATE.items()
        if "POST" in Client().put(path).headers.get("Allow", "")
    }
    assert taking == test_forms.TAKING | {"programs:mcp"}  # which takes JSON


FAULTY = {
    "status 500": HttpResponse("", status=500),
    "secret": HttpResponse("somebody.else@example.org", content_type="text/plain"),
    "<junk>": HttpResponse("<p>&#x27;<junk></p>"),
    "<onjunk>": HttpResponse('<p class="" onjunk="1">'),
    "href": HttpResponse("<a href=' JavaScript:alert(1)'>"),
    "redirect": HttpResponse(status=303, headers={"Location": "//evil.example/"}),
    "header": HttpResponse(headers={"X-Said": "a\tb\x01"}),
    "cookie": HttpResponse(),
}
FAULTY["cookie"].set_cookie("junk", "1")


@pytest.mark.parametrize("fault", FAULTY)
def test_each_kind_of_fault_is_found(fault):
    [found] = faults(FAULTY[fault], ["somebody.else@example.org"])
    assert found.startswith(fault)
