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


def test_the_page_names_both_tools_and_answers(client):
    alpha, beta = pair()
    for _ in range(2):
        reviewer = make.reviewer()
        make.take(on=alpha, by=reviewer, score=86)
        make.take(on=beta, by=reviewer, score=80)
    make.take(on=beta, published_at=make.PUBLISHED + timedelta(days=30))
    page = read(client.get(PAGE))
    assert page.heading == "Alpha vs Beta"
    assert page.title == "Alpha vs Beta: Which AI Tool Should You Ship? — Ship or Skip"
    sentence = "Both ship; Alpha is ahead with the 2 reviewers who judged both, too few to call."
    assert page.one("p", class_="answer").text == sentence
    assert sentence in page.one("meta", name="description").attributes["content"]
    assert page.of_class("answer__basis")[0].text == (
        "2 reviewers judged Alpha, 3 Beta, 2 both · newest take 31 May 2026"
    )
    assert page.all("time", datetime="2026-05-31")
    breadcrumb = page.of_class("breadcrumb")[0]
    steps = [link.text for link in page.all("a") if breadcrumb in link.inside]
    assert (steps[0], steps[-1]) == ("Compare", "Alpha vs Beta")
    assert page.one("link", rel="canonical").attributes["href"].endswith(PAGE)


def test_the_cards_show_what_is_known_of_each_tool(client):
    alpha, _ = pair(tagline="Quick", description="Writes **code**.", entry="freemium")
    make.panel(on=alpha, ship=3, skip=1, score=84)
    first, second = read(client.get(PAGE)).of_class("card")
    for words in (
        "Alpha",
        "Quick",
        "3 of 4 ship 75% · mean score 84.0",
        "Freemium",
        "Writes code.",
    ):
        assert words in first.text
    assert "No verdict yet" in second.text
    assert "mean score" not in second.text
    assert "No community votes yet" in second.text


def test_the_decision_is_a_row_a_fact_and_a_column_a_tool(client):
    alpha, beta = pair()
    make.panel(on=alpha, ship=4, score=86)
    make.panel(on=beta, ship=1, skip=1, score=50)
    type(alpha).objects.filter(pk=alpha.pk).update(
        pricing="Pro $20/mo", best_for="Teams", tagline="Quick"
    )
    type(beta).objects.filter(pk=beta.pk).update(tagline="Small", entry="paid")
    table = rows(read(client.get(PAGE)))
    assert table["Panel verdict"] == ["Ship · 4 ship / 0 skip", "Split · 1 ship / 1 skip"]
    assert table["Mean score"] == ["86.0", "50.0"]
    assert table["Community"] == ["—"] * 2
    assert table["Entry price"] == ["Free", "Paid"]
    assert table["Pricing"] == ["Pro $20/mo", "Not recorded"]
    assert table["Best for"] == ["Teams", "Small"]
    assert table["Category"] == [alpha.category.name, beta.category.name]


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


def test_the_decision_names_its_columns(client):
    pair()
    page = read(client.get(PAGE))
    assert columns(page) == ["Alpha", "Beta"]


def test_tools_without_takes_still_compare(client):
    pair()
    page = read(client.get(PAGE))
    assert page.of_class("answer")[0].text == "No verdict yet on either."
    assert page.of_class("answer__basis") == []
    assert rows(page)["Panel verdict"] == ["No verdict yet"] * 2
    assert "The panel has not reviewed these tools yet." in page.by_id("scorecard").text


def test_the_scorecard_has_a_row_for_each_reviewer_of_either_tool(client):
    alpha, beta = pair()
    last = make.reviewer(name="Last", position=3)
    first = make.reviewer(name="First", position=1)
    middle = make.reviewer(name="Middle", position=2)
    make.reviewer(name="Silent", position=0)
    make.take(on=alpha, by=last, score=10, verdict="skip")
    make.take(on=beta, by=first, score=84, body="Because *it* works.")
    make.take(on=alpha, by=middle, score=72)
    make.take(on=beta, by=middle, score=72, verdict="skip")
    page = read(client.get(PAGE))
    assert scores(page) == [
        "F First | Alpha: No panel take | Beta: 84/100 · ship",
        "M Middle | Alpha: 72/100 · ship | Beta: 72/100 · skip",
        "L Last | Alpha: 10/100 · skip | Beta: No panel take",
    ]
    assert "Because it works." in page.by_id("scorecard").text


