"""The number of queries does not depend on the number of rows."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from shipskip.search.indexing import index_all
from tests import addresses

pytestmark = pytest.mark.django_db


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
