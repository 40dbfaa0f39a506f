"""On paper, in forced colours, and with little motion."""

from playwright.sync_api import Page, ViewportSize, expect

from tests.browser import pages
from tests.browser.site import Site
from tests.browser.test_layout import OVERFLOWING, boxes, side_by_side

PAPER = ViewportSize(width=700, height=1000)  # A4 less its margins
NOT_ON_PAPER = [
    ".masthead nav",
    ".breadcrumb",
    ".footer",
    "#community",
    "#bookmarks",
    "#newsletter",
    ".next",
]


def background(page: Page, selector: str, pseudo: str = "") -> str:
    """The computed background colour of an element or of its `::before`."""
    script = "(element, pseudo) => getComputedStyle(element, pseudo || null).backgroundColor"
    return str(page.locator(selector).first.evaluate(script, pseudo))


def test_a_printed_comparison_has_two_columns_and_no_controls(site: Site):
    page = site.window(PAPER, color_scheme="dark")
    site.open(page, "comparison")
    page.emulate_media(media="print", color_scheme="dark")
    for selector in NOT_ON_PAPER:
        expect(page.locator(selector)).to_have_count(1)
        expect(page.locator(selector)).to_be_hidden()
    assert side_by_side(*boxes(page.locator(".card__head")))
    assert side_by_side(*boxes(page.locator(".card__text")))
    expect(page.locator(".sources li").first).to_be_visible()
    for row in page.locator(".decision__same").all():
        expect(row).to_be_visible()
    for row in page.locator(".scorecard__row").all():
        assert side_by_side(*boxes(row.locator(".scorecard__take")))
    assert background(page, "body") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert page.evaluate(OVERFLOWING) == []


def test_a_printed_list_leaves_out_its_filters(site: Site):
    page = site.window(PAPER)
    site.open(page, "tools")
    page.emulate_media(media="print")
    expect(page.locator(".filters")).to_be_hidden()
    expect(page.locator(".tool-row").first).to_be_visible()
    assert page.evaluate(OVERFLOWING) == []


def test_in_forced_colours_verdicts_keep_their_shapes_and_the_focus_its_outline(site: Site):
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
    assert page.evaluate(OVERFLOWING) == []


def test_pages_scroll_smoothly_only_for_readers_who_allow_motion(site: Site):
    for choice, behaviour in (("reduce", "auto"), ("no-preference", "smooth")):
        page = site.window(reduced_motion=choice)
        page.goto(pages.COMPARISON)
        style = "getComputedStyle(document.documentElement).scrollBehavior"
        assert page.evaluate(style) == behaviour


def test_nothing_is_animated_for_readers_who_prefer_reduced_motion(site: Site):
    page = site.window(reduced_motion="reduce")
    page.goto(pages.COMPARISON)
    moving = """[...document.querySelectorAll("*")].filter((one) => {
      const style = getComputedStyle(one);
      return parseFloat(style.transitionDuration) > 0 || parseFloat(style.animationDuration) > 0;
    }).length"""
    assert page.evaluate(moving) == 0
