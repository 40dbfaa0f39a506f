"""Everything works by keyboard: in order, with a visible focus, from the home page to an answer."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import pages
from tests.browser.site import DESKTOP, PHONE, Site

FIELD = "input:not([type=hidden], [tabindex='-1'])"
MARK = "svg[tabindex='0']"
"""A reviewer's mark on a score strip, which shows its score under the focus."""
INTERACTIVE = f"a[href], button:not([tabindex='-1']), {FIELD}, select, textarea, summary, {MARK}"
VISIBLE = f":is({INTERACTIVE}):visible"

# For the focused element: its index among all usable elements, and what hides it or its outline.
IN_FOCUS = """(interactive) => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const seen = (one) => one.checkVisibility({ visibilityProperty: true });
  const all = [...document.querySelectorAll(interactive)].filter(seen);
  const style = getComputedStyle(element);
  const faults = [];
  if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2)
    faults.push("no outline");
  // The box of a mark also holds its score, which shows beside it.
  const shape = element.querySelector(":scope > circle, :scope > rect") || element;
  const box = [...shape.getClientRects()].find((one) => one.width > 0);
  const [x, y] = box ? [box.left + box.width / 2, box.top + box.height / 2] : [-1, -1];
  const hit = document.elementFromPoint(x, y);
  if (!hit || !(element.contains(hit) || hit.contains(element))) faults.push("out of sight");
  const name = element.outerHTML.slice(0, 120);
  return { place: all.indexOf(element), faults: faults.map((fault) => `${fault}: ${name}`) };
}"""


def tab_through_page(page: Page, key: str) -> tuple[list[int], list[str]]:
    """Press `key` until the focus leaves the page; the focused elements, and every fault."""
    places: list[int] = []
    faults: list[str] = []
    for _ in range(400):
        page.keyboard.press(key)
        found: dict[str, Any] | None = page.evaluate(IN_FOCUS, INTERACTIVE)
        if found is None or found["place"] in places:
            break
        places.append(found["place"])
        faults += found["faults"]
    return places, faults


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        ("home", DESKTOP),
        ("comparison", DESKTOP),
        ("comparison of namesakes", PHONE),
        ("picker with faults", PHONE),
        ("tools", PHONE),
        ("tool", DESKTOP),
        ("reviewer", DESKTOP),
        ("not found", DESKTOP),
    ],
)
def test_tab_reaches_everything_in_order_and_shows_where_it_is(
    shared_site: Site, window: Page, kind: str, size: Any
):
    window.set_viewport_size(size)
    shared_site.open(window, kind)
    count = window.locator(VISIBLE).count()
    places, faults = tab_through_page(window, "Tab")
    assert places == list(range(count))
    assert faults == []


def test_with_shift_and_tab_no_focused_element_is_covered_by_the_names(site: Site):
    page = site.window(PHONE, reduced_motion="reduce")
    site.open(page, "comparison of namesakes")
    page.locator(VISIBLE).last.focus()
    places, faults = tab_through_page(page, "Shift+Tab")
    assert len(places) == page.locator(VISIBLE).count() - 1
    assert faults == []


@pytest.mark.parametrize("path", ["/", pages.COMPARISON, "/zzzz/"])
def test_the_first_tab_offers_to_skip_to_the_content(light: Page, path: str):
    light.goto(path)
    light.keyboard.press("Tab")
    link = light.locator(":focus")
    expect(link).to_have_text("Skip to content")
    expect(link).to_be_in_viewport(ratio=1)
    light.keyboard.press("Enter")
    expect(light.locator("main")).to_be_focused()
    light.keyboard.press("Tab")
    assert light.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_from_the_home_page_to_a_comparison_by_keyboard(light: Page):
    light.goto("/")
    light.get_by_label("Compare", exact=True).focus()
    light.keyboard.type("cursor background agent")
    light.keyboard.press("Tab")
    light.keyboard.type("SmolLM3")
    light.keyboard.press("Enter")
    light.wait_for_url(f"**{pages.COMPARISON}")
    expect(light.locator("h1")).to_have_text("Cursor Background Agent vs SmolLM3")


def test_an_ambiguous_name_is_explained_at_its_field_and_resolved_by_one_link(light: Page):
    light.goto("/compare/?tools=Code+Llama+4&tools=smollm3")
    field = light.get_by_label("Compare", exact=True)
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(
        re.compile("Several tools are called “Code Llama 4”")
    )
    choices = light.locator(".link-list a")
    choices.first.focus()
    light.keyboard.press("Enter")
    light.wait_for_url("**/compare/code-llama-4*-vs-smollm3/")
