"""Links, buttons, fields and summaries are at least 44 px high and wide on a phone.

test_every_page.py measures them on every kind of page.
"""

from playwright.sync_api import Page, expect

from tests.browser import pages
from tests.browser.site import PHONE, Site
from tests.browser.visitor import opened

# Goes from the middle of each target to where another one, or none, would be tapped: in strides,
# because the browser takes long to say what is hit, and then back pixel by pixel. Exempt by WCAG
# 2.5.8 are a link within a sentence, and a mark of a picture, whose table has the same link. A
# label belongs to its field, and a field to its label.
SMALL = """(part) => {
  const targets = "a[href], button, input, select, summary, label:has(input)";
  const least = 44, stride = 4, found = [];
  const within = (link) => {
    const text = link.closest("p, dd, li, td, small") || link.parentElement;
    const rest = text.innerText.replace(link.innerText, "").trim();
    return getComputedStyle(link).display === "inline" && rest.length > 20 &&
      !link.closest(".breadcrumb, .small-text, nav");
  };
  const own = (one, at) => at && (one.contains(at) || at.closest("label")?.control === one);
  const reach = (one, x, y, dx, dy) => {
    const hit = (steps) => own(one, document.elementFromPoint(x + dx * steps, y + dy * steps));
    let far = 0;
    while (far < least && hit(far)) far += stride;
    let steps = far && far - stride + 1;
    while (steps < far && hit(steps)) steps++;
    return steps;
  };
  for (const one of document.querySelector(part || "body").querySelectorAll(targets)) {
    if (!one.checkVisibility({ visibilityProperty: true }) || one.disabled) continue;
    if (one.matches("[tabindex='-1'], .skip-link") || one.closest(".visually-hidden")) continue;
    if (one.closest("label") && one.matches("input")) continue;
    if (one.closest("svg") || (one.matches("a") && within(one))) continue;
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


def test_every_target_of_bookmarks_and_their_drawer_is_large_enough_for_a_finger(site: Site):
    phone = site.window(PHONE, reduced_motion="reduce")
    for slug in ("pgvector", "qdrant"):
        opened(phone, f"/tools/{slug}/")
        phone.locator("#bookmarks .bookmark__button").click()
        phone.get_by_role("button", name="Saved").wait_for()
    opened(phone, "/bookmarks/")
    expect(phone.locator(".bookmark-list__row")).to_have_count(2)
    assert phone.evaluate(SMALL) == []
    opened(phone, pages.COMPARISON)
    phone.locator("#drawer summary").click()
    assert phone.evaluate(SMALL, "#drawer") == []


def test_every_target_of_three_tools_and_their_picker_is_large_enough_for_a_finger(site: Site):
    phone = site.window(PHONE, reduced_motion="reduce")
    for path in ("/compare/aider-vs-cline-vs-continue/", "/compare/?tools=v0&tools=vllm&act=add"):
        phone.goto(path)
        assert phone.evaluate(SMALL) == [], path


def test_the_check_finds_a_small_target(phone: Page):
    phone.goto("/")
    phone.evaluate("document.querySelector('.button').style.cssText = 'min-height: 0; padding: 0'")
    assert phone.evaluate(SMALL)
