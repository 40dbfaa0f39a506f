"""Pages with nothing of their own to show offer comparisons and categories."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests import factories as make
from tests.markup import read

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["/search/?q=qqqqqq", "/search/", "/bookmarks/", "/newsletter/"])
def test_an_empty_page_offers_three_comparisons_and_the_categories_without_a_query(
    client, keep_content, path
):
    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            client.get(path)
        return len(found)

    assert "start-" not in client.get(path).content.decode(), "of an empty site nothing"
    agents = make.category(slug="agents", name="Agents", description="They act")
    make.category(slug="later", name="Later")
    queries()  # reads what the search keeps
    keep_content()
    before = queries()
    for number in range(4):
        tools = [make.tool(slug=f"{side}-{number}", in_category=agents) for side in "ab"]
        make.comparison(tools=tools, featured=number == 3)
    keep_content()
    page = read(client.get(path))  # the search reads once more what it keeps
    pairs = [link.attributes["href"] for link in page.all("a", class_="pair__names")]
    assert (len(pairs), pairs[0]) == (3, "/compare/a-3-vs-b-3/")
    assert page.texts("ul", class_="name-grid") == ["Agents They act"]
    assert "/categories/agents/" in page.links
    assert queries() == before


def test_a_page_that_has_something_offers_nothing_more(client):
    tools = [make.tool(slug="alpha", name="Alpha"), make.tool(slug="beta", name="Beta")]
    make.comparison(tools=tools)
    make.sent_issue(until=make.PUBLISHED, scheduled_at=make.PUBLISHED)
    client.post("/tools/alpha/bookmark/", {"saved": "yes"})
    for path in ("/search/?q=alpha", "/search/?q=alpha vs beta", "/bookmarks/", "/newsletter/"):
        assert "start-comparisons" not in client.get(path).content.decode(), path
