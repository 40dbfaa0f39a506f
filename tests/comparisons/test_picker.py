"""The picker: two to ten fields, and suggestions for what was typed."""

import pytest
from django.utils import timezone

from shipskip.content.content import Content
from shipskip.content.picking import Matches, read_field
from shipskip.search.results import SUGGESTED
from shipskip.web.paging import PAGE_SIZE
from tests import factories as make
from tests.markup import Document, read

pytestmark = pytest.mark.django_db
PICKER = "/compare/"


def fields(page: Document) -> list[str]:
    return [field.attributes["value"] for field in page.all("input", name="tools")]


def notices(page: Document) -> str:
    """The page's notices about its fields, without the candidates."""
    return " ".join(notice.text for notice in page.of_class("notice"))


def opened(client, *typed: str, **data: str) -> Document:
    response = client.get(PICKER, {"tools": typed, **data})
    assert response.status_code == 200, typed
    return read(response)


def options(client, text: str) -> list[str]:
    """The suggestions under a field for a typed text."""
    response = client.get("/compare/suggest/", {"tools": text})
    assert response.status_code == 200
    return [row.attributes["data-value"] for row in read(response).all("li", role="option")]


def test_two_empty_fields_and_the_editors_pairs_are_shown(client, snapshot):
    assert "No comparisons yet." in opened(client).text
    row = make.comparison(tools=(make.tool(name="One"), make.tool(name="Two")))
    make.panel(on=row.tools[1], ship=2)
    page = opened(client)
    assert page.visible_text == snapshot
    assert fields(page) == ["", ""]


def test_tools_that_are_found_lead_to_their_page(client):
    make.tool(slug="a", name="Alpha")
    make.tool(slug="b", name="Beta", label="Second")
    make.comparison(tools=(make.tool(slug="z"), make.tool(slug="y")))
    renamed = make.tool(slug="github-assistant", name="GitHub Copilot", tagline="Pilot")
    renamed.rename("github-copilot")
    make.tool(slug="zed", name="Zed", tagline="No copilot")
    for slug in ("one", "two"):
        make.tool(slug=slug, name="Twin", tagline=f"Number {slug}")
    slugs = [make.tool(slug=f"tool-{letter}").slug for letter in "abcdefghijk"]
    copilots = ("copilot", "git hub copilot", "Copil", "github-assistant")
    for typed, path in [
        (["b", "a"], "/compare/a-vs-b/"),
        (["Alpha", "BETA"], "/compare/a-vs-b/"),
        ([" a ", "", "B"], "/compare/a-vs-b/"),
        (["a", "Alpha"], "/tools/a/"),
        (["Twin (Number two)", "Twin (Number one)"], "/compare/one-vs-two/"),
        *(([text, "zed"], "/compare/github-copilot-vs-zed/") for text in copilots),
        (["zed", "y", "z"], "/compare/y-vs-z-vs-zed/"),
        (slugs[9::-1], f"/compare/{'-vs-'.join(slugs[:10])}/"),
    ]:
        response = client.get(PICKER, {"tools": typed})
        assert (response.status_code, response["Location"]) == (302, path), typed
    response = client.get(PICKER, {"tools": ["y", "z"]}, follow=True)
    assert response.redirect_chain[-1][0] == "/compare/z-vs-y/", "the editors' order"
    page = opened(client, *slugs)
    assert fields(page) == slugs[:10], "of eleven the first ten are filled in"
    assert "first ten" in page.notices[0]


def test_every_suggested_option_leads_to_a_page(client):
    names = ["NeMo (12B)", "👩‍💻 Coder", "מודל \u200fא", "No\u00a0break", '"><b>']
    make.tool(slug="zed", name="Zed")
    for number, name in enumerate(names):
        tool = make.tool(slug=f"a{number}", name=name, tagline="Small (and fast)" * (number % 2))
        response = client.get(PICKER, {"tools": [options(client, name)[0], "zed"]})
        assert response["Location"] == f"/compare/{tool.slug}-vs-zed/", name


