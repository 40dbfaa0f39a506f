"""Public bytes are the same for everybody; private ones are never cached."""

import re

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse

from shipskip.search.indexing import index_all
from shipskip.web.cache_control import public
from shipskip.web.desk_path import DESK_PATH
from tests import addresses
from tests import factories as make
from tests.markup import read
from tests.settings import N_PLUS_ONE_WATCH
from tools.models import FormerSlug, Tool

pytestmark = pytest.mark.django_db

VARIANTS = {
    **addresses.PUBLIC,
    "tools filtered": "/tools/?q=alpha&category=agents&entry=free&verdict=split&sort=name",
    "tools with a notice": "/tools/?sort=drop&page=-1",
    "picker with faults": "/compare/?tools=alpha&tools=zzz",
    "suggestions": "/compare/suggest/?tools=al",
    "reviewer of a category": "/reviewers/builder/?category=agents",
    "sitemap of pages": "/sitemap-pages.xml",
    "sitemap of comparisons": "/sitemap-comparisons.xml",
}
ANSWERED = {name: path for name, path in VARIANTS.items() if name not in addresses.REDIRECTS}
REDIRECTS = {
    "pair in the other order": "/compare/beta-vs-alpha/",
    "capitals": "/compare/ALPHA-vs-beta/",
    "tool against itself": "/compare/alpha-vs-alpha/",
    "one tool": "/compare/alpha/",
    "picker": "/compare/?tools=alpha&tools=beta",
    "earlier slug": "/tools/old/",
    "pair of an earlier slug": "/compare/alpha-vs-old/",
    "favicon": "/favicon.ico",
}


def is_public(response) -> bool:
    """Whether a shared cache may store the answer for everybody."""
    directives = response["Cache-Control"].split(", ")
    private = "private" in directives or "no-store" in directives
    return "public" in directives and not private and "Cookie" not in response.get("Vary", "")


def is_private(response) -> bool:
    """Whether no cache may store the answer."""
    directives = response["Cache-Control"]
    return "private" in directives and "no-store" in directives and "public" not in directives


def test_every_address_is_listed_as_public_or_private():
    found = {name for name, _ in addresses.patterns() if not name.startswith("admin:")}
    listed = set(addresses.PUBLIC) | set(addresses.FILES) | set(addresses.PRIVATE)
    assert found - listed == set(), "add it to PUBLIC, FILES or PRIVATE in tests/addresses.py"
    assert listed - found == set(), "this address is gone"


def test_an_address_is_public_or_private_and_not_both():
    assert not set(addresses.PUBLIC) & set(addresses.PRIVATE)


def test_a_public_page_may_be_cached_and_revalidates(client):
    addresses.sample_site()
    for path in ANSWERED.values():
        response = client.get(path)
        assert response.status_code == 200, path
        assert is_public(response), path
        assert re.fullmatch(r'"[0-9a-f]+"', response["ETag"]), path
        revalidation = client.get(path, headers={"if-none-match": response["ETag"]})
        assert (revalidation.status_code, revalidation.content) == (304, b""), path
        assert revalidation["ETag"] == response["ETag"], path
        assert is_public(revalidation), path


def test_another_etag_gets_the_page(client):
    addresses.sample_site()
    assert client.get("/", headers={"if-none-match": '"other"'}).status_code == 200


def test_a_changed_page_has_another_etag(client):
    addresses.sample_site()
    before = client.get("/tools/alpha/")["ETag"]
    make.take(on=Tool.objects.get(slug="alpha"))
    response = client.get("/tools/alpha/", headers={"if-none-match": before})
    assert response.status_code == 200
    assert response["ETag"] != before


def test_a_public_redirect_may_be_cached(client):
    addresses.sample_site()
    FormerSlug.objects.create(slug="old", tool=Tool.objects.get(slug="beta"))
    for path in REDIRECTS.values():
        response = client.get(path)
        assert response.status_code in (301, 302), path
        assert is_public(response), path


def test_a_public_page_does_not_use_the_session(editor_client, django_assert_max_num_queries):
    addresses.sample_site()
    index_all()
    for path in VARIANTS.values():
        with django_assert_max_num_queries(20) as queries:
            editor_client.get(path)
        statements = " ".join(query["sql"] for query in queries.captured_queries)
        assert "django_session" not in statements, path
        assert "auth_user" not in statements, path


def test_development_answers_the_same_bytes(client, settings):
    addresses.sample_site()
    before = {path: client.get(path).content for path in ANSWERED.values()}
    settings.DEBUG = True
    for path, content in before.items():
        assert client.get(path).content == content, path


def test_a_head_request_gets_the_same_headers(client):
    addresses.sample_site()
    for path in ANSWERED.values():
        got, head = client.get(path), client.head(path)
        assert head.content == b"", path
        assert (head.status_code, head["ETag"], head["Cache-Control"]) == (
            got.status_code,
            got["ETag"],
            got["Cache-Control"],
        ), path


def test_a_public_page_holds_no_token(client):
    addresses.sample_site()
    for path in ANSWERED.values():
        html = client.get(path).content.decode()
        assert "csrf" not in html.lower(), path
        assert "nonce" not in html, path


HTML = {
    name: path
    for name, path in ANSWERED.items()
    if not path.endswith((".xml", ".txt", ".atom", ".json", ".webmanifest"))
}


