"""Structured data: what search engines read of a page, and what it never says."""

import json
import re

import pytest

from reviews.models import ToolTally
from tests import factories as make
from tests.addresses import sample_site

pytestmark = pytest.mark.django_db

NASTY = '</script><script>alert(1)</script><!-- & "x"'


def structured_data(client, path: str) -> dict:
    """The JSON-LD of a page, which has one such element."""
    text = client.get(path).content.decode()
    (found,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', text)
    data: dict = json.loads(found)
    return data


def software(client, path: str) -> dict:
    """The tool in the JSON-LD of its page."""
    tool: dict = structured_data(client, path)["@graph"][0]
    return tool


def test_a_tool_has_prices_of_plans_and_takes_of_the_site(client):
    tool = make.tool(slug="alpha", name="Alpha", tagline="Quick")
    make.plan(on=tool, amount="20")
    make.take(on=tool, by=make.reviewer(name="Skeptic"), score=41, verdict="skip", because="No.")
    found = software(client, "/tools/alpha/")
    assert found["offers"] == [
        {"@type": "Offer", "name": "Pro", "price": "20", "priceCurrency": "USD"}
    ]
    (review,) = found["review"]
    assert review["author"]["@type"] == "Organization"
    assert review["author"]["name"] == "Ship or Skip"
    assert review["reviewRating"]["ratingValue"] == 41
    assert review["reviewBody"] == "No."
    assert review["datePublished"] == "2026-05-01"
    assert "Person" not in json.dumps(found)


def test_a_price_in_words_is_no_offer_and_takes_are_no_rating(client):
    tool = make.tool(slug="alpha", entry="free", pricing="Free, or $20 a month")
    make.panel(on=tool, ship=5)
    found = software(client, "/tools/alpha/")
    assert "offers" not in found
    assert "aggregateRating" not in found


def test_only_ten_votes_that_the_page_shows_are_a_rating(client):
    tool = make.tool(slug="alpha")
    for votes, share in ((9, None), (10, 100)):
        ToolTally.objects.update_or_create(tool=tool, defaults={"ship": votes, "skip": 0})
        found = software(client, "/tools/alpha/").get("aggregateRating", {})
        assert found.get("ratingValue") == share
        assert found.get("ratingCount") == (votes if share else None)


def test_a_comparison_lists_its_tools_and_where_it_stands(client):
    sample_site()
    listed, crumbs = structured_data(client, "/compare/alpha-vs-beta/")["@graph"]
    assert [(row["position"], row["name"]) for row in listed["itemListElement"]] == [
        (1, "Alpha"),
        (2, "Beta"),
    ]
    assert [row["name"] for row in crumbs["itemListElement"]] == ["Compare", "Alpha vs Beta"]


def test_no_text_ends_the_script_element(client):
    tool = make.tool(slug="alpha", name=NASTY, tagline=NASTY)
    make.take(on=tool, by=make.reviewer(name=NASTY), because=NASTY)
    assert software(client, "/tools/alpha/")["description"] == NASTY
    assert b"<script>alert" not in client.get("/tools/alpha/").content


def test_the_home_page_says_how_to_search(client):
    found = structured_data(client, "/")
    assert found["@type"] == "WebSite"
    target = found["potentialAction"]["target"]
    assert target["urlTemplate"].endswith("/search/?q={search_term_string}")


def test_a_reader_s_own_weights_have_no_structured_data(client):
    sample_site()
    page = client.get("/compare/alpha-vs-beta/?weigh-builder=3").content
    assert b"ld+json" not in page
