"""Error pages in the site's design: 400, 403, 404, 405, 500."""

import pytest
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory, override_settings
from django.urls import path

from shipskip.home import errors
from shipskip.home.errors import MAX_COMPARISONS
from shipskip.search.indexing import index_all
from shipskip.urls import urlpatterns as real
from tests import addresses
from tests import factories as make
from tests.markup import read

pytestmark = pytest.mark.django_db


def broken(request: HttpRequest):
    raise RuntimeError("a secret of the inside")


urlpatterns = [path("broken/", broken), *real]
handler400, handler403 = errors.bad_request, errors.forbidden
handler404, handler500 = errors.not_found, errors.server_error


@override_settings(ROOT_URLCONF="tests.home.test_error_pages")
def test_an_internal_error_is_a_500_without_internal_details(
    calm_client, django_assert_num_queries
):
    with django_assert_num_queries(0):
        assert errors.server_error(RequestFactory().get("/")).status_code == 500
    response = calm_client.get("/broken/")
    page = read(response)
    assert (response.status_code, page.heading) == (500, "Something went wrong on our side")
    assert "secret" not in page.text
    assert page.all("link", rel="stylesheet")
    assert "no-store" in response["Cache-Control"]


def test_an_unreadable_request_is_a_400_a_foreign_form_a_403_and_a_large_body_a_413(client, rf):
    refused = client.get("/", headers={"host": "evil.example"})
    assert "evil.example" not in refused.content.decode()
    assert "no-store" in refused["Cache-Control"]
    many = [f"/tools/?{'&'.join(f'a{n}=1' for n in range(parts))}" for parts in (1_000, 1_001)]
    assert client.get(many[0]).status_code == 200
    for response in (refused, client.get(many[1])):
        assert response.status_code == 400
        assert read(response).heading == "This request could not be read"
    response = errors.forbidden(rf.get("/x/"), PermissionError())
    assert (response.status_code, read(response).heading) == (403, "This was not allowed")
    for length, status in ((errors.MAX_BODY, 200), (errors.MAX_BODY + 1, 413)):
        request = rf.post("/", CONTENT_LENGTH=str(length))
        assert errors.limit_body_size(lambda _: HttpResponse())(request).status_code == status
    response = client.post("/newsletter/join/", headers={"transfer-encoding": "chunked"})
    assert (response.status_code, read(response).heading) == (411, "The length of this is missing")


def test_an_unknown_address_gets_the_site_s_404_page_and_is_never_cached(client, snapshot):
    """A page that is missing now may exist in a second. tests/malformed_input sends junk in every
    part of a path.
    """
    addresses.sample_site()
    for url in (
        "/tools/a/b/c/",
        "/.env",
        "/%00",
        "/tools/alpha%ff/",
        "/tools/..%2f..%2fetc%2fpasswd/",
        f"/{'a' * 5_000}/",
        f"/compare/{'-vs-'.join('a' * 1200)}/",
        "/tools/unknown/",
        "/reviewers/unknown/",
        "/unknown/",
        "/compare/alpha-vs-unknown/",
    ):
        response = client.get(url)
        page = read(response)
        assert (response.status_code, page.title) == (404, "Not found — Ship or Skip"), url
        assert page.one("meta", name="robots").attributes["content"] == "noindex"
        assert page.all("link", rel="canonical") == []
        assert response["Cache-Control"] == "private, no-store", url
        assert not response.cookies, url
        if url in ("/unknown/", "/compare/alpha-vs-unknown/"):
            assert page.visible_text == snapshot(name=url)


def test_a_404_page_suggests_only_names_that_are_near(client, django_assert_max_num_queries):
    for name in ("LangGraph", "vLLM", "GitHub Copilot", "Cline", "Ollama", "Continue", "Pinecone"):
        make.tool(name=name)
    for unknown, names in {
        "/nope/": [],
        "/langrapph/": ["LangGraph"],
        "/tools/langrapph/": ["LangGraph"],
        "/tools/github-copilott/": ["GitHub Copilot"],
        "/compare/cline-vs-olama/": ["Cline", "Ollama"],
        "/compare/olama-vs-ollamaa/": ["Ollama"],  # one tool is no comparison
    }.items():
        page = read(client.get(unknown))
        shown = [link.text for link in page.all("a", class_="pair__names")]
        assert sorted(shown) == names, unknown
        pairs = [link for link in page.links if "-vs-" in link]
        assert len(pairs) == (1 if len(names) == 2 else 0), unknown
    for number in range(12):
        make.tool(slug=f"cursor-{number}")
    index_all()
    most = 23 if connection.vendor == "sqlite" else 24
    with django_assert_max_num_queries(most):  # of two names, however many tools are near them
        page = read(client.get("/cursr/curso/"))
    assert len(page.all("a", class_="pair__names")) <= 5 + MAX_COMPARISONS


def test_a_404_page_needs_no_database_and_that_of_a_static_file_asks_none(
    client, monkeypatch, caplog, django_assert_num_queries
):
    for name in ("none.css", "", "../manage.py", "%00", "%ff.css"):
        with django_assert_num_queries(0):
            response = client.get(f"/static/{name}")
        assert response.status_code == 404, name
        assert read(response).heading == "This page does not exist"

    def fails(*args, **kwargs):
        raise DatabaseError("gone")

    monkeypatch.setattr(errors, "near_names", fails)
    response = client.get("/unknown/")
    assert response.status_code == 404
    assert read(response).heading == "This page does not exist"
    assert "the database did not answer" in caplog.text
