"""Pages fit any window, nothing moves while they load, and columns are side by side."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser import pages
from tests.browser.site import DESKTOP, PHONE, Site, next_frame

SAMPLE_PAIRS = ["-vs-".join(row["tools"]) for row in pages.sample()["comparisons"]]

# Elements beyond the window's edge, and text beyond the edge of its box, unless it ends with an
# ellipsis.
OVERFLOWING = """() => {
  const width = document.documentElement.clientWidth;
  const found = [];
  const unseen = (one) => one && (one.clientWidth === 1 || unseen(one.parentElement));
  const cut = (one) =>
    one && (getComputedStyle(one).textOverflow === "ellipsis" || cut(one.parentElement));
  if (document.documentElement.scrollWidth > width) found.push("the page scrolls sideways");
  for (const element of document.body.querySelectorAll("*")) {
    const box = element.getBoundingClientRect();
    if (box.width <= 1 || element.matches("option, datalist")) continue;
    if (unseen(element) || cut(element.parentElement)) continue;
    if (element.closest(".matrix__scroll > *")) continue;  // scrolls by itself
    const name = element.tagName + "." + element.className;
    if (box.left < -1 || box.right > width + 1) found.push(name + " is outside");
    if (element instanceof SVGElement) continue;  // its texts have no width to keep to
    const scrolls = getComputedStyle(element).overflowX !== "visible";
    if (!scrolls && element.clientWidth && element.scrollWidth > element.clientWidth + 1)
      found.push(name + " is too narrow for its text");
  }
  return found;
}"""

WATCH_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    shifts.push(entry.value + " " + entry.sources.map((s) => s.node && s.node.nodeName).join());
}).observe({ type: "layout-shift", buffered: true });
"""

MOVE_HEADING = """document.querySelector("h1").style.marginTop = "200px" """
SHIFT_SEEN = """() => new Promise((done) => {
  const look = () => (shifts.length ? done(true) : setTimeout(look, 20));
  look();
  setTimeout(done, 30_000, false);
})"""
"""Answers once a shift is known, or that there is none after half a minute.

One promise instead of wait_for_function, which evaluates its text again at each try: our
Content-Security-Policy refuses every try after the first.
"""


def boxes(elements: Locator) -> list[dict[str, Any]]:
    """The boxes of these elements, in the page's pixels."""
    found: list[dict[str, Any]] = elements.evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect().toJSON())"
    )
    assert found
    return found


