"""The picker: two to ten fields, and suggestions for what was typed."""

from datetime import timedelta

import pytest
from django.utils import timezone

from shipskip.content.content import Content
from shipskip.content.picking import Matches, read_field
from shipskip.web.paging import PAGE_SIZE
from tests import factories as make
from tests.markup import Document, read
from tools.models import Tool

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
PICKER = "/compare/"


def fields(page: Document) -> list[str]:
    """The values of the picker's fields."""
    return [field.attributes["value"] for field in page.all("input", name="tools")]


def notices(page: Document) -> list[str]:
    """The page's notices about its fields, without the candidates."""
    return [notice.text for notice in page.of_class("notice")]


def test_two_empty_fields_and_the_editors_pairs_are_shown(client):
    row = make.comparison(tools=(make.tool(name="One"), make.tool(name="Two")))
    make.panel(on=row.tools[1], ship=2)
    page = read(client.get(PICKER))
    assert page.heading == "Compare tools"
    assert fields(page) == ["", ""]
    assert notices(page) == []
    assert page.texts("a", class_="pair__names") == ["One No verdict yet vs Two Ship"]
    assert page.texts("p", class_="pair__answer") == ["Ship Two. No verdict yet on One."]


def test_a_page_without_pairs_says_so(client):
    assert "No comparisons yet." in read(client.get(PICKER)).text


@pytest.mark.parametrize(
    ("first", "second"), [("a", "b"), ("b", "a"), ("Alpha", "BETA"), (" a ", "B")]
)
def test_two_tools_lead_to_their_page(client, first, second):
    make.tool(slug="a", name="Alpha")
    make.tool(slug="b", name="Beta")
    response = client.get(PICKER, {"tools": [first, second]})
    assert (response.status_code, response["Location"]) == (302, "/compare/a-vs-b/")


def test_two_tools_redirect_to_the_editors_page(client):
    make.comparison(tools=(make.tool(slug="z"), make.tool(slug="a")))
    response = client.get(PICKER, {"tools": ["a", "z"]}, follow=True)
    assert response.redirect_chain[-1][0] == "/compare/z-vs-a/"
    assert response.status_code == 200


def test_the_same_tool_twice_leads_to_its_page(client):
    make.tool(slug="a", name="Alpha")
    response = client.get(PICKER, {"tools": ["a", "Alpha"]})
    assert (response.status_code, response["Location"]) == (302, "/tools/a/")


@pytest.mark.parametrize(
    "name", ["NeMo (12B)", "A – B & C", "👩‍💻 Coder", "מודל \u200fא", "No\u00a0break", "<b>"]
)
@pytest.mark.parametrize("tagline", ["", "Small (and fast)"])
def test_every_suggested_option_leads_to_a_page(client, name, tagline):
    make.tool(slug="a", name=name, tagline=tagline)
    make.tool(slug="b", name="Beta")
    page = read(client.get("/compare/suggest/", {"tools": name}))
    option = page.all("li", role="option")[0].attributes["data-value"]
    response = client.get(PICKER, {"tools": [option, "b"]})
    assert (response.status_code, response["Location"]) == (302, "/compare/a-vs-b/")


def test_one_tool_fills_the_first_field_and_leaves_the_second_empty(client):
    make.tool(slug="a", name="Alpha")
    page = read(client.get(PICKER, {"tools": "Alpha"}))
    assert fields(page) == ["a", ""]
    assert notices(page) == []


def test_an_empty_second_field_is_reported(client):
    make.tool(slug="a", name="Alpha")
    page = read(client.get(PICKER, {"tools": ["a", ""]}))
    assert fields(page) == ["a", ""]
    assert notices(page) == ["Enter a tool to compare. See all tools."]


def test_two_empty_fields_are_no_error(client):
    page = read(client.get(PICKER, {"tools": ["", ""]}))
    assert fields(page) == ["", ""]
    assert notices(page) == []


def test_a_mistyped_name_offers_the_nearest_and_keeps_the_other_field(client):
    make.tool(slug="smollm3", name="SmolLM3")
    make.tool(slug="cursor", name="Cursor")
    page = read(client.get(PICKER, {"tools": ["cursor", "smolm3"]}))
    assert fields(page) == ["cursor", "smolm3"]
    [notice] = notices(page)
    assert notice.startswith("No tool is called exactly “smolm3”. Did you mean: SmolLM3")
    assert "/compare/?tools=cursor&tools=smollm3" in page.links


