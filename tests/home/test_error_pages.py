"""Error pages in the site's design: 400, 403, 404, 405, 500."""

import pytest
from django.db import DatabaseError
from django.http import HttpRequest
from django.test import Client, RequestFactory, override_settings
from django.urls import path

from shipskip.home import errors
from shipskip.home.errors import MAX_COMPARISONS
from shipskip.search.indexing import index_all
from shipskip.urls import urlpatterns as real
from tests import factories as make
from tests.markup import read

pytestmark = pytest.mark.django_db
MAX_QUERIES = 23
"""Two names, each searched for in a few ways; none of them grows with the number of tools."""


def broken(request: HttpRequest):
    raise RuntimeError("a secret of the inside")


urlpatterns = [path("broken/", broken), *real]
handler400, handler403 = errors.bad_request, errors.forbidden
handler404, handler500 = errors.not_found, errors.server_error


@override_settings(ROOT_URLCONF="tests.home.test_error_pages")
def test_an_internal_error_is_a_500_without_internal_details(calm_client):
    response = calm_client.get("/broken/")
    assert response.status_code == 500
    page = read(response)
    assert page.heading == "Something went wrong on our side"
    assert "secret" not in page.text
    assert page.all("link", rel="stylesheet")
    assert "no-store" in response["Cache-Control"]


def test_the_500_page_needs_no_database(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert errors.server_error(RequestFactory().get("/")).status_code == 500


def test_an_unknown_host_gets_the_site_s_400_page(client):
    response = client.get("/", headers={"host": "evil.example"})
    assert response.status_code == 400
    page = read(response)
    assert page.heading == "This request could not be read"
    assert "evil.example" not in response.content.decode()
    assert "no-store" in response["Cache-Control"]


def test_a_forbidden_page_gets_the_site_s_403_page(rf):
    response = errors.forbidden(rf.get("/x/"), PermissionError())
    assert response.status_code == 403
    assert read(response).heading == "This was not allowed"


def test_a_form_from_another_site_is_a_403_that_says_what_to_do():
    make.tool(slug="alpha")
    client = Client(enforce_csrf_checks=True)
    response = client.post("/tools/alpha/vote/", {"choice": "ship"})
    assert response.status_code == 403
    assert "Go back, reload the page and send its form again" in read(response).text


@pytest.mark.parametrize(
    "path",
    [
        "/unknown/",
        "/tools/a/b/c/",
        "/compare/a/b/",
        "/favicon.png",
        "/.env",
        "/wp-login.php",
        "/%00",
    ],
)
def test_an_unknown_address_gets_the_site_s_404_page(client, path):
    response = client.get(path)
    assert response.status_code == 404
    page = read(response)
    assert page.title == "Not found — Ship or Skip"
    assert page.heading == "This page does not exist"
    assert "tried" not in page.text
    assert page.one("meta", name="robots").attributes["content"] == "noindex"
    assert page.all("link", rel="canonical") == []
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/nope/", []),
        ("/blog/", []),
        ("/tools/langrapph/", ["LangGraph"]),
        ("/tools/vllmm/", ["vLLM"]),
        ("/tools/github-copilott/", ["GitHub Copilot"]),
        ("/compare/cline-vs-olama/", ["Cline", "Ollama"]),
    ],
)
def test_a_404_page_suggests_only_names_that_are_near(client, path, names):
    for name in ("LangGraph", "vLLM", "GitHub Copilot", "Cline", "Ollama", "Continue", "Pinecone"):
        make.tool(name=name)
    page = read(client.get(path))
    shown = [link.text for link in page.all("a", class_="pair__names")]
    assert sorted(shown) == names


@pytest.mark.parametrize(
    "path",
    ["/static/none.css", "/static/", "/static/../manage.py", "/static/%00", "/static/%ff.css"],
)
def test_a_missing_static_file_is_a_404_without_a_query(client, path, django_assert_num_queries):
    with django_assert_num_queries(0):
        response = client.get(path)
    assert response.status_code == 404
    assert read(response).heading == "This page does not exist"


def test_a_404_page_queries_for_names_and_comparisons_alone(client, django_assert_max_num_queries):
    for number in range(30):
        make.tool(slug=f"cursor-{number}")
    index_all()
    with django_assert_max_num_queries(MAX_QUERIES):
        page = read(client.get("/cursr/curso/"))
    assert len(page.all("a", class_="pair__names")) <= 5 + MAX_COMPARISONS


def test_a_404_page_needs_no_database(client, monkeypatch, caplog):
    def fails(*args, **kwargs):
        raise DatabaseError("gone")

    monkeypatch.setattr(errors, "near_names", fails)
    response = client.get("/unknown/")
    assert response.status_code == 404
    assert read(response).heading == "This page does not exist"
    assert "the database did not answer" in caplog.text


def test_markup_in_an_address_is_not_markup_in_the_page(client):
    response = client.get("/compare/<script>alert(1)</script>-vs-b/")
    assert response.status_code == 404
    assert "<script>alert" not in response.content.decode()


def test_an_unknown_name_is_not_read_as_html(client):
    response = client.get("/tools/&lt;b&gt;/")
    assert response.status_code == 404
    read(response)