def test_a_text_that_finds_no_single_tool_is_reported_and_the_nearest_are_offered(client, snapshot):
    for name in ("Cursor", "Cursor Agent", "Agent One", "Zed", "SmolLM3"):
        make.tool(slug=name.lower().replace(" ", "-"), name=name)
    make.tool(slug="one", name="Twin", tagline="The first")
    make.tool(slug="two", name="Twin", tagline="The second")
    make.tool(slug="smollm2", name="SmolLM Old").rename("smollm-new")
    found, pages = [], []
    for typed in ("Zed", ",", "zed,", "smollm2,x", "cursor,smolm3", "Twin,zed", "agent,zed"):
        page = opened(client, *typed.split(","))
        found.append(f"{typed}: {fields(page)} {notices(page)}")
        pages.append(page)
    assert found == snapshot
    *_, smolm, twins, agents = pages
    assert "/compare/?tools=cursor&tools=smollm3" in smolm.links
    assert {"/compare/?tools=one&tools=zed", "/compare/?tools=two&tools=zed"} <= set(twins.links)
    faulty = twins.one("input", aria_invalid="true").attributes["aria-describedby"]
    assert twins.by_id(faulty).text.startswith("Several tools are called “Twin”")
    assert "/compare/?tools=cursor-agent&tools=zed" in agents.links
    assert "/compare/?tools=cursor&tools=zed" not in agents.links


def test_buttons_add_move_and_remove_fields_and_keep_what_was_typed(client):
    for slug in ("a", "b", "c"):
        make.tool(slug=slug)
    for act, typed, kept, focus in (
        ("add", ["", ""], ["", "", ""], ["pick-3"]),
        ("up-2", ["a", "b", "qx"], ["a", "qx", "b"], ["up-1"]),
        ("down-0", ["a", "b", "c"], ["b", "a", "c"], ["up-1"]),
        ("remove-1", ["a", "b", "c"], ["a", "c"], []),
        ("remove-7", ["a"], ["a", ""], []),
        ("choose", ["a", "b"], ["a", "b"], []),
        ("add", ["a"] * 10, ["a"] * 10, ["pick-10"]),
    ):
        page = opened(client, *typed, act=act)
        assert fields(page) == kept, act
        assert bool(notices(page)) is ("qx" in typed), act
        focused = [e.attributes for e in page.elements if "autofocus" in e.attributes]
        assert [each.get("id", each.get("value")) for each in focused] == focus, act
        ends = [e.attributes["value"] for e in page.all("button") if "disabled" in e.attributes]
        assert ends == (["up-0", f"down-{len(kept) - 1}"] if len(kept) > 2 else []), act


def test_many_pairs_have_pages(client):
    tool = make.tool()
    for _ in range(PAGE_SIZE + 1):
        make.comparison(tools=(tool, make.tool(in_category=tool.category)))
    assert opened(client).one("a", rel="next").attributes["href"] == "?page=2"
    assert len(opened(client, page="2").of_class("pair")) == 1
    assert len(opened(client, page="500").notices) == 1


def test_a_slug_a_name_or_a_label_finds_a_tool_without_a_query(django_assert_num_queries):
    def unexpected_search(text: str) -> Matches:
        raise AssertionError(text)

    tool = make.tool(slug="alpha-tool", name="Alpha", tagline="Quick")
    content = Content(None, timezone.now())
    for text in ("alpha-tool", "ALPHA-TOOL", "alpha", "Alpha (Quick)"):
        with django_assert_num_queries(0):
            field = read_field(text, content, unexpected_search)
        assert (field.tool and field.tool.pk, field.fault) == (tool.pk, ""), text


def test_a_few_tools_that_contain_every_word_are_suggested_the_shortest_name_first(client):
    for name in ("Zed Agent", "Cursor agent", "Other"):
        make.tool(slug=name.lower().replace(" ", "-"), name=name, tagline="A tool")
    assert options(client, "agent") == ["Zed Agent", "Cursor agent"]
    for _ in range(SUGGESTED + 1):
        make.tool(name="Many")
    assert len(options(client, "many")) == SUGGESTED
