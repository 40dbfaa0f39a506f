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
    """The number of queries of a page whose tools are in memory."""
    assert client.get(path).status_code in (200, 302, 404)
    with CaptureQueriesContext(connection) as queries:
        client.get(path)
    return len(queries)


def test_every_page_runs_as_many_queries_for_27_tools_as_for_6(client, keep_content):
    addresses.sample_site()
    found = []
    for tools in (3, 21):
        addresses.crowd(tools=tools)
        index_all()
        keep_content()
        found.append({path: queries_of(client, path) for path in LISTS.values()})
    assert found[0] == found[1]


@override_settings(ROOT_URLCONF="tests.home.test_query_counts")
def test_a_page_that_loads_row_by_row_raises_an_error(client):
    make.tool()
    make.tool()
    with pytest.raises(NPlusOneError):
        client.get("/row-by-row/")
