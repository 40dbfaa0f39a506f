"""A comparison, a tool and the picker under a reader's own weights."""

import pytest
from django.utils import timezone

from comparisons.models import DayReads
from comparisons.read_counts import read_counts
from reviews.models import Reviewer
from tests import factories as make
from tests.markup import Document, read
from tests.tools.test_own_panel import CARRIED_TO

pytestmark = pytest.mark.django_db
PAIR, TOOL = "/compare/alpha-vs-beta/", "/tools/alpha/"
PAGES = [PAIR, TOOL, "/compare/"]
SKEPTIC = "weigh-skeptic=3"
OURS = "Ship Alpha; skip Beta."


@pytest.fixture(autouse=True)
def tools():
    """Builder and PM ship Alpha alone, Skeptic ships Beta alone, Unheard has no takes."""
    alpha, beta = make.tool(slug="alpha", name="Alpha"), make.tool(slug="beta", name="Beta")
    rows = [("builder", "Builder", 90, 40), ("pm", "PM", 80, 50), ("skeptic", "Skeptic", 30, 70)]
    for place, (slug, name, one, other) in enumerate(rows):
        reviewer = make.reviewer(slug=slug, name=name, motto=f"I am {name}.", position=place)
        make.take(on=alpha, by=reviewer, score=one, verdict="ship" if one > 50 else "skip")
        make.take(on=beta, by=reviewer, score=other, verdict="ship" if other > 50 else "skip")
    make.reviewer(slug="unheard", name="Unheard", position=9)
    make.reviewer(slug="to-come", published_at=None)
    make.comparison(tools=[alpha, beta])
    return alpha, beta


def page_of(client, path: str, query: str = "") -> Document:
    response = client.get(f"{path}?{query}")
    assert response.status_code == 200
    return read(response)


def answer(page: Document) -> str:
    return page.one("p", class_="answer").text


def test_verdict_share_score_answer_and_strip_use_the_weights(client):
    assert answer(page_of(client, PAIR)) == OURS
    page = page_of(client, PAIR, f"{SKEPTIC}&weigh-pm=0")
    assert answer(page) == "Ship Beta; skip Alpha."
    assert page.of_class("own-panel__ours")[0].text == f"Our panel: {OURS}"
    assert page.of_class("own-panel__summary")[0].text.startswith("Your panel: PM ×0, Skeptic ×3.")
    basis = page.of_class("answer__basis")[0].text
    assert basis.startswith("2 reviewers judged Alpha, 2 Beta, 2 both")
    first, second = (card.text for card in page.of_class("card"))
    assert "25% ship" in first  # (90 + 3 × 30) ÷ 4
    assert "mean score 45.0" in first
    assert "75% ship" in second
    assert "mean score 62.5" in second
    marks = [
        mark.attributes["aria-label"].split(":")[0]
        for mark in page.all("svg", class_="strip__reviewer")
    ]
    assert marks == ["Builder", "Skeptic"] * 2
    sliders = {e.attributes["name"]: e.attributes["value"] for e in page.all("input", type="range")}
    assert list(sliders) == ["weigh-builder", "weigh-pm", "weigh-skeptic", "weigh-unheard"]
    assert "".join(sliders.values()) == "1031"
    assert "PM I am PM." in page.texts("label")
    [out] = page.of_class("own-panel__excluded")
    assert "PM not counted in your panel" in out.text
    assert "80/100" in out.text


def test_a_tool_s_own_page_follows_them_too(client):
    page = page_of(client, TOOL, SKEPTIC)
    assert "Skip 40% ship" in answer(page)
    assert page.of_class("own-panel__ours")[0].text == (
        "Our panel: Ship · 2 of 3 ship · mean score 66.7"
    )
    assert "52.0 of 100" in page.of_class("overview")[0].text
    assert page.of_class("pair__answer")[0].text == "Ship Beta; skip Alpha."


def not_judged(page: Document) -> list[str]:
    return page.texts("p", class_="own-panel__not-judged")


def test_a_raised_reviewer_without_a_take_in_view_is_named_beside_the_answer(client):
    gamma = make.tool(slug="gamma", name="Gamma")
    make.take(on=gamma, by=Reviewer.objects.get(slug="builder"), score=80)
    sentence = (
        "Skeptic (×3) has no take on Gamma: a weight moves only the tools that its reviewer judged."
    )
    page = page_of(client, "/compare/alpha-vs-gamma/", SKEPTIC)
    assert not_judged(page) == [sentence]
    assert not_judged(page_of(client, "/tools/gamma/", SKEPTIC)) == [sentence]
    assert not_judged(page_of(client, "/compare/alpha-vs-gamma/", "weigh-skeptic=0")) == []
    assert not_judged(page_of(client, "/compare/alpha-vs-gamma/")) == []
    assert not_judged(page_of(client, PAIR, SKEPTIC)) == []


