"""Structured data: what search engines read of a page, and what it never says."""

import json
import re

import pytest

from reviews.models import ToolTally
from tests import factories as make

pytestmark = pytest.mark.django_db
NASTY = '</script><script>alert(1)</script><!-- & "x"'


def structured_data(client, path: str = "/tools/alpha/") -> dict:
    """The JSON-LD of a page, which has one such element; of a tool's page the tool alone."""
    text = client.get(path).content.decode()
    (found,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', text)
    data: dict = json.loads(found)
    return data["@graph"][0] if path.startswith("/tools/") else data


def test_a_tool_has_prices_of_plans_takes_of_the_site_and_no_text_that_ends_the_element(client):
    tool = make.tool(slug="alpha", name=NASTY, tagline=NASTY)
    make.plan(on=tool, amount="20")
    make.take(on=tool, by=make.reviewer(name=NASTY), score=41, verdict="skip", because=NASTY)
    found = structured_data(client)
    assert found["description"] == NASTY
    offer = {"@type": "Offer", "name": "Pro", "price": "20", "priceCurrency": "USD"}
    assert found["offers"] == [offer]
    (review,) = found["review"]
    author = {key: review["author"][key] for key in ("@type", "name")}
    assert author == {"@type": "Organization", "name": "Ship or Skip"}
    assert review["reviewRating"]["ratingValue"] == 41
    assert (review["reviewBody"], review["datePublished"]) == (NASTY, "2026-05-01")
    assert "Person" not in json.dumps(found)
    assert b"<script>alert" not in client.get("/tools/alpha/").content


def test_only_ten_votes_that_the_page_shows_are_a_rating_and_a_price_in_words_is_no_offer(client):
    tool = make.tool(slug="alpha", entry="free", pricing="Free, or $20 a month")
    make.panel(on=tool, ship=5)
    assert "offers" not in structured_data(client)
    assert "aggregateRating" not in structured_data(client), "takes are none"
    for votes, rating in ((9, (None, None)), (10, (100, 10))):
        ToolTally.objects.update_or_create(tool=tool, defaults={"ship": votes, "skip": 0})
        found = structured_data(client).get("aggregateRating", {})
        assert (found.get("ratingValue"), found.get("ratingCount")) == rating


def test_a_comparison_lists_its_tools_and_the_home_page_says_how_to_search(client):
    for slug in ("alpha", "beta"):
        make.tool(slug=slug, name=slug.title())
    make.reviewer(slug="builder")
    listed, crumbs = structured_data(client, "/compare/alpha-vs-beta/")["@graph"]
    rows = [(row["position"], row["name"]) for row in listed["itemListElement"]]
    assert rows == [(1, "Alpha"), (2, "Beta")]
    assert [row["name"] for row in crumbs["itemListElement"]] == ["Compare", "Alpha vs Beta"]
    found = structured_data(client, "/")
    assert found["@type"] == "WebSite"
    url = found["potentialAction"]["target"]["urlTemplate"]
    assert url.endswith("/search/?q={search_term_string}")
    weighed = client.get("/compare/alpha-vs-beta/?weigh-builder=3").content
    assert b"ld+json" not in weighed, "a reader's own weights have none"
