"""Public bytes are the same for everybody; private ones are never cached."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse

from shipskip.web.cache_control import public, public_view
from shipskip.web.desk_path import DESK_PATH
from shipskip.web.problems import PROBLEM_TYPE, is_for_programs
from tests import addresses
from tests.markup import read

pytestmark = pytest.mark.django_db


def is_private(response) -> bool:
    """Whether no cache may store the answer."""
    directives = response["Cache-Control"]
    return "private" in directives and "no-store" in directives and "public" not in directives


def test_every_address_is_listed_as_public_or_private():
    found = {name for name, _ in addresses.patterns() if not name.startswith("admin:")}
    listed = set(addresses.PUBLIC) | set(addresses.FILES) | set(addresses.PRIVATE)
    assert found - listed == set(), "add it to a table of tests/addresses.py"
    assert listed - found == set(), "this address is gone"
    assert not set(addresses.PUBLIC) & set(addresses.PRIVATE)


def test_a_private_page_is_never_cached(editor_client):
    addresses.sample_site()
    for path in addresses.PRIVATE.values():
        for headers in ({}, {"hx-request": "true"}):
            assert is_private(editor_client.get(path, headers=headers)), path


def test_the_desk_is_never_cached(client, editor_client):
    """What is not marked public is private; nothing of the desk is marked."""
    rows = [row for name, row in addresses.patterns() if name.startswith("admin:")]
    assert len(rows) > 20
    assert not [row for row in rows if public_view(row.callback)]
    for path in ("", "tools/tool/", "tools/tool/add/", "coverage/", "jsi18n/", "unknown/"):
        for browser in (client, editor_client):
            assert is_private(browser.get(DESK_PATH + path)), path


def test_a_wrong_method_is_refused_with_the_site_s_page(client, snapshot):
    addresses.sample_site()
    for path in [*addresses.PUBLIC.values(), *addresses.FILES.values()]:
        is_api = path.startswith("/api/")  # where scripts of other sites ask by OPTIONS
        rare = ("OPTIONS", "PUT", "DELETE", "BREW") if path in ("/", "/api/v1/tools") else ()
        for method in ("POST", *rare):
            response = client.generic(method, path)
            assert response.status_code == (204 if is_api and method == "OPTIONS" else 405), path
            assert response["Allow"] == ("GET, HEAD, OPTIONS" if is_api else "GET, HEAD"), path
            assert is_private(response), path
            assert not response.cookies, path
            if is_for_programs(path.partition("?")[0]):
                assert is_api or response["Content-Type"] == PROBLEM_TYPE, path
            else:
                text = read(response).visible_text
                assert method in text, path
                assert text.replace(method, "POST") == snapshot(name="POST refused"), path
    for path in addresses.PRIVATE.values():
        response = client.put(path)
        assert response.status_code == 405, path
        allowed = set(response["Allow"].split(", "))
        assert allowed - {"POST", "OPTIONS"} in ({"GET", "HEAD"}, set()), path


def test_a_view_that_belongs_to_a_visitor_cannot_be_marked_public(rf):
    def cookie(request: HttpRequest) -> HttpResponse:
        response = HttpResponse()
        response.set_cookie("a", "b")
        return response

    def varying(request: HttpRequest) -> HttpResponse:
        return HttpResponse(headers={"Vary": "Accept, Cookie"})

    for view in (cookie, varying):
        with pytest.raises(ImproperlyConfigured, match="varies by cookie"):
            public(view)(rf.get("/"))
    failed = public(lambda request: HttpResponse(status=500))(rf.get("/"))
    assert "Cache-Control" not in failed


def test_a_damaged_cookie_changes_no_public_answer(client):
    """Django deletes a damaged session cookie on the next page, whichever it is."""
    addresses.sample_site()
    whole = client.get("/tools/alpha/")
    for junk in ("x", "\x00", '"; Path=/'):
        for name in ("sessionid", "csrftoken", "messages", "visitor"):
            client.cookies[name] = junk
        response = client.get("/tools/alpha/")
        assert response.content == whole.content, junk
        revalidation = client.get("/tools/alpha/", headers={"if-none-match": whole["ETag"]})
        assert revalidation.status_code == 304, junk
        for answer in (response, revalidation):
            assert not answer.cookies, junk
            assert answer["Cache-Control"] == "public, max-age=0, must-revalidate"
            assert "Expires" not in answer
            assert "Cookie" not in answer.get("Vary", ""), junk
