"""The number of queries does not depend on the number of rows."""

import pytest
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import path as route
from zeal.errors import NPlusOneError

from shipskip.search.indexing import index_all
from shipskip.urls import urlpatterns as real
from tests import addresses
from tests import factories as make
from tools.models import Tool

pytestmark = pytest.mark.django_db


def row_by_row(request: HttpRequest) -> HttpResponse:
    return HttpResponse(", ".join(tool.category.name for tool in Tool.objects.all()))


urlpatterns = [route("row-by-row/", row_by_row), *real]

AGENTS = "/categories/agents/"
LISTS = {
    **addresses.PUBLIC,
    "tools by name": "/tools/?sort=name",
    "tools by date": "/tools/?sort=newest",
    "tools of a category": "/tools/?category=agents",
    "tools of an entry": "/tools/?entry=free",
    "tools that ship": "/tools/?verdict=ship",
    "tools that split": "/tools/?verdict=split",
    "tools not reviewed": "/tools/?verdict=none",
    "search": "/search/?q=many",
    "search for a mistyped name": "/search/?q=mani",
    "suggestions of the search": "/search/suggest/?q=many",
    "list of tools, searched": "/tools/?q=many",
    "search, none found": "/search/?q=zzz",
    "everything at once": "/tools/?q=many&category=agents&entry=free&verdict=ship&sort=name",
    "suggestions": "/compare/suggest/?tools=many",
    "picker with a mistyped name": "/compare/?tools=mani&tools=alpha",
    "takes of a category": "/reviewers/builder/?category=agents",
    "sitemap of comparisons": "/sitemap-comparisons.xml",
    "sitemap of categories": "/sitemap-categories.xml",
    "sitemap of reviewers": "/sitemap-reviewers.xml",
    "pair without an editor": "/compare/alpha-vs-gamma/",
    "bookmarks": "/bookmarks/",
    "not found": "/tools/mani/",
}


def queries_of(client: Client, path: str) -> int:
    """The number of queries of a page."""
    index_all()
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code in (200, 302, 404)
    return len(queries)


def test_every_page_runs_as_many_queries_for_60_tools_as_for_6(client):
    addresses.sample_site()
    addresses.crowd(tools=3)
    few = {path: queries_of(client, path) for path in LISTS.values()}
    addresses.crowd(tools=54)
    many = {path: queries_of(client, path) for path in LISTS.values()}
    assert many.pop(AGENTS) < few.pop(AGENTS), "a long category has no matrix"
    assert many == few


@pytest.mark.parametrize("takes", [0, 1, 20])
@pytest.mark.parametrize("paired", [True, False])
def test_a_comparison_runs_as_many_queries_for_1_take_as_for_20(
    client, takes, paired, django_assert_num_queries
):
    tools = make.tool(slug="a"), make.tool(slug="b")
    for _ in range(takes):
        reviewer = make.reviewer()
        for tool in tools:
            make.take(on=tool, by=reviewer)
    if paired:
        make.comparison(tools=tools)
    with django_assert_num_queries(7):
        assert client.get("/compare/a-vs-b/").status_code == 200


@override_settings(ROOT_URLCONF="tests.home.test_query_counts")
def test_a_page_that_loads_row_by_row_raises_an_error(client):
    make.tool()
    make.tool()
    with pytest.raises(NPlusOneError):
        client.get("/row-by-row/")
