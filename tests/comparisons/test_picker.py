"""The picker: two to ten fields, and suggestions for what was typed."""

from datetime import timedelta

import pytest
from django.utils import timezone

from shipskip.content.content import Content
from shipskip.content.picking import Matches, read_field
from shipskip.search.results import SUGGESTED
from shipskip.web.paging import PAGE_SIZE
from tests import factories as make
from tests.markup import Document, read

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
PICKER = "/compare/"


def fields(page: Document) -> list[str]:
    """The values of the picker's fields."""
    return [field.attributes["value"] for field in page.all("input", name="tools")]


def notices(page: Document) -> list[str]:
    """The page's notices about its fields, without the candidates."""
    return [notice.text for notice in page.of_class("notice")]


def options(client, text: str) -> list[str]:
    """The suggestions under a field for a typed text."""
    response = client.get("/compare/suggest/", {"tools": text})
    assert response.status_code == 200
    return [row.attributes["data-value"] for row in read(response).all("li", role="option")]


def test_two_empty_fields_and_the_editors_pairs_are_shown(client, snapshot):
    assert "No comparisons yet." in read(client.get(PICKER)).text
    row = make.comparison(tools=(make.tool(name="One"), make.tool(name="Two")))
    make.panel(on=row.tools[1], ship=2)
    page = read(client.get(PICKER))
    assert page.visible_text == snapshot
    assert fields(page) == ["", ""]
    assert notices(page) == []


def test_tools_that_are_found_lead_to_their_page(client):
    make.tool(slug="a", name="Alpha")
    make.tool(slug="b", name="Beta", label="Second")
    make.comparison(tools=(make.tool(slug="z"), make.tool(slug="y")))
    renamed = make.tool(slug="github-assistant", name="GitHub Copilot", tagline="Pilot")
    renamed.rename("github-copilot")
    make.tool(slug="zed", name="Zed", tagline="No copilot")
    for slug in ("one", "two"):
        make.tool(slug=slug, name="Twin", tagline=f"Number {slug}")
    for typed, path in [
        (["a", "b"], "/compare/a-vs-b/"),
        (["b", "a"], "/compare/a-vs-b/"),
        (["Alpha", "BETA"], "/compare/a-vs-b/"),
        ([" a ", "B"], "/compare/a-vs-b/"),
        (["a", "", "b"], "/compare/a-vs-b/"),
        (["Al\x00pha", "Beta"], "/compare/a-vs-b/"),
        (["a", "Alpha"], "/tools/a/"),
        (["Twin (Number two)", "Twin (Number one)"], "/compare/one-vs-two/"),
        (["copilot", "zed"], "/compare/github-copilot-vs-zed/"),
        (["git hub copilot", "zed"], "/compare/github-copilot-vs-zed/"),
        (["Copil", "zed"], "/compare/github-copilot-vs-zed/"),
        (["github-assistant", "zed"], "/compare/github-copilot-vs-zed/"),
    ]:
        response = client.get(PICKER, {"tools": typed})
        assert (response.status_code, response["Location"]) == (302, path), typed
    response = client.get(PICKER, {"tools": ["y", "z"]}, follow=True)
    assert response.redirect_chain[-1][0] == "/compare/z-vs-y/", "the editors' order"


def test_every_suggested_option_leads_to_a_page(client):
    names = ["NeMo (12B)", "A – B & C", "👩‍💻 Coder", "מודל \u200fא", "No\u00a0break", '"><b>']
    make.tool(slug="zed", name="Zed")
    for number, name in enumerate(names):
        for tagline in ("", "Small (and fast)"):
            tool = make.tool(slug=f"a{number}", name=name, tagline=tagline)
            option = options(client, name)[0]
            response = client.get(PICKER, {"tools": [option, "zed"]})
            assert response["Location"] == f"/compare/{tool.slug}-vs-zed/", option
            tool.delete()


def test_a_text_that_finds_no_single_tool_is_reported_and_the_nearest_are_offered(client):
    for name in ("Cursor", "Cursor Agent", "Agent One", "Zed", "SmolLM3"):
        make.tool(slug=name.lower().replace(" ", "-"), name=name)
    make.tool(slug="one", name="Twin", tagline="The first")
    make.tool(slug="two", name="Twin", tagline="The second")
    make.tool(slug="smollm2", name="SmolLM Old").rename("smollm-new")

    def opened(*typed: str) -> tuple[Document, str]:
        page = read(client.get(PICKER, {"tools": typed}))
        return page, " ".join(notices(page))

    page, notice = opened("Zed")
    assert (fields(page), notice) == (["zed", ""], "")
    page, notice = opened("", "")
    assert (fields(page), notice) == (["", ""], "")
    page, notice = opened("zed", "")
    assert (fields(page), notice) == (["zed", ""], "Enter a tool to compare. See all tools.")
    page, notice = opened("cursor", "smolm3")
    assert fields(page) == ["cursor", "smolm3"]
    assert notice.startswith("No tool is called exactly “smolm3”. Did you mean: SmolLM3")
    assert "/compare/?tools=cursor&tools=smollm3" in page.links
    page, notice = opened("agent", "zed")
    assert "/compare/?tools=cursor-agent&tools=zed" in page.links
    assert "/compare/?tools=cursor&tools=zed" not in page.links
    page, notice = opened("Twin", "zed")
    assert notice.startswith("Several tools are called “Twin”.")
    assert "The first" in notice
    assert "The second" in notice
    assert {"/compare/?tools=one&tools=zed", "/compare/?tools=two&tools=zed"} <= set(page.links)
    page, notice = opened("smollm2", "x")
    assert fields(page) == ["smollm-new", "x"]


