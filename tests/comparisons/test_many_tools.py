"""The page of two to ten tools: its address, its limit, its queries, what search engines see."""

import pytest

from tests import factories as make
from tests.markup import read

pytestmark = pytest.mark.django_db


def test_a_set_of_tools_has_one_address(client):
    alpha, beta = make.tool(slug="alpha", name="Alpha"), make.tool(slug="beta", name="Beta")
    gamma = make.tool(slug="gamma", name="Gamma")
    gamma.rename("delta")
    one = "/compare/alpha-vs-beta-vs-delta/"
    for path in (
        "beta-vs-delta-vs-alpha",
        "alpha-vs-beta-vs-gamma",
        "alpha-vs-delta-vs-beta-vs-alpha",
    ):
        response = client.get(f"/compare/{path}/")
        assert (response.status_code, response["Location"]) == (301, one)
    assert read(client.get(one)).heading == "Alpha vs Beta vs Gamma"
    make.comparison(tools=[beta, gamma, alpha])
    response = client.get(one)
    assert (response.status_code, response["Location"]) == (
        301,
        "/compare/beta-vs-delta-vs-alpha/",
    )


def test_a_tool_is_added_until_there_are_ten_and_of_eleven_the_first_ten_are_offered(client):
    slugs = [make.tool(slug=f"tool-{letter}").slug for letter in "abcdefghijk"]
    page = read(client.get(f"/compare/{'-vs-'.join(slugs[:9])}/"))
    [add, *_] = [link for link in page.links if link.endswith("&act=add")]
    fields = read(client.get(add)).all("input", name="tools")
    assert [field.attributes["value"] for field in fields] == [*slugs[:9], ""]
    page = read(client.get(f"/compare/{'-vs-'.join(slugs[:10])}/"))
    assert not [link for link in page.links if link.endswith("&act=add")]
    response = client.get(f"/compare/{'-vs-'.join(slugs)}/")
    assert response.status_code == 404
    page = read(response)
    assert "At most ten tools can be compared at once." in page.text
    assert "Similar names" not in page.text
    [choose] = [link for link in page.links if link.endswith("act=choose")]
    choice = read(client.get(choose))
    assert [e.attributes["value"] for e in choice.all("input", name="tools")] == slugs[:10]
    assert client.get(f"/compare/{'-vs-'.join(slugs[:10] * 2)}/").status_code == 301


def robots(client, tools) -> list[str]:
    page = read(client.get(f"/compare/{'-vs-'.join(tool.slug for tool in tools)}/"))
    return [e.attributes["content"] for e in page.all("meta", name="robots")]


def test_search_engines_are_shown_judged_pairs_and_more_tools_with_a_text(client):
    a, b, c, d = (make.tool(slug=slug) for slug in "abcd")
    for tool in (a, b):
        make.take(on=tool)
    make.take(on=c, published_at=None)
    make.comparison(tools=[a, c])
    make.comparison(tools=[b, c, d])
    make.comparison(tools=[a, b, c], summary="Choose *a*.")
    make.comparison(tools=[a, b])
    listed = [[a, b], [a, b, c]]
    hidden = [[a, c], [a, b, d], [b, c, d]]
    assert [robots(client, tools) for tools in listed] == [[], []]
    assert [robots(client, tools) for tools in hidden] == [["noindex, follow"]] * 3
    sitemap = client.get("/sitemap-comparisons.xml").content.decode()
    for path, shown in (("a-vs-b", 1), ("a-vs-b-vs-c", 1), ("a-vs-c", 0), ("b-vs-c-vs-d", 0)):
        assert sitemap.count(f"/compare/{path}/") == shown, path


def test_each_name_of_the_table_links_to_another_tool_and_to_the_page_without_it(client):
    for slug in ("alpha", "beta"):
        make.tool(slug=slug, name=slug.title())
    page = read(client.get("/compare/alpha-vs-beta/"))
    assert page.texts("a", class_="decision__action") == ["Change Alpha", "Change Beta"]
    for link, left in zip(page.all("a", class_="decision__action"), ("Beta", "Alpha"), strict=True):
        fields = read(client.get(link.attributes["href"])).all("input", name="tools")
        values = [field.attributes["value"] for field in fields]
        assert sorted(values) == ["", left.lower()]
        assert "autofocus" in fields[values.index("")].attributes
    make.tool(slug="gamma", name="Gamma")
    page = read(client.get("/compare/alpha-vs-beta-vs-gamma/"))
    assert page.texts("a", class_="decision__action")[2:4] == ["Change Beta", "Remove Beta"]
    assert page.one("a", href="/compare/alpha-vs-gamma/").text == "Remove Beta"
    link = page.all("a", class_="decision__action")[2]
    fields = read(client.get(link.attributes["href"])).all("input", name="tools")
    assert [field.attributes["value"] for field in fields] == ["alpha", "", "gamma"]


def test_each_tool_says_when_to_choose_it(client):
    alpha, beta = make.tool(slug="alpha", name="Alpha"), make.tool(slug="beta", name="Beta")
    type(alpha).objects.filter(pk=alpha.pk).update(choose_if="you read diffs", best_for="Teams")
    type(beta).objects.filter(pk=beta.pk).update(best_for="Teams", tagline="Small")
    page = read(client.get("/compare/alpha-vs-beta/"))
    lines = page.of_class("choose-if")[0].text
    assert lines == "Choose Alpha if you read diffs Beta, best for: Teams"
    row = make.comparison(tools=(alpha, beta))
    row.choose_if = {alpha.pk: "Beta is too small"}
    row.save()
    lines = read(client.get("/compare/alpha-vs-beta/")).of_class("choose-if")[0].text
    assert lines == "Choose Alpha if Beta is too small Beta, best for: Teams"


def test_a_comparison_of_two_loads_one_style_sheet_and_other_pages_two(client):
    for slug in ("alpha", "beta", "gamma"):
        make.tool(slug=slug)
    two, three = "/compare/alpha-vs-beta/", "/compare/alpha-vs-beta-vs-gamma/"
    for path, sheets in ((two, 1), (three, 2), ("/", 2)):
        assert len(read(client.get(path)).all("link", rel="stylesheet")) == sheets, path
