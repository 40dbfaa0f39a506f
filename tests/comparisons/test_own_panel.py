"""Comparisons, tools, lists and the picker under a reader's own weights."""

import re

import pytest
from django.utils import timezone

from comparisons.models import DayReads
from comparisons.read_counts import read_counts
from reviews.models import Reviewer
from tests import factories as make
from tests.markup import Document, read

pytestmark = pytest.mark.django_db
PAIR, TOOL, PICKER = "/compare/alpha-vs-beta/", "/tools/alpha/", "/compare/"
LISTS = ["/tools/", "/categories/agents/"]
SKEPTIC = "weigh-skeptic=3"
USE_WEIGHTS = re.compile(r"(/(compare|tools|categories)/([a-z0-9-]+(/|\.[a-z]+))?)?(\?|#|$)")
"""Addresses of the pages that use weights, and those that change only the page's query."""


@pytest.fixture(autouse=True)
def tools():
    """Builder and PM ship Alpha alone, Skeptic ships Beta alone, Unheard has no takes."""
    agents = make.category(slug="agents", name="Agents")
    alpha = make.tool(slug="alpha", name="Alpha", in_category=agents)
    beta = make.tool(slug="beta", name="Beta", in_category=agents, entry="paid")
    rows = [("builder", "Builder", 90, 40), ("pm", "PM", 80, 50), ("skeptic", "Skeptic", 30, 70)]
    for place, (slug, name, one, other) in enumerate(rows):
        reviewer = make.reviewer(slug=slug, name=name, motto=f"I am {name}.", position=place)
        make.take(on=alpha, by=reviewer, score=one, verdict="ship" if one > 50 else "skip")
        make.take(on=beta, by=reviewer, score=other, verdict="ship" if other > 50 else "skip")
    make.reviewer(slug="unheard", name="Unheard", position=9)
    make.reviewer(slug="to-come", published_at=None)
    make.comparison(tools=[alpha, beta])


def page_of(client, path: str, query: str = "") -> Document:
    response = client.get(f"{path}?{query}")
    assert response.status_code == 200
    return read(response)


def answer(page: Document) -> str:
    return page.one("p", class_="answer").text


def test_verdict_share_score_answer_and_strip_use_the_weights(client, snapshot):
    page = page_of(client, PAIR, f"{SKEPTIC}&weigh-pm=0")
    assert page.visible_text.partition("\nThe community’s vote")[0] == snapshot
    strips = page.all("g", class_="strip__reviewer")
    marks = [mark.attributes["aria-label"].split(":")[0] for mark in strips]
    assert marks == ["Builder", "Skeptic"] * 2
    sliders = {e.attributes["name"]: e.attributes["value"] for e in page.all("input", type="range")}
    assert list(sliders) == ["weigh-builder", "weigh-pm", "weigh-skeptic", "weigh-unheard"]
    assert "".join(sliders.values()) == "1031"
    # The tool's own page follows them too; with every weight 0 there is no verdict.
    page = page_of(client, TOOL, SKEPTIC)
    assert "Skip 40% ship" in answer(page)
    ours = "Our panel: Ship · 2 of 3 ship · mean score 66.7"
    assert page.of_class("own-panel__ours")[0].text == ours
    assert "52.0 of 100" in page.of_class("overview")[0].text
    assert page.of_class("pair__answer")[0].text == "Ship Beta; skip Alpha."
    query = "&".join(f"weigh-{slug}=0" for slug in ("builder", "pm", "skeptic", "unheard"))
    page = page_of(client, PAIR, query)
    assert answer(page) == "No verdict yet on either."
    assert "It counts no reviewer" in page.of_class("own-panel__summary")[0].text
    assert not page.of_class("strip")
    assert "No verdict yet" in answer(page_of(client, TOOL, query))


@pytest.mark.parametrize("path", LISTS)
def test_lists_use_the_weights_and_their_filters_sliders_and_links_carry_them(client, path):
    def rows(query: str) -> list[str]:
        page = page_of(client, path, query)
        parts = ("tool-row__name", "tool-row__verdict", "tool-row__judged")
        texts = [[each.text.partition(" · ")[0] for each in page.of_class(name)] for name in parts]
        return [" | ".join(row) for row in zip(*texts, strict=True)]

    beta = "Beta | Ship 60% ship ours: skip, 1 of 3 ship | mean score 60.0"
    alpha = "Alpha | Skip 40% ship ours: ship, 2 of 3 ship | mean score 52.0"
    assert rows(SKEPTIC) == [beta, alpha]
    assert rows(f"verdict=ship&entry=paid&{SKEPTIC}") == [beta]
    assert rows("verdict=ship&entry=paid") == []
    page = page_of(client, path, f"entry=free&entry=paid&{SKEPTIC}")
    [notice] = page.of_class("own-panel__summary")
    assert notice.text.startswith("Your panel: Skeptic ×3.")
    assert {"Ship 1", "Skip 1"} <= {row.text for row in page.of_class("facet")}
    filters, sliders = page.by_id("facets"), page.by_id("own-panel")
    hidden = [(e.attributes["name"], e.inside) for e in page.all("input", type="hidden")]
    assert [name for name, inside in hidden if filters in inside] == ["weigh-skeptic"]
    assert [name for name, inside in hidden if sliders in inside] == ["weigh", "entry", "entry"]
    links = [e.attributes["href"] for e in page.all("a") if notice in e.inside]
    assert links == [f"{path}?entry=free&entry=paid&{SKEPTIC}", f"{path}?entry=free&entry=paid"]
    assert f"?entry=paid&{SKEPTIC}" in page.links  # a chip
    assert all(SKEPTIC in link for link in page.links if link.startswith("/tools/alpha/"))
    assert "?weigh=own" in page_of(client, path).links