def test_part_of_a_name_offers_the_tools_that_contain_it(client):
    for name in ("Cursor", "Cursor Agent", "Agent One", "Zed"):
        make.tool(slug=name.lower().replace(" ", "-"), name=name)
    page = read(client.get(PICKER, {"tools": ["agent", "zed"]}))
    assert "/compare/?tools=cursor-agent&tools=zed" in page.links
    assert "/compare/?tools=cursor&tools=zed" not in page.links


@pytest.mark.parametrize("typed", ["copilot", "git hub copilot", "Copil", "github-assistant"])
def test_the_only_tool_with_such_a_name_is_taken(client, typed):
    make.tool(slug="github-assistant", name="GitHub Assistant").rename("github-copilot")
    tool = Tool.objects.get()
    tool.name = "GitHub Copilot"
    tool.save()
    make.tool(slug="zed", name="Zed", tagline="No copilot")
    response = client.get(PICKER, {"tools": [typed, "zed"]})
    assert (response.status_code, response["Location"]) == (302, "/compare/github-copilot-vs-zed/")


def test_the_taglines_distinguish_two_tools_of_one_name(client):
    make.tool(slug="one", name="Twin", tagline="The first")
    make.tool(slug="two", name="Twin", tagline="The second")
    make.tool(slug="b")
    page = read(client.get(PICKER, {"tools": ["Twin", "b"]}))
    [notice] = notices(page)
    assert notice.startswith("Several tools are called “Twin”.")
    assert "The first" in notice
    assert "The second" in notice
    assert {"/compare/?tools=one&tools=b", "/compare/?tools=two&tools=b"} <= set(page.links)


def test_two_tools_of_one_name_compare_by_their_whole_labels(client):
    make.tool(slug="one", name="Twin", tagline="The first")
    make.tool(slug="two", name="Twin", tagline="The second")
    labels = ["Twin (The second)", "Twin (The first)"]
    response = client.get(PICKER, {"tools": labels})
    assert response["Location"] == "/compare/one-vs-two/"


def test_ten_tools_redirect_to_their_page_and_of_eleven_the_first_ten_are_filled_in(client):
    slugs = [make.tool(slug=f"tool-{letter}").slug for letter in "abcdefghijk"]
    response = client.get(PICKER, {"tools": slugs[9::-1]})
    assert response["Location"] == f"/compare/{'-vs-'.join(slugs[:10])}/"
    page = read(client.get(PICKER, {"tools": slugs}))
    assert fields(page) == slugs[:10]
    assert page.notices == [
        "At most ten tools can be compared at once. The first ten are filled in."
    ]
    assert "Add a tool" not in page.texts("button")


def test_buttons_add_move_and_remove_fields_and_keep_what_was_typed(client):
    for slug in ("a", "b", "c"):
        make.tool(slug=slug)

    def press(act, *texts):
        page = read(client.get(PICKER, {"tools": texts, "act": act}))
        return fields(page), len(notices(page))

    assert press("add", "a", "b") == (["a", "b", ""], 0)
    assert press("add", "", "") == (["", "", ""], 0)
    assert press("up-2", "a", "b", "qx") == (["a", "qx", "b"], 1)
    assert press("down-0", "a", "b", "c") == (["b", "a", "c"], 0)
    assert press("remove-1", "a", "b", "c") == (["a", "c"], 0)
    assert press("remove-7", "a") == (["a", ""], 0)
    assert press("choose", "a", "b") == (["a", "b"], 0)
    assert press("add", *"aaaaaaaaaa")[0] == list("aaaaaaaaaa")


def test_an_empty_field_among_three_is_left_out(client):
    make.tool(slug="a")
    make.tool(slug="b")
    response = client.get(PICKER, {"tools": ["a", "", "b"]})
    assert response["Location"] == "/compare/a-vs-b/"


JUNK = {
    "NUL": "\x00",
    "NUL in a name": "Al\x00pha",
    "controls": "\x01\x02\x1b",
    "10,000 characters": "x" * 10_000,
    "brackets": " (" * 200,
    "per cent": "%",
    "underscore": "_",
    "quotes": "'\"`",
    "SQL": "'; DROP TABLE tools_tool; --",
    "emoji": "🚀",
    "right to left": "مقارنة",
    "direction marks": "\u202e\u200f",
    "markup": "<script>alert(1)</script>",
    "backslashes": "\\\\",
    "a path": "../../etc/passwd",
    "many words": "a " * 500,
    "noncharacters": "\ufffe\uffff",
}


