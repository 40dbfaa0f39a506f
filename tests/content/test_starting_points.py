"""Pages with nothing of their own to show offer comparisons and categories."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests import factories as make
from tests.markup import read

pytestmark = pytest.mark.django_db

EMPTY = ["/search/?q=qqqqqq", "/search/", "/bookmarks/", "/newsletter/"]


@pytest.fixture
def site() -> None:
    """Four comparisons, one of them featured, and a category without tools."""
    agents = make.category(slug="agents", name="Agents", description="They act")
    make.category(slug="later", name="Later")
    for number in range(4):
        tools = [make.tool(slug=f"{side}-{number}", in_category=agents) for side in "ab"]
        make.comparison(tools=tools, featured=number == 3)


def test_an_empty_page_offers_three_comparisons_and_the_categories(client: Client, site: None):
    for path in EMPTY:
        page = read(client.get(path))
        pairs = [link.attributes["href"] for link in page.all("a", class_="pair__names")]
        assert len(pairs) == 3, path
        assert pairs[0] == "/compare/a-3-vs-b-3/"
        assert page.texts("ul", class_="name-grid") == ["Agents They act"]
        assert "/categories/agents/" in page.links


@pytest.mark.parametrize("path", EMPTY)
def test_an_empty_page_runs_no_query_for_them(client: Client, keep_content, path: str):
    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            client.get(path)
        return len(found)

    queries()  # reads what the search keeps
    keep_content()
    before = queries()
    make.comparison()
    keep_content()
    assert "pair__names" in client.get(path).content.decode()
    assert queries() == before


def test_an_empty_page_of_an_empty_site_offers_nothing(client: Client):
    for path in EMPTY:
        assert "start-" not in client.get(path).content.decode(), path


def test_a_page_that_has_something_offers_nothing_more(client: Client, site: None):
    make.tool(slug="alpha", name="Alpha")
    make.sent_issue(until=make.PUBLISHED, scheduled_at=make.PUBLISHED)
    client.post("/tools/alpha/bookmark/", {"saved": "yes"})
    for path in ("/search/?q=alpha", "/search/?q=a-1 vs b-1", "/bookmarks/", "/newsletter/"):
        assert "start-comparisons" not in client.get(path).content.decode(), path