def test_a_raised_reviewer_without_a_take_in_view_is_named_beside_the_answer(client):
    gamma = make.tool(slug="gamma", name="Gamma")
    make.take(on=gamma, by=Reviewer.objects.get(slug="builder"), score=80)
    start = "Skeptic (×3) has no take on Gamma: a weight moves only the tools"
    for path in ("/compare/alpha-vs-gamma/", "/tools/gamma/"):
        [sentence] = page_of(client, path, SKEPTIC).texts("p", class_="own-panel__not-judged")
        assert sentence.startswith(start)
        assert not page_of(client, path).of_class("own-panel__not-judged")


def test_every_link_to_a_page_that_uses_weights_contains_them(client):
    for path, query, without in (
        *((path, "", {path}) for path in (PAIR, TOOL, PICKER, *LISTS)),
        ("/tools/", "entry=paid&q=nothing-like", {"/tools/?entry=paid&q=nothing-like"}),
        ("/categories/", "", set()),
    ):
        page = page_of(client, path, f"{query}&{SKEPTIC}")
        there = {link for link in page.links if link[:1] != "#" and USE_WEIGHTS.match(link)}
        assert len(there) >= 4
        assert {link for link in there if SKEPTIC not in link} == without, "only the link to reset"
        assert not [link for link in page.links if SKEPTIC in link and link not in there]
        forms = page.all("form", method="get")
        for form in [each for each in forms if USE_WEIGHTS.match(each.attributes["action"])]:
            weights = page.all("input", name="weigh-skeptic")
            assert [e.attributes["value"] for e in weights if form in e.inside] == ["3"]
        assert all(SKEPTIC in e.attributes["value"] for e in page.all("input", name="next"))
    for path in (PAIR, TOOL, PICKER):  # ours has none, except where it says what would change it
        ours = page_of(client, path)
        trials = [e for e in ours.all("a", rel="nofollow") if e.text.startswith("With")]
        weighed = [link for link in ours.links if "weigh-" in link]
        assert weighed == [e.attributes["href"] for e in trials]
        assert bool(trials) is (path == PAIR)


def test_redirects_keep_the_weights_and_shorten_them(client):
    for asked, leads_to in (
        (f"{PAIR}?weigh-builder=1&weigh=own&{SKEPTIC}&weigh-pm=", f"{PAIR}?{SKEPTIC}"),
        (f"{PAIR}?rows=all&weigh-builder=1", f"{PAIR}?rows=all"),
        (f"{PAIR}?weigh=own&weigh-builder=1", f"{PAIR}?weigh=own"),
        (f"/compare/beta-vs-alpha/?{SKEPTIC}", f"{PAIR}?{SKEPTIC}"),
        (f"/compare/?tools=alpha&tools=beta&{SKEPTIC}", f"{PAIR}?{SKEPTIC}"),
        (f"/compare/alpha/?{SKEPTIC}", f"/compare/?tools=alpha&{SKEPTIC}"),
        (f"/compare/alpha-vs-alpha/?{SKEPTIC}", f"{TOOL}?{SKEPTIC}"),
    ):
        assert client.get(asked)["Location"] == leads_to


def test_an_invalid_weight_is_ignored_and_reported(client, snapshot):
    query = "weigh-skeptic=4&weigh-builder=-1&weigh-to-come=2&weigh=zzz&weigh-pm=3&weigh-pm=0"
    page = page_of(client, PAIR, query)
    assert answer(page) == "Ship Alpha; skip Beta."
    assert page.notices == snapshot
    for path in (TOOL, "/tools/"):
        assert page_of(client, path, query).notices == page.notices


def test_search_engines_leave_such_a_page_out_and_no_cache_stores_it(client, page_cache):
    for path, query in (
        *((path, SKEPTIC) for path in (PAIR, TOOL, PICKER, *LISTS)),
        (PAIR, "weigh=own"),
        (PAIR, "weigh-skeptic=9"),
    ):
        response = client.get(f"{path}?{query}", headers={"x-front": "1"})
        page = read(response)
        assert page.one("meta", name="robots").attributes["content"].startswith("noindex"), path
        assert page.one("link", rel="canonical").attributes["href"].endswith(path), path
        assert response["X-Accel-Expires"] == "0", path
        assert response["Cache-Control"] == "public, max-age=0, must-revalidate", path
        assert response["Vary"] == "Accept-Encoding", path
        assert not page_cache.pages.pages, path
        assert not page_cache.others.pages, path
    assert client.get(PAIR, headers={"x-front": "1"})["X-Accel-Expires"].startswith("@")


def test_a_page_with_weights_is_a_read_and_a_vote_leads_back_to_it(client, clock):
    clock(timezone.now())
    read_counts.reset()
    for query in ("", SKEPTIC, "weigh=own"):
        client.get(f"{PAIR}?{query}", headers={"user-agent": "Mozilla/5.0"})
    read_counts.write()
    assert [row.reads for row in DayReads.objects.all()] == [1]
    back = page_of(client, PAIR, SKEPTIC).all("input", name="next")[0].attributes["value"]
    response = client.post("/tools/alpha/vote/", {"choice": "ship", "next": back})
    voted = read(client.get(response["Location"]))
    assert any(link.startswith(f"{PAIR}?{SKEPTIC}") for link in voted.links)
