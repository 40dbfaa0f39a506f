"""The page of two tools side by side."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests import factories as make
from tests.markup import Document, read

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
PAGE = "/compare/alpha-vs-beta/"


def pair(**fields):
    """Tools `alpha` and `beta`."""
    alpha = make.tool(slug="alpha", name="Alpha", **fields)
    return alpha, make.tool(slug="beta", name="Beta", **fields)


def rows(page: Document) -> dict[str, list[str]]:
    """The decision table: its cells by the name of their row."""
    cells = page.all("td")
    return {
        head.text: [cell.text for cell in cells if cell.inside[-1] is head.inside[-1]]
        for head in page.all("th", scope="row")
    }


def columns(page: Document) -> list[str]:
    """The names of the decision table's columns."""
    heads = [head.attributes.get("aria-labelledby") for head in page.all("th", scope="col")]
    return [page.by_id(name).text for name in heads if name]


def scores(page: Document) -> list[str]:
    """Reviewer and points of each row of the scorecard, in order."""
    found = []
    for row in page.of_class("scorecard__row"):
        points = [p.text for p in page.of_class("scorecard__score") if row in p.inside]
        name = next(e.text for e in page.of_class("scorecard__who") if row in e.inside)
        found.append(" | ".join([name, *points]))
    return found


def test_two_judged_tools_stand_side_by_side(client, clock, snapshot):
    """The page's text down to the decision table; what follows is checked part by part."""
    clock(make.PUBLISHED + timedelta(days=60))
    kind = make.category(name="Agents")
    alpha, beta = pair(in_category=kind)
    fields = {"tagline": "Quick", "description": "Writes **code**.", "entry": "freemium"}
    fields |= {"pricing": "Pro $20/mo", "best_for": "Teams"}
    type(alpha).objects.filter(pk=alpha.pk).update(**fields)
    type(beta).objects.filter(pk=beta.pk).update(tagline="Small", entry="paid")
    first, middle, last = (
        make.reviewer(name=name, position=position)
        for position, name in enumerate(("First", "Middle", "Last"), 1)
    )
    make.reviewer(name="Silent", position=0)
    for reviewer in (first, middle):
        make.take(on=alpha, by=reviewer, score=86, body="Because *it* works.")
        make.take(on=beta, by=reviewer, score=80)
    days = timedelta(days=30)
    make.take(on=beta, by=last, score=10, verdict="skip", published_at=make.PUBLISHED + days)
    make.comparison(tools=(alpha, beta), summary="Choose *Alpha*.")
    page = read(client.get(PAGE))
    assert page.visible_text.partition("The decision\n")[0] == snapshot
    assert page.title == "Alpha vs Beta: Which AI Tool Should You Ship? — Ship or Skip"
    sentence = page.one("p", class_="answer").text
    assert sentence in page.one("meta", name="description").attributes["content"]
    assert page.all("time", datetime="2026-05-31")
    assert page.one("link", rel="canonical").attributes["href"].endswith(PAGE)
    assert columns(page) == ["Alpha", "Beta"]
    assert rows(page) == {
        "Panel verdict": ["Ship · 2 ship / 0 skip", "Ship · 2 ship / 1 skip"],
        "Mean score": ["86.0", "56.7"],
        "Community": ["—", "—"],
        "Entry price": ["Freemium", "Paid"],
        "Pricing": ["Pro $20/mo", "Not recorded"],
        "Best for": ["Teams", "Small"],
        "Category": ["Agents", "Agents"],
    }
    assert "Choose Alpha." in page.by_id("decision").text
    assert "Because it works." in page.by_id("scorecard").text
    assert scores(page) == [
        "F First | Alpha: 86/100 · ship | Beta: 80/100 · ship",
        "M Middle | Alpha: 86/100 · ship | Beta: 80/100 · ship",
        "L Last | Alpha: No panel take | Beta: 10/100 · skip",
    ]
    for anchor in ("decision", "scorecard", "community", "bookmarks", "newsletter"):
        section = page.by_id(anchor)
        assert section.name == "section"
        assert page.by_id(section.attributes["aria-labelledby"]).name == "h2"
    assert page.of_class("next") == [], "there are no other tools"


