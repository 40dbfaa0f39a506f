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

PATHS = [
    *addresses.PUBLIC.values(),
    "/tools/?q=many&category=agents&entry=free&verdict=ship&sort=name",
    "/tools/?q=mani",
    "/search/?q=many",
    "/search/?q=mani",
    "/search/suggest/?q=many",
    "/compare/suggest/?tools=many",
    "/compare/?tools=mani&tools=alpha",
    "/compare/alpha-vs-gamma/",
    "/reviewers/builder/?category=agents",
    "/sitemap-comparisons.xml",
    "/bookmarks/",
    "/tools/mani/",
]


def queries_of(client: Client, path: str) -> int:
    """The number of queries of a page whose tools are in memory."""
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code in (200, 302, 404)
    return len(queries)


def test_every_page_runs_as_many_queries_for_18_tools_as_for_6(client, keep_content):
    addresses.sample_site()
    found = []
    for tools in (3, 12):
        addresses.crowd(tools=tools)
        index_all()
        keep_content()
        found.append({path: queries_of(client, path) for path in PATHS})
    assert found[0] == found[1]


@override_settings(ROOT_URLCONF="tests.home.test_query_counts")
def test_a_page_that_loads_row_by_row_raises_an_error(client):
    make.tool()
    make.tool()
    with pytest.raises(NPlusOneError):
        client.get("/row-by-row/")