def test_every_section_can_be_linked_to(client):
    pair()
    page = read(client.get(PAGE))
    for anchor in ("decision", "scorecard", "community", "bookmarks", "newsletter"):
        section = page.by_id(anchor)
        assert section.name == "section"
        assert page.by_id(section.attributes["aria-labelledby"]).name == "h2"


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


def test_the_summary_of_the_editor_is_shown(client):
    make.comparison(tools=pair(), summary="Choose *Alpha*.")
    assert "Choose Alpha." in read(client.get(PAGE)).text


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


def test_a_comparison_of_the_only_two_tools_has_no_links_to_others(client):
    make.comparison(tools=pair())
    assert read(client.get(PAGE)).of_class("next") == []


def test_the_same_page_is_the_same_bytes(client):
    make.take(on=pair()[0])
    assert client.get(PAGE).content == client.get(PAGE).content


def test_without_an_editor_s_pair_the_order_is_alphabetical(client):
    pair()
    response = client.get("/compare/beta-vs-alpha/")
    assert (response.status_code, response["Location"]) == (301, PAGE)


def test_the_editor_s_order_wins(client):
    make.comparison(tools=pair()[::-1])
    response = client.get(PAGE)
    assert (response.status_code, response["Location"]) == (301, "/compare/beta-vs-alpha/")
    assert read(client.get("/compare/beta-vs-alpha/")).heading == "Beta vs Alpha"


def test_the_editor_s_order_counts_from_its_moment_on(client, clock):
    now = timezone.now()
    make.comparison(tools=pair()[::-1], published_at=now, summary="Not yet")
    clock(now - MINUTE)
    response = client.get(PAGE)
    assert response.status_code == 200
    assert "Not yet" not in response.content.decode()
    clock(now + MINUTE)
    assert client.get(PAGE)["Location"] == "/compare/beta-vs-alpha/"


@pytest.mark.parametrize(
    "path", ["Alpha-vs-Beta", "ALPHA-VS-BETA", "alpha-Vs-beta", "BETA-vs-alpha"]
)
def test_capitals_redirect_to_the_one_address(client, path):
    pair()
    response = client.get(f"/compare/{path}/")
    assert (response.status_code, response["Location"]) == (301, PAGE)


def test_a_missing_slash_leads_to_the_one_address(client):
    pair()
    response = client.get(PAGE.rstrip("/"))
    assert (response.status_code, response["Location"]) == (301, PAGE)


def test_a_query_string_changes_nothing(client):
    pair()
    assert client.get(f"{PAGE}?utm_source=x&page=-1&q=%00").content == client.get(PAGE).content


def test_a_renamed_tool_redirects_permanently(client):
    alpha, beta = pair()
    alpha.rename("omega")
    response = client.get(PAGE)
    assert (response.status_code, response["Location"]) == (301, "/compare/beta-vs-omega/")
    beta.rename("zeta")
    response = client.get(PAGE)
    assert (response.status_code, response["Location"]) == (301, "/compare/omega-vs-zeta/")


def test_a_renamed_tool_keeps_the_editor_s_order(client):
    alpha, beta = pair()
    make.comparison(tools=(beta, alpha))
    beta.rename("zeta")
    response = client.get("/compare/beta-vs-alpha/", follow=True)
    assert response.redirect_chain == [("/compare/zeta-vs-alpha/", 301)]


def test_a_tool_against_itself_leads_to_its_page(client):
    alpha, _ = pair()
    alpha.rename("omega")
    for path in ("omega-vs-omega", "alpha-vs-omega", "alpha-vs-alpha", "OMEGA-vs-omega"):
        response = client.get(f"/compare/{path}/")
        assert (response.status_code, response["Location"]) == (301, "/tools/omega/")


def test_one_tool_leads_to_the_picker_with_it(client):
    pair()
    response = client.get("/compare/alpha/")
    assert (response.status_code, response["Location"]) == (302, "/compare/?tools=alpha")


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


