"""The page of two to ten tools side by side."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests import factories as make
from tests.markup import read
from tools.models import Tool

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
PAGE = "/compare/alpha-vs-beta/"


@pytest.fixture
def pair() -> tuple[Tool, Tool]:
    agents = make.category(slug="agents", name="Agents")
    alpha = make.tool(slug="alpha", name="Alpha", in_category=agents)
    return alpha, make.tool(slug="beta", name="Beta", in_category=agents)


def leads_to(client, path: str) -> tuple[int, str]:
    response = client.get(f"/compare/{path}")
    return response.status_code, response.get("Location", "")


def picker_fields(client, url: str) -> list[str]:
    return [e.attributes["value"] for e in read(client.get(url)).all("input", name="tools")]


def test_two_judged_tools_stand_side_by_side(client, pair, clock, snapshot):
    clock(make.PUBLISHED + timedelta(days=60))
    alpha, beta = pair
    fields = {"tagline": "Quick", "description": "Writes **code**.", "entry": "freemium"}
    fields |= {"pricing": "Pro $20/mo", "best_for": "Teams"}
    Tool.objects.filter(pk=alpha.pk).update(**fields)
    Tool.objects.filter(pk=beta.pk).update(tagline="Small", entry="paid")
    make.reviewer(name="Silent", position=0)
    for position, name in enumerate(("First", "Middle"), 1):
        reviewer = make.reviewer(name=name, position=position)
        make.take(on=alpha, by=reviewer, score=86, because="Every edit is a commit.", body="*Why*")
        make.take(on=beta, by=reviewer, score=80)
    last, moment = make.reviewer(name="Last", position=3), make.PUBLISHED + timedelta(days=30)
    make.take(on=beta, by=last, score=10, verdict="skip", published_at=moment)
    make.comparison(tools=(alpha, beta), summary="Choose *Alpha*.")
    page = read(client.get(PAGE))
    assert page.visible_text.partition("\nThe community’s vote")[0] == snapshot
    assert page.title == "Alpha vs Beta: Which AI Tool Should You Ship? — Ship or Skip"
    sentence = page.one("p", class_="answer").text
    described = page.one("meta", name="description").attributes["content"]
    assert described == f"{sentence} Alpha: Quick. Beta: Small."
    dates = [
        page.one("meta", property=f"article:{name}_time").attributes["content"]
        for name in ("published", "modified")
    ]
    assert dates == ["2026-05-01", "2026-05-31"]
    assert page.one("meta", name="author").attributes["content"] == "Ship or Skip"


def test_tools_without_takes_still_compare_and_offer_their_forms(client, pair, snapshot):
    Tool.objects.filter(slug="alpha").update(relation="sponsor")
    page = read(client.get(PAGE))
    assert page.visible_text.partition("\nThe community’s vote")[0] == snapshot
    for slug in ("alpha", "beta"):
        for name in ("vote", "bookmark"):
            form = page.one("form", id=f"{name}-{slug}", method="post").attributes
            assert form["action"] == f"/tools/{slug}/{name}/"
    hidden = [field.attributes for field in page.all("input", type="hidden")]
    assert {(field["name"], field["value"]) for field in hidden} == {("next", PAGE)}


def test_each_set_has_one_address_and_the_others_redirect(client, pair):
    alpha, beta = pair
    for path in ("beta-vs-alpha/", "ALPHA-VS-BETA/", "alpha-vs-beta"):
        assert leads_to(client, path) == (301, PAGE), path
    assert leads_to(client, "alpha/") == (302, "/compare/?tools=alpha")
    alpha.rename("omega")
    gamma = make.tool(slug="gamma", name="Gamma")
    gamma.rename("delta")
    of_three = "/compare/beta-vs-delta-vs-omega/"
    for path, target in (
        ("alpha-vs-beta/", "/compare/beta-vs-omega/"),
        ("alpha-vs-omega/", "/tools/omega/"),
        ("beta-vs-gamma-vs-omega/", of_three),
        ("beta-vs-delta-vs-omega-vs-beta/", of_three),
    ):
        assert leads_to(client, path) == (301, target), path
    assert read(client.get(of_three)).heading == "Beta vs Gamma vs Alpha"
    # The editor's order counts.
    make.comparison(tools=(alpha, beta))
    make.comparison(tools=(beta, gamma, alpha), published_at=None)
    make.comparison(tools=(gamma, alpha, make.tool(slug="b")))
    assert leads_to(client, "beta-vs-omega/") == (301, "/compare/omega-vs-beta/")
    assert leads_to(client, "b-vs-delta-vs-omega/") == (301, "/compare/delta-vs-omega-vs-b/")


def test_takes_and_the_editor_s_order_count_from_their_moment_on(client, pair, clock):
    def mean_scores() -> str:
        lines = read(client.get(PAGE)).visible_text.splitlines()
        return next(line for line in lines if line.startswith("Mean score"))

    now = timezone.now()
    make.take(on=pair[0], score=84, published_at=now)
    make.take(on=pair[0], score=1, published_at=None)
    make.take(on=pair[0], score=2, by=make.reviewer(published_at=None))
    row = make.comparison(tools=pair[::-1], published_at=now)
    clock(now - MINUTE)
    assert mean_scores() == "Mean score | — | —"
    clock(now + MINUTE)
    assert client.get(PAGE)["Location"] == "/compare/beta-vs-alpha/"
    row.delete()
    assert mean_scores() == "Mean score | 84.0 | —"
    Tool.objects.filter(slug="beta").update(published_at=now + 2 * MINUTE)
    assert client.get(PAGE).status_code == 404


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


def test_namesakes_are_distinguished_even_where_one_is_named(client):
    make.tool(slug="one", name="Twin", label="first", tagline="The first")
    two = make.tool(slug="two", name="TWIN", tagline="The second")
    make.tool(slug="zed", name="Zed")
    make.panel(on=two, ship=1)
    page = read(client.get("/compare/one-vs-two/"))
    assert page.title.startswith("Twin (first) vs TWIN (two): Which")
    assert page.heading == "Twin first vs TWIN two"
    assert page.of_class("answer")[0].text == "Ship TWIN (two). No verdict yet on Twin (first)."
    for section in ("scorecard", "community"):
        assert "Twin (first)" in page.by_id(section).text
    assert read(client.get("/compare/one-vs-zed/")).heading == "Twin first vs Zed"


def test_a_tool_is_added_until_there_are_ten_and_of_eleven_the_first_ten_are_offered(client):
    slugs = [make.tool(slug=f"tool-{letter}").slug for letter in "abcdefghijk"]
    page = read(client.get(f"/compare/{'-vs-'.join(slugs[:9])}/"))
    [add, *_] = [link for link in page.links if link.endswith("&act=add")]
    assert picker_fields(client, add) == [*slugs[:9], ""]
    page = read(client.get(f"/compare/{'-vs-'.join(slugs[:10])}/"))
    assert not [link for link in page.links if link.endswith("&act=add")]
    response = client.get(f"/compare/{'-vs-'.join(slugs)}/")
    assert response.status_code == 404
    page = read(response)
    assert "At most ten tools can be compared at once." in page.text
    [choose] = [link for link in page.links if link.endswith("act=choose")]
    assert picker_fields(client, choose) == slugs[:10]
    assert leads_to(client, f"{'-vs-'.join(slugs[:10] * 2)}/")[0] == 301


def test_search_engines_are_shown_judged_pairs_and_more_tools_with_a_text(client):
    a, b, c, d = (make.tool(slug=slug) for slug in "abcd")
    for tool in (a, b):
        make.take(on=tool)
    make.take(on=c, published_at=None)
    make.comparison(tools=[a, c])
    make.comparison(tools=[b, c, d])
    make.comparison(tools=[a, b, c], summary="Choose *a*.")
    make.comparison(tools=[a, b])
    sitemap = client.get("/sitemap-comparisons.xml").content.decode()
    for path, robots in (
        ("a-vs-b", []),
        ("a-vs-b-vs-c", []),
        *((path, ["noindex, follow"]) for path in ("a-vs-c", "a-vs-b-vs-d", "b-vs-c-vs-d")),
    ):
        page = read(client.get(f"/compare/{path}/"))
        assert [e.attributes["content"] for e in page.all("meta", name="robots")] == robots, path
        assert sitemap.count(f"/compare/{path}/") == (0 if robots else 1), path


def test_each_name_of_the_table_links_to_another_tool_and_to_the_page_without_it(client, pair):
    make.tool(slug="gamma", name="Gamma")
    page = read(client.get("/compare/alpha-vs-beta-vs-gamma/"))
    links = {
        link.text: link.attributes["href"] for link in page.all("a", class_="decision__action")
    }
    assert links["Remove Beta"] == "/compare/alpha-vs-gamma/"
    picker = read(client.get(links["Change Beta"])).all("input", name="tools")
    assert [field.attributes["value"] for field in picker] == ["alpha", "", "gamma"]
    assert "autofocus" in picker[1].attributes


def test_each_tool_says_when_to_choose_it(client, pair):
    alpha, beta = pair
    Tool.objects.filter(pk=alpha.pk).update(choose_if="you read diffs", best_for="Teams")
    Tool.objects.filter(pk=beta.pk).update(best_for="Teams", tagline="Small")

    def lines() -> str:
        return read(client.get(PAGE)).of_class("choose-if")[0].text

    assert lines() == "Choose Alpha if you read diffs Beta, best for: Teams"
    row = make.comparison(tools=pair)
    row.choose_if = {alpha.pk: "Beta is too small"}
    row.save()
    assert lines() == "Choose Alpha if Beta is too small Beta, best for: Teams"