def test_no_page_holds_a_script_or_a_style_of_its_own(client):
    addresses.sample_site()
    for path in (
        HTML
        | {name: path for name, path in addresses.PRIVATE.items() if name not in addresses.NOT_HTML}
    ).values():
        for element in read(client.get(path)).elements:
            assert element.name != "style", path
            if element.name == "script" and element.attributes.get("type") != "application/ld+json":
                assert element.attributes.get("src", "").startswith("/static/"), path
            assert "style" not in element.attributes, path
            assert not [
                key for key in element.attributes if key.startswith(("on", "data-hx-on"))
            ], path
            for key in ("href", "src", "action"):
                assert (
                    not element.attributes.get(key, "").lower().startswith(("javascript:", "data:"))
                ), path


def test_all_resources_of_a_page_are_from_our_own_origin(client):
    addresses.sample_site()
    for path in addresses.PAGES.values():
        page = read(client.get(path))
        loaded = [e.attributes["src"] for e in page.elements if "src" in e.attributes]
        loaded += [
            e.attributes["href"]
            for e in page.all("link")
            if e.attributes["rel"] not in ("alternate", "canonical", "manifest", "search")
        ]
        assert loaded, path
        for url in loaded:
            assert url.startswith("/static/"), path
            assert client.get(url).status_code == 200, path


def test_the_policy_allows_our_own_origin_alone(client):
    addresses.sample_site()
    for path in addresses.PAGES.values():
        response = client.get(path)
        policy = dict(
            part.strip().split(" ", 1) for part in response["Content-Security-Policy"].split(";")
        )
        assert policy["default-src"] == "'none'", path
        assert policy["script-src"] == policy["style-src"] == "'self'", path
        assert "unsafe" not in response["Content-Security-Policy"], path
        assert response["X-Content-Type-Options"] == "nosniff", path
        assert response["X-Frame-Options"] == "DENY", path


def test_a_private_page_is_never_cached(client, editor_client):
    addresses.sample_site()
    for path in addresses.PRIVATE.values():
        for browser in (client, editor_client):
            for headers in ({}, {"hx-request": "true"}):
                assert is_private(browser.get(path, headers=headers)), path


def test_the_desk_is_never_cached(client, editor_client, settings):
    """Only the headers are checked: some of Django's own screens load row by row."""
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if name != N_PLUS_ONE_WATCH]
    addresses.sample_site()
    paths = addresses.desk()
    assert len(paths) > 20
    del paths["admin:logout"]
    for name, path in paths.items():
        assert path.startswith(DESK_PATH), name
        for browser in (client, editor_client):
            response = browser.get(path)
            assert response.status_code < 500, name
            assert is_private(response), name


ERROR_PAGES = {
    "unknown page": "/unknown/",
    "unknown tool": "/tools/unknown/",
    "unknown pair": "/compare/alpha-vs-unknown/",
    "unknown reviewer": "/reviewers/unknown/",
    "unknown sitemap": "/sitemap-unknown.xml",
    "missing slash": "/tools/alpha",
    "missing file": "/static/unknown.css",
}


def test_an_error_page_is_never_cached(client):
    """A page that is missing now may exist in a second."""
    addresses.sample_site()
    for path in {
        name: path for name, path in ERROR_PAGES.items() if name != "missing file"
    }.values():
        assert is_private(client.get(path)), path


def test_an_error_page_sets_no_cookie(client):
    addresses.sample_site()
    for path in ERROR_PAGES.values():
        assert not client.get(path).cookies, path


def test_a_wrong_method_is_refused_with_the_site_s_page(client):
    addresses.sample_site()
    for path in [*addresses.PUBLIC.values(), *addresses.FILES.values()]:
        for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"):
            response = client.generic(method, path)
            is_api = path.startswith("/api/")  # where scripts of other sites ask by OPTIONS
            assert response.status_code == (204 if is_api and method == "OPTIONS" else 405), path
            assert response["Allow"] == ("GET, HEAD, OPTIONS" if is_api else "GET, HEAD"), path
            assert is_private(response), path
            assert not response.cookies, path
            if is_api:
                continue
            page = read(response)
            assert page.heading == f"This address does not accept {method}.", path
            assert "GET, HEAD" in page.text, path


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


@pytest.mark.parametrize("junk", ["x", "", "\x00", "a" * 32, "a" * 10_000, '"; Path=/'])
def test_a_damaged_cookie_changes_no_public_answer(client, junk):
    """Django deletes a damaged session cookie on the next page, whichever it is."""
    addresses.sample_site()
    whole = client.get("/tools/alpha/")
    for name in ("sessionid", "csrftoken", "messages", "visitor"):
        client.cookies[name] = junk
    response = client.get("/tools/alpha/")
    assert response.content == whole.content
    assert not response.cookies
    assert is_public(response)
    revalidation = client.get("/tools/alpha/", headers={"if-none-match": whole["ETag"]})
    assert revalidation.status_code == 304
    assert not revalidation.cookies
    assert is_public(revalidation)


def test_an_error_of_a_public_view_is_not_public(rf):
    response = public(lambda request: HttpResponse(status=500))(rf.get("/"))
    assert "Cache-Control" not in response
