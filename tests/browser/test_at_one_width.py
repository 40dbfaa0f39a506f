"""What only one width shows, and what a page prints; every page at every width is in
test_every_page.
"""

import pytest
from playwright.sync_api import Page, ViewportSize

from tests.browser import pages
from tests.browser.site import Site
from tests.browser.test_comparison_layout import PAPER

CATEGORY, THREE = pages.OPEN["category"], pages.OPEN["comparison of three"]
WHOLE = "(box) => box.scrollHeight === box.clientHeight"
BELOW_THE_CHIP = """(row) => {
  const top = row.querySelector(".tool-row__tagline bdi").getBoundingClientRect().top;
  return top - row.querySelector(".verdict").getBoundingClientRect().bottom >= 2;
}"""
BESIDE_THE_CHIP = """(line) => {
  const lines = [...line.querySelector(":scope > :last-child").getClientRects()];
  const chip = line.querySelector(".verdict").getBoundingClientRect();
  return lines.every((one) => one.left > chip.right);
}"""
EVEN = """(list) => {
  const range = document.createRange();
  const [first, second, third] = [...list.children].map((item) => {
    range.selectNodeContents(item.querySelector("a"));
    return range.getBoundingClientRect();
  });
  return Math.abs(second.left - first.right - third.left + second.right) < 1;
}"""
ONE_LINE = "(counts) => counts.getBoundingClientRect().height < 32"
SAME_MARGIN = """(name) => name.getBoundingClientRect().left
  === (innerWidth - Math.min(innerWidth, 1216)) / 2 + 40"""


@pytest.mark.parametrize(
    ("path", "width", "selector", "holds"),
    [
        (CATEGORY, 360, ".matrix__scroll", WHOLE),
        (CATEGORY, 1280, ".matrix__scroll", WHOLE),
        ("/tools/", 360, ".tool-row:not(:has(.verdict--none))", BELOW_THE_CHIP),
        ("/tools/cline/", 360, ".answer--tool", BESIDE_THE_CHIP),
        ("/tools/continue/", 1280, ".answer--tool", BESIDE_THE_CHIP),
        ("/tools/cline/", 1280, ".breadcrumb ol", EVEN),
        (THREE, 768, ".decision .counts", ONE_LINE),
        (THREE, 1280, ".masthead__name", SAME_MARGIN),
        (THREE, 1920, ".masthead__name", SAME_MARGIN),
    ],
)
def test_it_holds_at_this_width(
    shared_site: Site, window: Page, path: str, width: int, selector: str, holds: str
):
    window.set_viewport_size(ViewportSize(width=width, height=800))
    window.goto(path)
    found = window.locator(selector)
    assert found.count()
    assert [one.inner_text() for one in found.all() if not one.evaluate(holds)] == []


CONTROLS = """() => [...document.querySelectorAll("form, nav, button, .card__vote")]
  .filter((one) => one.checkVisibility()).map((one) => one.outerHTML.slice(0, 80))"""
SHORTENED = """(one) => {
  const { whiteSpace, display } = getComputedStyle(one);
  return whiteSpace === "nowrap" || display !== "block";  // a clamp is no block
}"""


def test_paper_has_the_address_the_answer_and_whole_texts_but_no_form(
    shared_site: Site, window: Page
):
    window.set_viewport_size(PAPER)
    for path in (pages.COMPARISON, THREE, CATEGORY, "/tools/", f"{pages.COMPARISON}?weigh=own"):
        window.goto(path)
        window.emulate_media(media="print")  # again: another page may be another process
        assert window.evaluate(CONTROLS) == [], path
        address = "getComputedStyle(document.querySelector('[rel=canonical]'), '::before').content"
        assert path.partition("?")[0] in window.evaluate(address)
        assert window.locator("[rel=canonical]").bounding_box()
        if path.startswith("/compare/"):
            for part in ("h1", ".answer", ".answer__basis >> text=newest take", ".choose-if li"):
                assert window.locator(part).first.is_visible(), (path, part)
        taglines = window.locator(".tool-row__tagline:visible")
        assert [one.inner_text() for one in taglines.all() if one.evaluate(SHORTENED)] == []
        rows = window.locator("tr:visible, .tool-row:visible, .scorecard__row:visible")
        inside = "(all) => all.filter((one) => getComputedStyle(one).breakInside !== 'avoid')"
        assert rows.evaluate_all(f"(all) => ({inside})(all).map((one) => one.textContent)") == []
    window.goto(CATEGORY)
    window.emulate_media(media="print")
    borders = "(cell) => getComputedStyle(cell).borderInlineStartWidth"
    assert window.locator(".matrix tbody td").first.evaluate(borders) == "1px"
    assert window.locator(".matrix__scroll").evaluate("(one) => one.clientTop") == 1
    window.emulate_media(media="screen")