def test_tools_without_takes_still_compare(client):
    pair()
    response = client.get(PAGE)
    page = read(response)
    assert page.of_class("answer")[0].text == "No verdict yet on either."
    assert page.of_class("answer__basis") == []
    assert rows(page)["Panel verdict"] == ["No verdict yet"] * 2
    assert rows(page)["Pricing"] == ["Not recorded"] * 2
    assert "not reviewed" in page.by_id("scorecard").text
    assert "mean score" not in page.of_class("card")[0].text
    for query in ("", "?utm_source=x&page=-1&q=%00"):
        assert client.get(PAGE + query).content == response.content


def test_rows_that_differ_come_first_and_can_be_shown_alone(client):
    alpha, beta = pair()
    category = alpha.category
    type(alpha).objects.update(category=category)
    type(beta).objects.filter(pk=beta.pk).update(entry="paid", tagline="Small")
    page = read(client.get(PAGE))
    assert list(rows(page))[3:] == ["Entry price", "Pricing", "Best for", "Category"]
    assert len(page.of_class("decision__same")) == len(rows(page)) - 2
    link = page.one("a", href=f"{PAGE}?rows=differing#decision")
    page = read(client.get(link.attributes["href"]))
    assert list(rows(page)) == ["Entry price", "Best for"]
    assert page.one("link", rel="canonical").attributes["href"].endswith(PAGE)
    assert "decision" in client.get(f"{PAGE}?rows=odd").content.decode()


def test_the_forms_of_votes_and_bookmarks_stand_in_the_page_neutral_and_without_a_token(client):
    pair()
    page = read(client.get(PAGE))
    for slug in ("alpha", "beta"):
        for name in ("vote", "bookmark"):
            form = page.one("form", id=f"{name}-{slug}", method="post").attributes
            assert form["action"] == f"/tools/{slug}/{name}/"
            assert form["data-hx-post"] == f"/tools/{slug}/{name}/in-place/"
        assert page.one("button", data_save=slug).attributes["value"] == "yes"
        assert page.by_id(f"vote-{slug}").within("div") in page.of_class("card__forms")
    assert not page.all("button", aria_pressed="true")
    hidden = page.all("input", type="hidden")
    assert {(field.attributes["name"], field.attributes["value"]) for field in hidden} == {
        ("next", PAGE)
    }
    assert "/bookmarks/" in page.links


def test_other_pairs_come_next_and_those_of_one_category_first(client):
    alpha, beta = pair()
    make.tool(slug="near", name="Near", in_category=alpha.category)
    make.comparison(tools=(beta, make.tool(slug="other", name="Other")))
    make.take(on=beta)
    page = read(client.get(PAGE))
    following = [a.text for a in page.all("a", class_="pair__names")]
    assert following == [
        "Alpha No verdict yet vs Near No verdict yet",
        "Beta Ship vs Other No verdict yet",
        "Beta Ship vs Near No verdict yet",
    ]
    assert page.of_class("pair__answer")[1].text == "Ship Beta. No verdict yet on Other."
    assert "/compare/beta-vs-near/" in page.links


def test_each_pair_has_one_address_and_the_others_redirect(client):
    alpha, beta = pair()

    def leads_to(path: str) -> tuple[int, str]:
        response = client.get(f"/compare/{path}")
        return response.status_code, response.get("Location", "")

    for path in (
        *("beta-vs-alpha/", "Alpha-vs-Beta/", "ALPHA-VS-BETA/", "alpha-Vs-beta/"),
        *("BETA-vs-alpha/", "alpha-vs-beta"),
    ):
        assert leads_to(path) == (301, PAGE), path
    assert leads_to("alpha/") == (302, "/compare/?tools=alpha")
    alpha.rename("omega")
    for path in ("alpha-vs-beta/", "omega-vs-beta/"):
        assert leads_to(path) == (301, "/compare/beta-vs-omega/"), path
    for path in ("omega-vs-omega/", "alpha-vs-omega/", "alpha-vs-alpha/", "OMEGA-vs-omega/"):
        assert leads_to(path) == (301, "/tools/omega/"), path
    make.comparison(tools=(alpha, beta))
    assert leads_to("beta-vs-omega/") == (301, "/compare/omega-vs-beta/"), "the editor's order"
    alpha.rename("zeta")
    beta.rename("aleph")
    assert leads_to("omega-vs-beta/") == (301, "/compare/zeta-vs-aleph/")
    assert read(client.get("/compare/zeta-vs-aleph/")).heading == "Alpha vs Beta"


