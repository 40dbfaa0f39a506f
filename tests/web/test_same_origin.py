"""Whether a form was sent by a page of this site, by the browser's headers."""

import pytest
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware
from django.test import Client, RequestFactory
from pytest_django import Settings
from syrupy.assertion import SnapshotAssertion

from shipskip.web.same_origin import NOT_SAME_ORIGIN, is_same_origin, same_origin_only
from tests import addresses
from tests.house_rules import PUBLIC_FORMS
from tests.markup import read

OURS, OTHER = "http://testserver", "https://evil.example"


@pytest.mark.parametrize(
    ("headers", "own"),
    [
        ({}, False),
        # Sec-Fetch-Site decides alone.
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "same-origin", "origin": OTHER}, True),
        ({"sec-fetch-site": "same-site", "origin": OURS}, False),
        ({"sec-fetch-site": "cross-site", "origin": OURS, "referer": f"{OURS}/"}, False),
        ({"sec-fetch-site": "none", "origin": OURS}, False),
        ({"sec-fetch-site": "", "origin": OURS}, False),
        ({"sec-fetch-site": "Same-Origin", "origin": OURS}, False),
        ({"sec-fetch-site": "same-origin, cross-site", "origin": OURS}, False),
        # Without it, Origin.
        ({"origin": OURS}, True),
        ({"origin": f"{OURS}:80"}, True),
        ({"origin": "HTTP://TestServer"}, True),
        ({"origin": OURS, "referer": f"{OTHER}/"}, True),
        ({"origin": "https://testserver"}, False),
        ({"origin": f"{OURS}:81"}, False),
        ({"origin": f"{OURS}."}, False),
        ({"origin": f"{OURS}/"}, False),
        ({"origin": f"{OURS}, {OURS}"}, False),
        ({"origin": f"{OURS}.evil.example"}, False),
        ({"origin": "http://ada@testserver"}, False),
        ({"origin": "ftp://testserver"}, False),
        ({"origin": "http://["}, False),
        ({"origin": ""}, False),
        ({"origin": "null"}, False),
        ({"origin": "null", "referer": f"{OURS}/"}, False),
        # Without both, Referer.
        ({"referer": f"{OURS}/newsletter/?a=b#c"}, True),
        ({"referer": OURS}, True),
        ({"referer": "https://testserver/"}, False),
        ({"referer": f"{OURS}.evil.example/"}, False),
        ({"referer": f"{OURS}\\@evil.example/"}, False),
        ({"referer": f"{OTHER}/{OURS}/"}, False),
        ({"referer": "http://["}, False),
        ({"referer": ""}, False),
    ],
)
def test_only_our_own_scheme_host_and_port_are_ours(
    rf: RequestFactory, headers: dict[str, str], own: bool
):
    assert is_same_origin(rf.post("/", headers=headers)) is own


@pytest.mark.parametrize(
    ("host", "origin", "own"),
    [
        ("192.168.1.20:8000", "http://192.168.1.20:8000", True),
        ("192.168.1.20:8000", "http://192.168.1.20", False),
        ("[fd00::1]", "http://[fd00::1]", True),
        ("[FD00::1]:8000", "http://[fd00::1]:8000", True),
        ("Ship.Example:80", "http://ship.example", True),
        ("ship.example.", "http://ship.example.", True),
        ("ship.example.", "http://ship.example", False),
        ("ship.example", "http://www.ship.example", False),
    ],
)
def test_the_host_may_be_any_that_the_site_allows(
    rf: RequestFactory, settings: Settings, host: str, origin: str, own: bool
):
    settings.ALLOWED_HOSTS = ["*"]
    assert is_same_origin(rf.post("/", headers={"host": host, "origin": origin})) is own


@pytest.mark.parametrize(
    ("protocol", "trusted", "own"),
    [("https", [], True), ("http", [], False), ("http", ["https://testserver"], True)],
)
def test_behind_a_proxy_with_tls_the_scheme_is_what_the_proxy_says_or_the_setting(
    rf: RequestFactory, settings: Settings, protocol: str, trusted: list[str], own: bool
):
    settings.CSRF_TRUSTED_ORIGINS = trusted
    request = rf.post("/", headers={"host": "testserver", "origin": "https://testserver"})
    request.META["HTTP_X_FORWARDED_PROTO"] = protocol
    assert is_same_origin(request) is own


@same_origin_only
def echo(request: HttpRequest, word: str) -> HttpResponse:
    """A view of a public form."""
    return HttpResponse(f"{request.method} {word}")


def test_a_public_form_needs_no_token_and_refuses_with_a_page(
    rf: RequestFactory, snapshot: SnapshotAssertion
):
    strict = CsrfViewMiddleware(lambda request: echo(request, word="done"))
    ours = rf.post("/", headers={"origin": OURS})
    assert strict.process_view(ours, echo, (), {}) is None
    assert echo(ours, word="done").content == b"POST done"
    for method in ("get", "head", "options"):
        assert echo(getattr(rf, method)("/"), word="done").status_code == 200
    for method in ("post", "put", "patch", "delete"):
        refused = echo(getattr(rf, method)("/", headers={"origin": OTHER}), word="done")
        assert refused.status_code == 403
    page = read(refused)
    assert page.visible_text == snapshot
    refused = echo(rf.post("/", headers={"hx-request": "true"}), word="done")
    assert (refused.status_code, refused["Content-Type"]) == (403, "text/plain; charset=utf-8")
    assert refused.content.decode() == NOT_SAME_ORIGIN


@pytest.mark.django_db
def test_each_form_of_a_public_page_is_accepted_from_our_own_pages_alone():
    client = Client(enforce_csrf_checks=True)
    for name in sorted(PUBLIC_FORMS):
        path = addresses.PRIVATE[name]
        for headers in ({}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}):
            refused = client.post(path, headers=headers)
            assert refused.status_code == 403, (name, headers)
            assert "Nothing was changed" in read(refused).text
        own: tuple[dict[str, str], ...] = (
            {"sec-fetch-site": "same-origin"},
            {"origin": OURS},
            {"referer": f"{OURS}/"},
        )
        for headers in own:
            assert client.post(path, headers=headers).status_code != 403, (name, headers)
    for path in ("/newsletter/join/", "/admin/login/", "/admin/tools/tool/add/"):
        for name in ("referer", "origin", "hx-current-url"):
            response = client.post(path, {"a": "b"}, secure=True, headers={name: "http://[::1"})
            assert response.status_code == 403, (path, name)
