"""Links, buttons, fields and summaries are at least 44 px high and wide on a phone, and whole rows
of lists can be tapped.
"""

import pytest
from playwright.sync_api import Page

from tests.browser import pages
from tests.browser.site import PHONE, Site

KINDS = ["comparison", "comparison of namesakes", "tools", "reviewer", "reviewers", "home"]
KINDS += ["picker", "tool", "category", "categories", "past issues"]

# Goes from the middle of each target to where another one, or none, would be tapped. A link within
# a sentence is exempt (WCAG 2.5.8); a label belongs to its field, and a field to its label.
SMALL = """(part) => {
  const targets = "a[href], button, input, select, summary, label:has(input)";
  const least = 44, found = [];
  const within = (link) => {
    const text = link.closest("p, dd, li, td, small") || link.parentElement;
    const rest = text.innerText.replace(link.innerText, "").trim();
    return getComputedStyle(link).display === "inline" && rest.length > 20 &&
      !link.closest(".breadcrumb, .label, nav");
  };
  const own = (one, at) => at && (one.contains(at) || at.closest("label")?.control === one);
  const reach = (one, x, y, dx, dy) => {
    let steps = 0;
    while (steps < least && own(one, document.elementFromPoint(x + dx * steps, y + dy * steps)))
      steps++;
    return steps;
  };
  for (const one of document.querySelector(part || "body").querySelectorAll(targets)) {
    if (!one.checkVisibility({ visibilityProperty: true }) || one.disabled) continue;
    if (one.matches("[tabindex='-1'], .skip-link") || one.closest(".visually-hidden")) continue;
    if (one.closest("label") && one.matches("input")) continue;
    if (one.matches("a") && within(one)) continue;
    one.scrollIntoView({ block: "center", inline: "center" });
    const box = (one.querySelector("bdi:not(.visually-hidden *)") || one).getClientRects()[0];
    const x = box.left + Math.min(box.width / 2, 20), y = box.top + box.height / 2;
    const wide = reach(one, x, y, -1, 0) + reach(one, x, y, 1, 0) - 1;
    const high = reach(one, x, y, 0, -1) + reach(one, x, y, 0, 1) - 1;
    const name = `${one.tagName}.${one.className} ${one.textContent.trim().slice(0, 30)}`;
    if (Math.min(wide, high) < least - 1) found.push(`${name}: ${wide} by ${high}`);
  }
  return [...new Set(found)];
}"""

ROWS = ".tool, .pair, .seats li, .panel__seat, .issues__row, .categories li"
# Each row is one target but for the controls that stand in it.
NOT_WHOLE = """(rows) => rows.filter((row) => {
  row.scrollIntoView({ block: "center" });
  const { left, right, top, bottom } = row.getBoundingClientRect();
  const link = row.querySelector("a[href]");
  return [[left + 3, top + 5], [right - 3, top + 5], [(left + right) / 2, (top + bottom) / 2]].some(
    ([x, y]) => !link.contains(document.elementFromPoint(x, y)));
}).map((row) => row.textContent.trim().slice(0, 40))"""


@pytest.mark.parametrize("kind", KINDS)
def test_a_finger_hits_every_target(shared_site: Site, window: Page, kind: str):
    window.set_viewport_size(PHONE)
    shared_site.open(window, kind)
    assert window.evaluate(SMALL) == []


def test_a_finger_hits_every_target_of_bookmarks_and_their_drawer(site: Site):
    phone = site.window(PHONE, reduced_motion="reduce")
    for slug in ("pgvector", "qdrant"):
        phone.goto(f"/tools/{slug}/")
        phone.locator("#bookmarks .save").click()
        phone.get_by_role("button", name="Saved").wait_for()
    phone.goto("/bookmarks/")
    assert phone.locator(".saved__row").count() == 2
    assert phone.evaluate(SMALL) == []
    phone.goto(pages.COMPARISON)
    phone.locator("#drawer summary").click()
    assert phone.evaluate(SMALL, "#drawer") == []


def test_a_finger_hits_every_target_of_three_tools_and_their_picker(site: Site):
    phone = site.window(PHONE, reduced_motion="reduce")
    for path in ("/compare/aider-vs-cline-vs-continue/", "/compare/?tools=v0&tools=vllm&act=add"):
        phone.goto(path)
        assert phone.evaluate(SMALL) == [], path


@pytest.mark.parametrize("kind", KINDS)
def test_whole_rows_of_lists_can_be_tapped(shared_site: Site, window: Page, kind: str):
    window.set_viewport_size(PHONE)
    shared_site.open(window, kind)
    assert window.locator(f"main :is({ROWS}):visible").evaluate_all(NOT_WHOLE) == []


def test_a_small_target_would_be_found(phone: Page):
    phone.goto("/")
    phone.evaluate("document.querySelector('.button').style.cssText = 'min-height: 0; padding: 0'")
    assert phone.evaluate(SMALL)
