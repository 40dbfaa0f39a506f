"""How a comparison of two looks: on a phone, on a desktop, on paper, in forced colours, and to a
screen reader. test_every_page.py looks what overflows and moves, test_many_tools.py at more tools.
"""

import re

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser import pages
from tests.browser.page_faults import LAYOUT_FAULTS, boxes, side_by_side
from tests.browser.site import DESKTOP, PHONE, TABLET, Site, next_frame
from tests.browser.visitor import NAME_A, NAME_B

SAMPLE_PAIRS = ["-vs-".join(row["tools"]) for row in pages.sample()["comparisons"]]
PAPER = ViewportSize(width=700, height=1000)  # A4 less its margins
NOT_ON_PAPER = [".masthead nav", ".breadcrumb", ".footer", "#community", "#bookmarks"]
NOT_ON_PAPER += ["#newsletter", ".next"]
DESCRIPTION = ".tool-page__text > .opening"
SEEN = "element => element.checkVisibility({ contentVisibilityAuto: true })"
MOVING = """[...document.querySelectorAll("*")].filter((one) => {
  const style = getComputedStyle(one);
  return parseFloat(style.transitionDuration) > 0 || parseFloat(style.animationDuration) > 0;
}).length"""
SCROLLING = "getComputedStyle(document.documentElement).scrollBehavior"


def assert_names_stay(window: Page, names: str, last: str) -> None:
    """The names are at the upper edge, above all else, once the last row is visible."""
    window.evaluate("scrollTo(0, 0)")
    height = window.evaluate("innerHeight")
    before = [box["top"] for box in boxes(window.locator(names))]
    tall = max(box["height"] for box in boxes(window.locator(names)))
    window.locator(last).last.evaluate(
        "(row, room) => scrollBy(0, row.getBoundingClientRect().bottom - room)", tall + 40
    )
    assert min(before) > height / 2  # it was below, and is now at the upper edge
    shown = boxes(window.locator(names))
    assert all(box["top"] >= -1 and box["top"] + box["height"] <= tall + 40 for box in shown)
    on_top = "(all) => all.every((one) => { const box = one.getBoundingClientRect();"
    on_top += " return one.contains(document.elementFromPoint(box.left + 5, box.bottom - 8)); })"
    assert window.locator(names).evaluate_all(on_top)


@pytest.mark.parametrize("kind", ["comparison", "comparison of namesakes"])
def test_scores_and_facts_stand_side_by_side_and_takes_only_on_a_desktop(
    shared_site: Site, window: Page, kind: str
):
    window.set_viewport_size(PHONE)
    shared_site.open(window, kind)
    rows = window.locator(".scorecard__row")
    for row in rows.all():
        assert side_by_side(*boxes(row.locator(".scorecard__score")))
    for row in window.locator(".decision tr:not(.decision__group):visible").all():
        first, second = boxes(row.locator(":scope > :not(:first-child)"))
        assert side_by_side(first, second)
        assert first["width"] > 100
    assert side_by_side(*boxes(window.locator(".card__head")))
    above, below = boxes(rows.first.locator(".scorecard__take"))
    assert above["bottom"] <= below["top"]
    assert above["left"] == below["left"]
    for size in (PHONE, DESKTOP):
        window.set_viewport_size(size)
        assert_names_stay(window, ".decision thead th", ".decision tbody tr:visible")
        assert_names_stay(window, ".scorecard__names p", ".scorecard__row")
    for row in rows.all() if kind == "comparison" else []:
        first, second = boxes(row.locator(".scorecard__take"))
        assert side_by_side(first, second)
        assert abs(first["width"] - second["width"]) < 1
        texts = row.locator(
            ".scorecard__take > p:not(.scorecard__on):first-of-type, .scorecard__on + p"
        )
        assert len({round(box["top"]) for box in boxes(texts)}) == 1


def test_hard_names_are_aligned_and_read_where_a_take_is_missing(shared_site: Site, window: Page):
    window.set_viewport_size(DESKTOP)
    shared_site.open(window, "comparison of hard names")
    for name in ("card__name", "card__tagline", "card__verdict", "card__price"):
        assert side_by_side(*boxes(window.locator(f".card__head .{name}"))), name
    row = window.get_by_role("region", name="Builder", exact=True)
    assert re.search("שלום: No panel take", screen_reader_text(row))


def test_on_a_phone_a_comparison_of_two_takes_nine_screens_and_its_answer_three(window: Page):
    window.set_viewport_size(PHONE)
    for anchor in ("decision", "scorecard", "community", "bookmarks"):
        window.goto(f"{pages.COMPARISON}#{anchor}")
        next_frame(window)
        assert 0 <= boxes(window.locator(f"#{anchor} h2"))[0]["top"] < PHONE["height"] / 3
    for pair in SAMPLE_PAIRS:
        window.goto(f"/compare/{pair}/")
        height = window.evaluate("document.documentElement.scrollHeight")
        assert height <= 9 * PHONE["height"], pair
        [strips] = boxes(window.locator(".strip"))
        assert strips["bottom"] + window.evaluate("scrollY") <= 3 * PHONE["height"], pair


def test_on_a_phone_rows_and_sources_are_collapsed_and_can_be_opened(site: Site):
    """Without scripts: by itself this browser opens what sources.js opens in others."""
    page = site.window(PHONE, reduced_motion="reduce", java_script_enabled=False)
    page.goto("/compare/chroma-vs-qdrant/")
    for hidden in (".decision__same", ".other-values p"):
        expect(page.locator(hidden).first).to_be_hidden()
    number = page.locator("a.source-number:visible").last
    source = page.locator(str(number.get_attribute("href")))
    expect(source).to_be_hidden()
    number.click()
    expect(source).to_be_in_viewport()
    page.get_by_role("link", name="Show all").click()
    for row in page.locator(".decision tbody tr").all():
        expect(row).to_be_visible()
    page.set_viewport_size(DESKTOP)
    expect(page.locator(".other-values p").first).to_be_visible()