@pytest.mark.parametrize("which", [0, 1])
def test_a_draft_is_not_found(client, which):
    tools = pair()
    type(tools[0]).objects.filter(pk=tools[which].pk).update(published_at=None, name="Secret")
    response = client.get(PAGE)
    assert response.status_code == 404
    assert "Secret" not in response.content.decode()


def test_a_scheduled_tool_can_be_compared_from_its_publication_time_on(client, clock):
    now = timezone.now()
    pair(published_at=now)
    clock(now - MINUTE)
    assert client.get(PAGE).status_code == 404
    clock(now + MINUTE)
    assert client.get(PAGE).status_code == 200


def test_takes_that_are_not_public_do_not_count(client, clock):
    now = timezone.now()
    alpha, _ = pair()
    make.take(on=alpha, score=84, published_at=now)
    make.take(on=alpha, score=1, published_at=None)
    make.take(on=alpha, score=2, by=make.reviewer(published_at=None))
    clock(now - MINUTE)
    assert rows(read(client.get(PAGE)))["Mean score"] == ["—", "—"]
    clock(now + MINUTE)
    assert rows(read(client.get(PAGE)))["Mean score"] == ["84.0", "—"]


def test_a_changed_score_is_seen_at_once(client):
    take = make.take(on=pair()[0], score=84)
    assert rows(read(client.get(PAGE)))["Mean score"][0] == "84.0"
    take.score = 12
    take.save()
    assert rows(read(client.get(PAGE)))["Mean score"][0] == "12.0"


@pytest.mark.parametrize(
    "path",
    [
        "alpha-vs-beta/junk",
        "alpha-vs-beta)",
        "alpha-vs-beta.",
        "alpha-vs-",
        "-vs-beta",
        "-vs-",
        "vs",
        "alpha-vs-vs-beta",
        "alpha vs beta",
        "alpha_vs_beta",
        "alpha-vs-beta%00",
        "%00",
        "%ff",
        "alpha-vs-%ff%fe",
        "alpha-vs-%c3%28",
        "alpha%2Fvs%2Fbeta",
        "alpha-vs-beta%2F%2F",
        "..%2F..%2Fetc%2Fpasswd",
        "%2e%2e%2f",
        "alpha-vs-beta%0d%0aX-Injected:1",
        "alpha-vs-%3Cscript%3E",
        "%F0%9F%9A%80-vs-beta",
        "%D7%A9-vs-beta",
        "a" * 5000,
        "a" * 5000 + "-vs-beta",
        "-vs-".join("a" * 1200),
        "%25",
        "%",
        "%zz",
        "*",
        "'",
    ],
    ids=lambda path: path[:30],
)
def test_any_other_path_gets_the_site_s_404_page(client, path):
    pair()
    response = client.get(f"/compare/{path}/")
    assert response.status_code == 404
    page = read(response)
    assert page.heading == "This page does not exist"
    assert "X-Injected" not in response.headers


def test_namesakes_are_distinguished_wherever_both_are_named(client):
    make.tool(slug="one", name="Twin", label="first", tagline="The first")
    two = make.tool(slug="two", name="Twin", tagline="The second")
    make.panel(on=two, ship=1)
    page = read(client.get("/compare/one-vs-two/"))
    assert page.title.startswith("Twin (first) vs Twin (two): Which")
    assert page.heading == "Twin first vs Twin two"
    assert columns(page) == ["Twin first", "Twin two"]
    assert page.of_class("answer")[0].text == "Ship Twin (two). No verdict yet on Twin (first)."
    for section in ("scorecard", "community"):
        assert "Twin (first)" in page.by_id(section).text
        assert "Twin (two)" in page.by_id(section).text


def test_a_namesake_elsewhere_is_distinguished_in_title_and_heading(client):
    make.tool(slug="one", name="Twin", label="first")
    make.tool(slug="two", name="TWIN", label="second")
    make.tool(slug="zed", name="Zed")
    page = read(client.get("/compare/one-vs-zed/"))
    assert page.title.startswith("Twin (first) vs Zed: Which")
    assert page.heading == "Twin first vs Zed"
