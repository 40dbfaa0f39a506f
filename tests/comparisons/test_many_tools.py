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


def test_eleven_tools_are_refused_and_the_picker_offers_the_first_ten(client):
    slugs = [make.tool(slug=f"tool-{letter}").slug for letter in "abcdefghijk"]
    response = client.get(f"/compare/{'-vs-'.join(slugs)}/")
    assert response.status_code == 404
    page = read(response)
    assert "At most ten tools can be compared at once." in page.text
    [choose] = [link for link in page.links if link.endswith("act=choose")]
    choice = read(client.get(choose))
    assert [e.attributes["value"] for e in choice.all("input", name="tools")] == slugs[:10]
    assert client.get(f"/compare/{'-vs-'.join(slugs[:10] * 2)}/").status_code == 301


@pytest.mark.parametrize("many", [2, 10])
def test_the_page_runs_as_many_queries_for_ten_tools_as_for_two(
    client, many, django_assert_num_queries
):
    tools = [make.tool(slug=f"tool-{n}") for n in range(many)]
    for tool in tools:
        make.panel(on=tool, ship=1, skip=many // 5)
        make.comparison(tools=[tool, make.tool(in_category=tool.category)])
    make.comparison(tools=tools, summary="All of them.")
    with django_assert_num_queries(5):
        assert client.get(f"/compare/{'-vs-'.join(t.slug for t in tools)}/").status_code == 200
