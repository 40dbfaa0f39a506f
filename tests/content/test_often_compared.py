"""What to compare next: by use, then editors' comparisons, then near panel scores."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from comparisons.models import DayReads, tools_key
from shipskip.content import often_compared as suggestions
from shipskip.content.content import Content
from shipskip.content.often_compared import Suggested, ranked
from tests import factories as make
from tests.markup import read
from tools.models import Category, Tool

MINUTE = timedelta(minutes=1)


def add_reads(number: int, *tools: Tool) -> None:
    key = tools_key(tool.pk for tool in tools)
    DayReads.objects.add({(timezone.now().date(), key): number})


def scored(slug: str, score: int | None, category: Category, age: int = 1, **fields: str) -> Tool:
    published_at = timezone.now() - age * MINUTE
    tool = make.tool(slug=slug, in_category=category, published_at=published_at, **fields)
    if score is not None:
        make.take(on=tool, score=score)
    return tool


def often_compared(*tools: Tool) -> Suggested:
    content = Content(None, timezone.now())
    return suggestions.often_compared(content, content.having(tool.pk for tool in tools))


def slugs(found: Suggested) -> list[str]:
    return [" ".join(tool.slug for tool in row) for row in found.sets]


def test_often_read_comparisons_come_first_then_editors_then_near_scores_without_repeats():
    near = {"1-4": 2.0, "1-2": 0.5, "1-5": 1.0}
    found = ranked({"1-9": 4, "1-3": 8}, ["1-3", "1-6"], near)
    assert found == ["1-3", "1-9", "1-6", "1-2", "1-5", "1-4"]


@pytest.mark.django_db
def test_a_tool_s_suggestions_follow_the_order_and_take_one_query():
    home = make.category()
    alpha = scored("alpha", 70, home)
    for slug, score in (("far", 20), ("near", 72), ("unjudged", None), ("nearer", 69)):
        scored(slug, score, home)
    scored("stranger", 70, make.category())
    scored("draft", 70, home, age=-1)
    one, two, three = (make.tool(slug=slug) for slug in ("one", "two", "three"))
    make.comparison(tools=(one, alpha))
    make.comparison(tools=(two, alpha))
    add_reads(3, alpha, three)
    add_reads(5, two, alpha)
    add_reads(2, alpha, make.tool(slug="once"))
    content = Content(None, timezone.now())
    with CaptureQueriesContext(connection) as queries:
        found = suggestions.often_compared(content, content.having([alpha.pk]))
    assert len(queries) == 1
    assert found.by_use
    often = ["two alpha", "alpha three"]
    nearest = ["alpha nearer", "alpha near", "alpha far", "alpha unjudged"]  # before "one alpha"
    assert slugs(found) == often + nearest


@pytest.mark.django_db
def test_the_comparison_in_view_and_tools_that_are_not_public_are_not_suggested():
    alpha, beta, gamma = (make.tool(slug=slug) for slug in ("alpha", "beta", "gamma"))
    deleted = make.tool()
    add_reads(9, alpha, make.tool(published_at=None))
    add_reads(9, alpha, deleted)
    deleted.remove(timezone.now())
    assert slugs(often_compared(alpha)) == []
    assert not often_compared(alpha).by_use
    own = make.comparison(tools=(beta, alpha))
    add_reads(9, alpha, beta)
    add_reads(4, alpha, beta, gamma)
    found = often_compared(alpha, beta)
    assert found.own
    assert found.own.pk == own.pk
    assert slugs(found) == ["alpha beta gamma"]


@pytest.mark.django_db
def test_in_a_long_category_only_the_newest_tools_are_considered(monkeypatch):
    monkeypatch.setattr(suggestions, "MAX_NEAR_TOOLS", 8)
    home = make.category()
    old = scored("old", 70, home, age=10)
    for age in range(8):
        scored(f"tool-{age}", 10, home, age=age + 1)
    found = often_compared(make.tool(slug="alpha", in_category=home))
    assert len(found.sets) == 6
    assert old.pk not in {tool.pk for row in found.sets for tool in row}


def offered(url: str, client) -> list[str]:
    """Heading and pairs of a page's suggestions."""
    page = read(client.get(url))
    section = next(e for e in page.all("section") if "often-title" in str(e.attributes))
    pairs = [row.text for row in page.of_class("pair__names") if section in row.inside]
    return [page.by_id("often-title").text, *pairs]


@pytest.mark.django_db
def test_home_shows_what_is_read_most_without_what_is_featured(client):
    a, b, c = (make.tool(slug=slug, name=slug.title()) for slug in "abc")
    make.comparison(tools=[a, b], featured=True)
    assert "Worth comparing" not in read(client.get("/")).text
    make.comparison(tools=[b, c])
    none = "No verdict yet"
    assert offered("/", client) == ["Worth comparing", f"B {none} vs C {none}"]
    add_reads(3, a, c)
    add_reads(9, a, b)
    pairs = [f"A {none} vs C {none}", f"B {none} vs C {none}"]
    assert offered("/", client) == ["Often compared", *pairs]


@pytest.mark.django_db
def test_404_pages_offer_what_is_near_and_a_tool_s_page_verdict_and_answer(client):
    alpha, beta, gamma = (make.tool(slug=slug, name=slug) for slug in ("alpha", "beta", "gamma"))
    add_reads(5, beta, gamma)
    add_reads(3, alpha, beta)
    assert offered("/tools/alph/", client) == ["Often compared", "alpha vs beta"]
    expected = ["Often compared", "beta vs gamma", "alpha vs beta"]
    assert offered("/tools/zzzzzz/", client) == expected
    make.panel(on=beta, ship=2)
    add_reads(4, alpha, beta, gamma)
    page = read(client.get("/tools/alpha/"))
    assert page.by_id("compare-title").text == "Often compared with"
    pair = page.of_class("pair")[0].text
    assert pair.startswith("beta Ship vs gamma No verdict yet Ship beta. No verdict yet on")