def test_the_editor_s_order_and_text_count_from_their_moment_on(client, clock):
    now = timezone.now()
    make.comparison(tools=pair()[::-1], published_at=now, summary="Not yet")
    clock(now - MINUTE)
    response = client.get(PAGE)
    assert response.status_code == 200
    assert "Not yet" not in response.content.decode()
    clock(now + MINUTE)
    assert client.get(PAGE)["Location"] == "/compare/beta-vs-alpha/"


def test_an_unknown_tool_is_not_found_by_name_and_the_nearest_pair_is_offered(client):
    make.tool(slug="cursor-agent", name="Cursor Agent")
    make.tool(slug="smollm3", name="SmolLM3")
    response = client.get("/compare/cursor-agnt-vs-smolm3/")
    assert response.status_code == 404
    page = read(response)
    assert "There are no tools “cursor-agnt” or “smolm3” here." in page.text
    assert page.one("a", href="/compare/cursor-agent-vs-smollm3/").text == "Cursor Agent vs SmolLM3"
    assert {"/tools/cursor-agent/", "/tools/smollm3/"} <= set(page.links)
    assert page.one("form", class_="filters").attributes["action"] == "/search/"


def test_a_tool_can_be_compared_from_its_publication_time_on(client, clock):
    now = timezone.now()
    for tool in pair():
        clock(now)
        drafts = type(tool).objects.filter(pk=tool.pk)
        drafts.update(published_at=None, name="Secret")
        response = client.get(PAGE)
        assert response.status_code == 404
        assert "Secret" not in response.content.decode()
        drafts.update(published_at=now)
        clock(now - MINUTE)
        assert client.get(PAGE).status_code == 404, tool
        clock(now + MINUTE)
        assert client.get(PAGE).status_code == 200, tool
        drafts.update(name="Shown")


def test_takes_count_from_their_publication_on_and_a_changed_score_is_seen_at_once(client, clock):
    now = timezone.now()
    alpha, _ = pair()
    take = make.take(on=alpha, score=84, published_at=now)
    make.take(on=alpha, score=1, published_at=None)
    make.take(on=alpha, score=2, by=make.reviewer(published_at=None))
    clock(now - MINUTE)
    assert rows(read(client.get(PAGE)))["Mean score"] == ["—", "—"]
    clock(now + MINUTE)
    assert rows(read(client.get(PAGE)))["Mean score"] == ["84.0", "—"]
    take.score = 12
    take.save()
    assert rows(read(client.get(PAGE)))["Mean score"] == ["12.0", "—"]


def test_any_other_path_gets_the_site_s_404_page(client):
    pair()
    for path in [
        *("alpha-vs-beta/junk", "alpha-vs-beta)", "alpha-vs-beta.", "alpha-vs-", "-vs-beta"),
        *("-vs-", "vs", "alpha-vs-vs-beta", "alpha vs beta", "alpha_vs_beta", "alpha-vs-beta%00"),
        *("%00", "%ff", "alpha-vs-%c3%28", "alpha%2Fvs%2Fbeta", "alpha-vs-beta%2F%2F"),
        *("..%2F..%2Fetc%2Fpasswd", "%2e%2e%2f", "alpha-vs-beta%0d%0aX-Injected:1"),
        *("alpha-vs-%3Cscript%3E", "%F0%9F%9A%80-vs-beta", "a" * 5000, "-vs-".join("a" * 1200)),
        *("%25", "%zz", "*", "'"),
    ]:
        response = client.get(f"/compare/{path}/")
        assert response.status_code == 404, path
        assert read(response).heading == "This page does not exist", path
        assert "X-Injected" not in response.headers


def test_namesakes_are_distinguished_even_where_one_is_named(client):
    make.tool(slug="one", name="Twin", label="first", tagline="The first")
    two = make.tool(slug="two", name="TWIN", tagline="The second")
    make.tool(slug="zed", name="Zed")
    make.panel(on=two, ship=1)
    page = read(client.get("/compare/one-vs-two/"))
    assert page.title.startswith("Twin (first) vs TWIN (two): Which")
    assert page.heading == "Twin first vs TWIN two"
    assert columns(page) == ["Twin first", "TWIN two"]
    assert page.of_class("answer")[0].text == "Ship TWIN (two). No verdict yet on Twin (first)."
    for section in ("scorecard", "community"):
        assert "Twin (first)" in page.by_id(section).text
        assert "TWIN (two)" in page.by_id(section).text
    page = read(client.get("/compare/one-vs-zed/"))
    assert page.title.startswith("Twin (first) vs Zed: Which")
    assert page.heading == "Twin first vs Zed"