def side_by_side(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Whether two boxes start at one height, the first ending where the second begins or before."""
    return bool(abs(a["top"] - b["top"]) < 1 and a["right"] <= b["left"] + 1)


def test_nothing_overflows_at_200_per_cent_zoom(site: Site):
    # A desktop window of 1280 by 800, zoomed: half as many pixels, each twice as large.
    page = site.window({"width": 640, "height": 400}, device_scale_factor=2)
    # test_every_page.py checks every page at 640 px; here each pixel is two, and few are in sight.
    for kind in ("picker with faults", "comparison of hard names"):
        site.open(page, kind)
        assert page.evaluate(OVERFLOWING) == [], kind


def test_the_check_finds_an_overflow(phone: Page):
    phone.goto("/")
    phone.evaluate("document.querySelector('h1').style.whiteSpace = 'nowrap'")
    assert phone.evaluate(OVERFLOWING)


def layout_shifts(site: Site, page: Page, kinds: list[str]) -> dict[str, list[str]]:
    """What moves while pages with slow scripts load, by kind."""

    def delay(route: Route) -> None:
        page.wait_for_timeout(100)
        route.continue_()

    page.add_init_script(WATCH_SHIFTS)
    page.route("**/*.js", delay)
    found = {}
    for kind in kinds:
        site.open(page, kind)
        for _ in range(3):
            page.mouse.wheel(0, 900)
            next_frame(page)
        found[kind] = page.evaluate("shifts")
    return {kind: moved for kind, moved in found.items() if moved}


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_nothing_moves_while_a_page_loads(site: Site, size: Any):
    kinds = ["home", "picker with faults", "comparison", "tools", "tool", "reviewer"]
    assert layout_shifts(site, site.new_window(size), kinds) == {}


def test_the_test_finds_a_layout_shift(site: Site):
    light = site.window()
    light.goto("/")
    light.evaluate(WATCH_SHIFTS)
    next_frame(light)  # what moves before the first paint is no shift
    light.evaluate(MOVE_HEADING)
    assert light.evaluate(SHIFT_SEEN)
    light.evaluate(WATCH_SHIFTS)  # with the entries that the browser buffered before
    assert light.evaluate(SHIFT_SEEN)


@pytest.mark.parametrize("kind", ["comparison", "comparison of namesakes"])
def test_on_a_phone_scores_and_facts_stand_side_by_side_and_takes_stack(
    shared_site: Site, window: Page, kind: str
):
    window.set_viewport_size(PHONE)
    shared_site.open(window, kind)
    for row in window.locator(".scorecard__row").all():
        assert side_by_side(*boxes(row.locator(".scorecard__score")))
    for row in window.locator(".decision tr:not(.decision__group):visible").all():
        first, second = boxes(row.locator(":scope > :not(:first-child)"))
        assert side_by_side(first, second)
        assert first["width"] > 100
    assert side_by_side(*boxes(window.locator(".card__head")))
    above, below = boxes(window.locator(".scorecard__row").first.locator(".scorecard__take"))
    assert above["bottom"] <= below["top"]
    assert above["left"] == below["left"]


def test_on_a_desktop_the_takes_of_a_reviewer_start_level_and_equally_wide(
    shared_site: Site, window: Page
):
    window.set_viewport_size(DESKTOP)
    shared_site.open(window, "comparison")
    for row in window.locator(".scorecard__row").all():
        first, second = boxes(row.locator(".scorecard__take"))
        assert side_by_side(first, second)
        assert abs(first["width"] - second["width"]) < 1
        texts = row.locator(
            ".scorecard__take > p:not(.scorecard__on):first-of-type, .scorecard__on + p"
        )
        assert len({round(box["top"]) for box in boxes(texts)}) == 1


def test_facts_of_the_two_cards_are_aligned(shared_site: Site, window: Page):
    window.set_viewport_size(DESKTOP)
    shared_site.open(window, "comparison of hard names")
    for name in ("card__name", "card__tagline", "card__verdict", "card__price"):
        assert side_by_side(*boxes(window.locator(f".card__head .{name}"))), name


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("kind", ["comparison", "comparison of namesakes"])
def test_the_names_stay_in_sight_while_the_facts_scroll(
    shared_site: Site, window: Page, size: Any, kind: str
):
    window.set_viewport_size(size)
    shared_site.open(window, kind)
    for names, last in (
        (".decision thead th", ".decision tbody tr:visible"),
        (".scorecard__names p", ".scorecard__row"),
    ):
        assert_names_stay(window, size["height"], names, last)


def assert_names_stay(window: Page, height: int, names: str, last: str) -> None:
    """The names are at the upper edge once the last row is visible."""
    window.evaluate("scrollTo(0, 0)")
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


def test_a_link_to_a_section_shows_its_heading(shared_site: Site, window: Page):
    window.set_viewport_size(PHONE)
    for anchor in ("decision", "scorecard", "community", "bookmarks"):
        window.goto(f"{pages.COMPARISON}#{anchor}")
        next_frame(window)
        expect(window.locator(f"#{anchor} h2")).to_be_in_viewport(ratio=1)
        assert boxes(window.locator(f"#{anchor} h2"))[0]["top"] < PHONE["height"] / 3


@pytest.mark.parametrize("pair", SAMPLE_PAIRS)
def test_on_a_phone_a_comparison_of_two_takes_nine_screens_and_its_answer_three(
    shared_site: Site, window: Page, pair: str
):
    window.set_viewport_size(PHONE)
    window.goto(f"/compare/{pair}/")
    assert window.evaluate("document.documentElement.scrollHeight") <= 9 * PHONE["height"]
    [strips] = boxes(window.locator(".strip"))
    assert strips["bottom"] + window.evaluate("scrollY") <= 3 * PHONE["height"]


@pytest.mark.parametrize("width", [320, 360, 700, 1280])
def test_notes_stand_below_their_values_at_every_width(shared_site: Site, window: Page, width: int):
    window.set_viewport_size({"width": width, "height": 800})
    window.goto("/compare/chroma-vs-pgvector/")
    for words in (
        "2,000 in an HNSW or IVFFlat index, 4,000 at half precision.",
        "In Chroma Cloud only.",
    ):
        note = window.locator(".decision td small", has_text=words)
        expect(note).to_be_visible()
        assert float(note.evaluate("note => parseFloat(getComputedStyle(note).fontSize)")) >= 13
    assert window.evaluate(OVERFLOWING) == []


def test_on_a_phone_rows_and_sources_are_collapsed_and_can_be_opened(site: Site):
    for options in ({}, {"java_script_enabled": False}):
        page = site.window(PHONE, reduced_motion="reduce", **options)
        page.goto("/compare/chroma-vs-qdrant/")
        for hidden in (".decision__same", ".more-values .fact-values"):
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
        expect(page.locator(".more-values .fact-values").first).to_be_visible()
