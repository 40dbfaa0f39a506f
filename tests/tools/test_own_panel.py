"""Lists of tools under a reader's own weights."""

import re

import pytest

from tests import factories as make
from tests.markup import Document, read

pytestmark = pytest.mark.django_db
LISTS = {"tools": "/tools/", "category": "/categories/agents/"}
SKEPTIC = "weigh-skeptic=3"


@pytest.fixture(autouse=True)
def tools():
    """Builder ships Alpha alone, with 90 to 50; Skeptic Beta alone, with 80 to 20."""
    agents = make.category(slug="agents", name="Agents")
    alpha = make.tool(slug="alpha", name="Alpha", in_category=agents)
    beta = make.tool(slug="beta", name="Beta", in_category=agents, entry="paid")
    builder, pm = make.reviewer(slug="builder", name="Builder"), make.reviewer(slug="pm", name="PM")
    skeptic = make.reviewer(slug="skeptic", name="Skeptic", position=2)
    for tool, scores in ((alpha, (90, 90, 20)), (beta, (50, 50, 80))):
        for reviewer, score in zip((builder, pm, skeptic), scores, strict=True):
            verdict = "ship" if score > 50 else "skip"
            make.take(on=tool, by=reviewer, score=score, verdict=verdict)


def page_of(client, path: str, query: str = "") -> Document:
    response = client.get(f"{path}?{query}")
    assert response.status_code == 200
    return read(response)


def rows(page: Document) -> list[tuple[str, str]]:
    """Name and verdict of each row."""
    names, verdicts = page.of_class("tool-row__name"), page.of_class("tool-row__verdict")
    return [(one.text, other.text) for one, other in zip(names, verdicts, strict=True)]


def means(page: Document) -> list[str]:
    """The mean score of each row."""
    return [row.text.partition(" · ")[0] for row in page.of_class("tool-row__judged")]


@pytest.mark.parametrize("path", LISTS.values(), ids=LISTS)
def test_order_verdict_and_score_use_the_weights_and_the_panel_s_are_shown_beside_them(
    client, path
):
    page = page_of(client, path)
    assert rows(page) == [("Alpha", "Ship 2 of 3 ship"), ("Beta", "Skip 1 of 3 ship")]
    assert means(page) == ["mean score 66.7", "mean score 60.0"]
    page = page_of(client, path, SKEPTIC)
    assert rows(page) == [
        ("Beta", "Ship 60% ship ours: skip, 1 of 3 ship"),
        ("Alpha", "Skip 40% ship ours: ship, 2 of 3 ship"),
    ]
    assert means(page) == ["mean score 68.0", "mean score 48.0"]
    assert page.of_class("own-panel__summary")[0].text.startswith("Your panel: Skeptic ×3.")


def test_the_filter_by_verdict_and_its_counts_follow(client):
    page = page_of(client, "/tools/", f"verdict=ship&entry=paid&{SKEPTIC}")
    assert [name for name, _ in rows(page)] == ["Beta"]
    assert rows(page_of(client, "/tools/", "verdict=ship&entry=paid")) == []
    counts = {row.text: row for row in page.of_class("facet")}
    assert "Ship 1" in counts
    assert "Skip 0" in counts


@pytest.mark.parametrize("path", LISTS.values(), ids=LISTS)
def test_filters_and_links_carry_the_weights_and_sliders_the_filters(client, path):
    page = page_of(client, path, f"entry=free&entry=paid&{SKEPTIC}")
    filters, sliders = page.by_id("facets"), page.by_id("own-panel")
    hidden = [(e.attributes["name"], e.inside) for e in page.all("input", type="hidden")]
    assert [name for name, inside in hidden if filters in inside] == ["weigh-skeptic"]
    assert [name for name, inside in hidden if sliders in inside] == ["weigh", "entry", "entry"]
    [notice] = page.of_class("own-panel__summary")
    links = [e.attributes["href"] for e in page.all("a") if notice in e.inside]
    assert links == [f"{path}?entry=free&entry=paid&{SKEPTIC}", f"{path}?entry=free&entry=paid"]
    assert f"?entry=paid&{SKEPTIC}" in page.links  # a chip
    assert all(SKEPTIC in link for link in page.links if link.startswith("/tools/alpha/"))


@pytest.mark.parametrize("path", LISTS.values(), ids=LISTS)
def test_an_invalid_weight_is_reported_and_the_list_is_not_cached(client, page_cache, path):
    page = page_of(client, path, "weigh-skeptic=9")
    assert page.notices == ["“9” is not a weight for Skeptic; it was left out. Use 0, 1, 2 or 3."]
    response = client.get(f"{path}?{SKEPTIC}", headers={"x-front": "1"})
    assert response["X-Accel-Expires"] == "0"
    assert read(response).one("meta", name="robots").attributes["content"] == "noindex, follow"
    assert not page_cache.others.pages
    assert f"{path}?weigh=own".removeprefix(path) in page_of(client, path).links


CARRIED_TO = re.compile(r"(/(compare|tools|categories)/([a-z0-9-]+(/|\.[a-z]+))?)?(\?|#|$)")
"""Addresses of the pages that use weights, and those that change only the page's query."""


def test_every_link_to_a_page_that_uses_weights_contains_them(client):
    for path, query, without in (
        ("/tools/", "", {"/tools/"}),
        ("/tools/", "entry=paid&q=nothing-like-it", {"/tools/?entry=paid&q=nothing-like-it"}),
        ("/categories/agents/", "", {"/categories/agents/"}),
        ("/categories/agents/", "entry=free", {"/categories/agents/?entry=free"}),
        ("/categories/", "", set()),
    ):
        page = page_of(client, path, f"{query}&{SKEPTIC}")
        there = {link for link in page.links if link[:1] != "#" and CARRIED_TO.match(link)}
        assert len(there) >= 4, path
        assert {link for link in there if SKEPTIC not in link} == without, path  # Reset
        assert not [link for link in page.links if SKEPTIC in link and link not in there], path
        forms = page.all("form", method="get")
        for form in [each for each in forms if CARRIED_TO.match(each.attributes["action"])]:
            weights = page.all("input", name="weigh-skeptic")
            assert [e.attributes["value"] for e in weights if form in e.inside] == ["3"], path