def test_ten_tools_redirect_to_their_page_and_of_eleven_the_first_ten_are_filled_in(client):
    slugs = [make.tool(slug=f"tool-{letter}").slug for letter in "abcdefghijk"]
    response = client.get(PICKER, {"tools": slugs[9::-1]})
    assert response["Location"] == f"/compare/{'-vs-'.join(slugs[:10])}/"
    page = read(client.get(PICKER, {"tools": slugs}))
    assert fields(page) == slugs[:10]
    [notice] = page.notices
    assert "first ten" in notice
    assert "Add a tool" not in page.texts("button")


def test_buttons_add_move_and_remove_fields_and_keep_what_was_typed(client):
    for slug in ("a", "b", "c"):
        make.tool(slug=slug)
    for act, typed, kept, notices_shown in [
        ("add", ["a", "b"], ["a", "b", ""], 0),
        ("add", ["", ""], ["", "", ""], 0),
        ("up-2", ["a", "b", "qx"], ["a", "qx", "b"], 1),
        ("down-0", ["a", "b", "c"], ["b", "a", "c"], 0),
        ("remove-1", ["a", "b", "c"], ["a", "c"], 0),
        ("remove-7", ["a"], ["a", ""], 0),
        ("choose", ["a", "b"], ["a", "b"], 0),
        ("add", ["a"] * 10, ["a"] * 10, 0),
    ]:
        page = read(client.get(PICKER, {"tools": typed, "act": act}))
        assert fields(page) == kept, act
        assert len(notices(page)) == notices_shown, act


JUNK = [
    *("\x00", "\x01\x02\x1b", "x" * 10_000, " (" * 200, "%", "_", "'\"`", "\\\\", "\ufffe\uffff"),
    *(
        "'; DROP TABLE tools_tool; --",
        "🚀",
        "مقارنة",
        "\u202e\u200f",
        "../../etc/passwd",
        "a " * 500,
    ),
]


def test_junk_in_a_field_is_answered_in_words(client):
    make.tool(slug="alpha-tool", name="Alpha")
    for text in JUNK:
        response = client.get(PICKER, {"tools": [text, "alpha-tool"]})
        page = read(response)
        assert response.status_code == 200, text
        assert fields(page)[1] == "alpha-tool", text
        [notice] = notices(page)
        assert len(notice) < 600, text
        assert options(client, text) in ([], ["Alpha"]), text
    page = read(client.get(PICKER, {"tools": ["<script>x</script>", ""]}))
    assert fields(page)[0] == "<script>x</script>"
    assert "“<script>x</script>”" in notices(page)[0]
    for query in ("?tools=%ff", "?tools=%ff%fe&tools=%c3", "?tools=%ed%a0%80"):
        response = client.get(PICKER + query)
        assert response.status_code == 200, query
        assert notices(read(response)), query
    for query in ("", "?tools=", "?tools[]=a", "?page=-1", "?tools=%ff"):
        assert client.get(f"/compare/suggest/{query}").status_code == 200, query


def test_many_pairs_have_pages_and_an_invalid_number_shows_the_first(client):
    tool = make.tool()
    for _ in range(PAGE_SIZE + 1):
        make.comparison(tools=(tool, make.tool()))
    assert read(client.get(PICKER)).one("a", rel="next").attributes["href"] == "?page=2"
    assert len(read(client.get(f"{PICKER}?page=2")).of_class("pair")) == 1
    for query in ("page=-1", "page=500", "page=99999999999999999999", "page[]=2"):
        page = read(client.get(f"{PICKER}?{query}"))
        [notice] = page.notices
        assert query.partition("=")[2] in notice or "page[]" in notice, query
        assert len(page.of_class("pair")) == PAGE_SIZE, query


def test_drafts_and_scheduled_pairs_wait_for_their_moment(client, clock):
    now = timezone.now()
    make.tool(slug="a", name="Alpha")
    make.tool(slug="b", name="Beta", published_at=now)
    make.comparison(published_at=now)
    make.comparison(published_at=None)
    clock(now - MINUTE)
    page = read(client.get(PICKER, {"tools": ["a", "b"]}))
    assert "Beta" not in page.text
    assert fields(page) == ["a", "b"]
    assert page.of_class("pair") == []
    assert options(client, "beta") == []
    clock(now + MINUTE)
    assert client.get(PICKER, {"tools": ["a", "b"]}).status_code == 302
    assert len(read(client.get(PICKER)).of_class("pair")) == 1
    assert options(client, "beta") == ["Beta"]


def unexpected_search(text: str) -> Matches:
    """A search that must not be needed."""
    raise AssertionError(text)


def test_a_slug_a_name_or_a_label_finds_a_tool_without_a_query(django_assert_num_queries):
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
    make.tool(slug="one", name="Twin", tagline="The first")
    make.tool(slug="two", name="Twin", label="second", tagline="The other")
    assert options(client, "twin") == ["Twin (The first)", "Twin (second)"]
    for _ in range(SUGGESTED + 1):
        make.tool(name="Many")
    assert len(options(client, "many")) == SUGGESTED