def test_texts_unfold_in_their_paragraph_on_a_phone_and_are_whole_from_768_px_on(
    shared_site: Site, window: Page
):
    window.set_viewport_size(PHONE)
    shared_site.open(window, "tool")
    description = window.locator(DESCRIPTION)
    rest = description.locator(".prose > p").first
    assert not rest.evaluate(SEEN)
    description.locator("summary").click()
    lead_ends = description.locator(".opening__lead").evaluate(
        "lead => [...lead.getClientRects()].at(-1).bottom"
    )
    assert abs(lead_ends - rest.evaluate("p => p.getClientRects()[0].bottom")) < 2
    window.reload()
    for size in (TABLET, DESKTOP):
        window.set_viewport_size(size)
        for text in (DESCRIPTION, ".take .opening--because"):
            opening = window.locator(text).first
            expect(opening.locator(".opening__lead")).to_be_visible()
            assert opening.locator(".prose > p").first.evaluate(SEEN)
            opening.locator("summary").evaluate("summary => summary.focus()")
            assert window.evaluate("document.activeElement === document.body")


def screen_reader_text(part: Locator) -> str:
    """What a screen reader reads of a part of the page: its ARIA snapshot without roles."""
    lines = part.aria_snapshot().splitlines()
    texts = (re.sub(r'^\s*- (?:\w+(?: "[^"]*")?(?: \[[^]]*])?:? ?)?', "", line) for line in lines)
    return re.sub(r"\s+", " ", " ".join(line.strip("'\"") for line in texts))


def test_a_screen_reader_reads_scores_takes_and_facts_each_with_its_tool(
    shared_site: Site, window: Page
):
    shared_site.open(window, "comparison")
    first, second = NAME_A, NAME_B
    table = window.get_by_role("table", name="The facts that decide")
    for size in (PHONE, DESKTOP):
        window.set_viewport_size(size)
        row = window.get_by_role("region", name="Builder", exact=True)
        about = row.locator(".scorecard__on + p").all_text_contents()
        openings = [re.escape(text.split("·")[0].strip()) for text in about]
        order = (
            rf"{first}: \d+/100 · (ship|skip).*{second}: \d+/100 · (ship|skip)"
            rf".*{first} {openings[0]}.*{second} {openings[1]}"
        )
        assert re.search(order, screen_reader_text(row))
        for name in (first, second):
            expect(table.get_by_role("columnheader", name=name, exact=True)).to_have_count(1)
        for fact in ("Panel verdict", "Community", "Pricing", "Best for", "Category"):
            header = table.get_by_role("rowheader", name=fact, exact=True, include_hidden=True)
            expect(header).to_have_count(1)
    table.locator("tbody tr").nth(3).evaluate("(row) => scrollBy(0, row.getBoundingClientRect().y)")
    head = table.get_by_role("columnheader", name=first, exact=True)
    expect(head).to_be_in_viewport(ratio=1)
    assert boxes(head)[0]["top"] == 0
    assert boxes(head.get_by_role("link", name=f"Change {first}", exact=True))[0]["height"] >= 24


def background(page: Page, selector: str, pseudo: str = "") -> str:
    script = "(element, pseudo) => getComputedStyle(element, pseudo || null).backgroundColor"
    return str(page.locator(selector).first.evaluate(script, pseudo))


def test_on_paper_a_comparison_has_two_columns_and_no_controls_and_a_list_no_filters(site: Site):
    page = site.window(PAPER, color_scheme="dark")
    site.open(page, "comparison")
    page.emulate_media(media="print", color_scheme="dark")
    for selector in NOT_ON_PAPER:
        expect(page.locator(selector)).to_have_count(1)
        expect(page.locator(selector)).to_be_hidden()
    for parts in (".card__head", ".card__text"):
        assert side_by_side(*boxes(page.locator(parts)))
    expect(page.locator(".sources li").first).to_be_visible()
    for row in page.locator(".decision__same").all():
        expect(row).to_be_visible()
    for row in page.locator(".scorecard__row").all():
        assert side_by_side(*boxes(row.locator(".scorecard__take")))
    assert background(page, "body") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert page.evaluate(LAYOUT_FAULTS) == []
    site.open(page, "tools")
    expect(page.locator(".filters")).to_be_hidden()
    expect(page.locator(".tool-row").first).to_be_visible()
    assert page.evaluate(LAYOUT_FAULTS) == []


def test_verdicts_and_focus_keep_their_shapes_in_forced_colours_and_nothing_moves_if_unwanted(
    site: Site,
):
    page = site.window(forced_colors="active")
    site.open(page, "tools")
    for verdict in ("ship", "skip"):
        mark = background(page, f".verdict--{verdict}")
        assert mark not in (background(page, "body"), "rgba(0, 0, 0, 0)")
        sign = background(page, f".verdict--{verdict}", "::before")
        assert sign not in (mark, "rgba(0, 0, 0, 0)")
    page.locator(".masthead__name").focus()
    page.keyboard.press("Tab")
    assert page.locator(":focus").evaluate("(one) => getComputedStyle(one).outlineStyle") == "solid"
    assert page.evaluate(LAYOUT_FAULTS) == []
    page.goto(pages.COMPARISON)
    assert page.evaluate(SCROLLING) == "smooth"
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(SCROLLING) == "auto"
    assert page.evaluate(MOVING) == 0
