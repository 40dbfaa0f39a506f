"""The suggestions under a picker's field."""

import pytest

from shipskip.search.results import SUGGESTED
from tests import factories as make
from tests.markup import read

pytestmark = pytest.mark.django_db
SUGGEST = "/compare/suggest/"


def options(client, text: str) -> list[str]:
    """The suggestions for a typed text."""
    response = client.get(SUGGEST, {"tools": text})
    assert response.status_code == 200
    return [row.attributes["data-value"] for row in read(response).all("li", role="option")]


def test_tools_that_contain_every_word_are_offered_the_shortest_name_first(client):
    for name in ("Zed Agent", "Cursor agent", "Other"):
        make.tool(slug=name.lower().replace(" ", "-"), name=name, tagline="A tool")
    assert options(client, "agent") == ["Zed Agent", "Cursor agent"]


def test_namesakes_are_distinguished(client):
    make.tool(slug="one", name="Twin", tagline="The first")
    make.tool(slug="two", name="Twin", label="second", tagline="The other")
    assert options(client, "twin") == ["Twin (The first)", "Twin (second)"]


def test_only_a_few_names_are_offered(client):
    for _ in range(SUGGESTED + 1):
        make.tool()
    assert len(options(client, "tool")) == SUGGESTED


def test_drafts_are_not_offered(client):
    make.tool(name="Draft", published_at=None)
    assert options(client, "draft") == []


@pytest.mark.parametrize(
    "text", ["\x00", "%", "_", "'", "zzz", "x" * 10_000, "🚀", "شيفرة", "<script>"]
)
def test_junk_is_answered_with_a_list(client, text):
    assert options(client, text) == []


def test_markup_in_a_name_stays_text(client):
    make.tool(name='"><script>', tagline="&amp;")
    assert options(client, "script") == ['"><script>']


@pytest.mark.parametrize("query", ["", "?tools=", "?tools[]=a", "?page=-1", "?tools=%ff"])
def test_a_search_without_words_is_answered_too(client, query):
    assert client.get(SUGGEST + query).status_code == 200