@pytest.mark.parametrize("text", JUNK.values(), ids=JUNK)
def test_junk_in_a_field_is_answered_in_words(client, text):
    make.tool(slug="alpha-tool", name="Alpha")
    response = client.get(PICKER, {"tools": [text, "alpha-tool"]})
    assert response.status_code in (200, 302)
    if response.status_code == 200:
        page = read(response)
        assert fields(page)[1] == "alpha-tool"
        assert len(notices(page)) == 1
        assert len(notices(page)[0]) < 600


def test_a_name_with_a_control_in_it_is_still_that_name(client):
    make.tool(slug="a", name="Alpha")
    make.tool(slug="b", name="Beta")
    response = client.get(PICKER, {"tools": ["Al\x00pha", "Beta"]})
    assert response["Location"] == "/compare/a-vs-b/"


def test_markup_in_a_field_is_shown_as_written(client):
    page = read(client.get(PICKER, {"tools": ["<script>x</script>", ""]}))
    assert fields(page)[0] == "<script>x</script>"
    assert "“<script>x</script>”" in notices(page)[0]


@pytest.mark.parametrize("query", ["?tools=%ff", "?tools=%ff%fe&tools=%c3", "?tools=%ed%a0%80"])
def test_broken_utf_8_in_a_field_is_answered_in_words(client, query):
    response = client.get(PICKER + query)
    assert response.status_code == 200
    assert notices(read(response))


@pytest.mark.parametrize(
    ("query", "notice"),
    [
        ("?page=-1", "There is no page “-1”; this is the first."),
        ("?page=500", "There is no page 500; this is the first."),
        (
            "?page=99999999999999999999",
            "There is no page “99999999999999999999”; this is the first.",
        ),
        ("?page[]=2", "“page[]” is not a filter of this page; it was left out."),
    ],
)
def test_an_invalid_page_number_shows_the_first_page_and_a_notice(client, query, notice):
    make.comparison()
    page = read(client.get(PICKER + query))
    assert page.notices == [notice]
    assert len(page.of_class("pair")) == 1


def test_many_pairs_have_pages(client):
    tool = make.tool()
    for _ in range(PAGE_SIZE + 1):
        make.comparison(tools=(tool, make.tool()))
    assert read(client.get(PICKER)).one("a", rel="next").attributes["href"] == "?page=2"
    assert len(read(client.get(f"{PICKER}?page=2")).of_class("pair")) == 1


def test_drafts_are_neither_offered_nor_recognised(client, clock):
    now = timezone.now()
    make.tool(slug="a", name="Alpha")
    make.tool(slug="b", name="Beta", published_at=now)
    clock(now - MINUTE)
    page = read(client.get(PICKER, {"tools": ["a", "b"]}))
    assert "Beta" not in page.text
    assert fields(page) == ["a", "b"]
    clock(now + MINUTE)
    assert client.get(PICKER, {"tools": ["a", "b"]}).status_code == 302


def test_scheduled_pairs_wait_for_their_moment(client, clock):
    now = timezone.now()
    make.comparison(published_at=now)
    make.comparison(published_at=None)
    clock(now - MINUTE)
    assert read(client.get(PICKER)).of_class("pair") == []
    clock(now + MINUTE)
    assert len(read(client.get(PICKER)).of_class("pair")) == 1


def unexpected_search(text: str) -> Matches:
    """A search that must not be needed."""
    raise AssertionError(text)


@pytest.mark.parametrize("text", ["alpha-tool", "ALPHA-TOOL", "alpha", "Alpha (Quick)"])
def test_a_slug_a_name_or_a_label_finds_a_tool_without_a_query(text, django_assert_num_queries):
    tool = make.tool(slug="alpha-tool", name="Alpha", tagline="Quick")
    content = Content(None, timezone.now())
    with django_assert_num_queries(0):
        field = read_field(text, content, unexpected_search)
    assert (field.tool and field.tool.pk, field.fault) == (tool.pk, "")


def test_an_earlier_address_is_searched_for_like_a_name(client):
    make.tool(slug="smollm2", name="SmolLM").rename("smollm3")
    page = read(client.get(PICKER, {"tools": ["smollm2", "x"]}))
    assert fields(page) == ["smollm3", "x"]