def test_with_every_weight_0_there_is_no_verdict(client):
    query = "&".join(f"weigh-{slug}=0" for slug in ("builder", "pm", "skeptic", "unheard"))
    page = page_of(client, PAIR, query)
    assert answer(page) == "No verdict yet on either."
    assert "It counts no reviewer" in page.of_class("own-panel__summary")[0].text
    assert not page.of_class("strip")
    assert "No verdict yet" in answer(page_of(client, TOOL, query))


def test_every_link_to_a_page_that_uses_weights_contains_them(client):
    for path in PAGES:
        page = page_of(client, path, SKEPTIC)
        there = [link for link in page.links if link[:1] == "/" and CARRIED_TO.match(link)]
        assert len(there) > 6, path
        assert [link for link in there if SKEPTIC not in link] == [path]  # Reset
        for form in page.all("form", method="get"):
            if "/compare/" in form.attributes["action"]:
                assert any(form in e.inside for e in page.all("input", name="weigh-skeptic"))
        assert all(SKEPTIC in e.attributes["value"] for e in page.all("input", name="next"))
        assert not [link for link in page.links if SKEPTIC in link and link not in there]
        without = page_of(client, path)
        trials = [e for e in without.all("a", rel="nofollow") if "Another answer" in e.text]
        assert [link for link in without.links if "weigh-" in link] == [
            e.attributes["href"] for e in trials
        ]


def test_redirects_keep_the_weights_and_shorten_them(client):
    for asked, leads_to in [
        (f"{PAIR}?weigh-builder=1&weigh=own&{SKEPTIC}&weigh-pm=", f"{PAIR}?{SKEPTIC}"),
        (f"{PAIR}?rows=all&weigh-builder=1", f"{PAIR}?rows=all"),
        (f"{PAIR}?weigh=own&weigh-builder=1", f"{PAIR}?weigh=own"),
        (f"/compare/beta-vs-alpha/?{SKEPTIC}", f"{PAIR}?{SKEPTIC}"),
        (f"/compare/?tools=alpha&tools=beta&{SKEPTIC}", f"{PAIR}?{SKEPTIC}"),
        (f"/compare/alpha/?{SKEPTIC}", f"/compare/?tools=alpha&{SKEPTIC}"),
        (f"/compare/alpha-vs-alpha/?{SKEPTIC}", f"{TOOL}?{SKEPTIC}"),
    ]:
        response = client.get(asked)
        assert response.status_code in (301, 302), asked
        assert response["Location"] == leads_to, asked


def test_an_invalid_weight_is_ignored_and_reported(client, snapshot):
    found: dict[str, list[str]] = {}
    for path in (PAIR, TOOL):
        ours = answer(page_of(client, path))
        for query in (
            *("weigh-skeptic=4", "weigh-skeptic=-1", "weigh-to-come=2"),
            *("weigh-pm=3&weigh-pm=0", "weigh=zzz"),
        ):
            page = page_of(client, path, query)
            assert found.setdefault(query, page.notices) == page.notices, (path, query)
            assert answer(page) == ours, (path, query)
        assert answer(page_of(client, path, "weigh-skeptic=4&weigh-builder=0")) != ours
    assert found == snapshot


def test_search_engines_leave_such_a_page_out_and_no_cache_stores_it(client, page_cache):
    for path in PAGES:
        for query in ("weigh=own", SKEPTIC, "weigh-skeptic=9"):
            response = client.get(f"{path}?{query}", headers={"x-front": "1"})
            page, case = read(response), (path, query)
            assert page.one("meta", name="robots").attributes["content"].startswith("noindex"), case
            assert page.one("link", rel="canonical").attributes["href"].endswith(path), case
            assert response["X-Accel-Expires"] == "0", case
            assert response["Cache-Control"] == "public, max-age=0, must-revalidate", case
            assert response["Vary"] == "Accept-Encoding", case
            assert not page_cache.pages.pages, case
            assert not page_cache.others.pages, case
    for path in PAGES:
        assert client.get(path, headers={"x-front": "1"})["X-Accel-Expires"].startswith("@")


def test_a_page_with_weights_counts_as_a_read_of_its_comparison(client, clock):
    clock(timezone.now())
    read_counts.in_background = False
    read_counts.reset()
    for query in ("", SKEPTIC, "weigh=own"):
        client.get(f"{PAIR}?{query}", headers={"user-agent": "Mozilla/5.0"})
    read_counts.write()
    assert [row.reads for row in DayReads.objects.all()] == [1]


def test_a_vote_leads_back_to_the_weighed_page(client):
    page = page_of(client, PAIR, SKEPTIC)
    back = page.all("input", name="next")[0].attributes["value"]
    own = {"sec-fetch-site": "same-origin"}
    response = client.post("/tools/alpha/vote/", {"choice": "ship", "next": back}, headers=own)
    voted = read(client.get(response["Location"]))
    assert any(link.startswith(f"{PAIR}?{SKEPTIC}") for link in voted.links)
