"""Three to ten tools: ticked in a list, side by side in a window, on a phone and on paper."""

from collections import Counter

from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.page_faults import boxes, overflow_width
from tests.browser.site import DESKTOP, PHONE, Site, next_frame
from tests.browser.test_comparison_layout import PAPER

SCROLLERS = (".cards--many", "#decision .many-tools", "#scorecard .many-tools")


def tick_ten(page: Page) -> None:
    """Tick ten tools of the list, the longest and a right-to-left name among them, and compare."""
    page.goto("/tools/?sort=newest")
    for name in ("long-name", "right-to-left"):
        page.locator(f".tool-row__tick input[value={name}]").check()
    for box in page.locator(".tool-row__tick input:not(:checked)").all()[:8]:
        box.check()
    bar = page.locator(".compare-bar")
    expect(bar).to_be_in_viewport()
    bar.get_by_role("button").click()
    page.wait_for_url("**-vs-**")


def assert_names_and_labels_stay(page: Page, section: str, label: str) -> None:
    """While the page scrolls down and the part sideways, its names stay above their columns, and
    its row labels in it.
    """
    part = page.locator(f"#{section} .many-tools")
    assert part.evaluate("(one) => one.scrollHeight <= one.clientHeight + 1")
    part.evaluate("""(one) => { one.scrollTo(400, 0);
      const { top, height } = one.getBoundingClientRect(); scrollBy(0, top + height / 2); }""")
    next_frame(page)
    assert part.evaluate("(one) => one.scrollLeft") > 100
    inside = boxes(part)[0]
    assert all(box["left"] >= inside["left"] - 1 for box in boxes(part.locator(label)))
    names = boxes(page.locator(f"#{section} .many-tools__bar span:not(:empty)"))
    heads = boxes(part.locator(".decision > thead th, .scorecard__names p"))
    assert all(0 <= name["top"] < 20 for name in names)
    assert all(abs(a["left"] - b["left"]) < 2 for a, b in zip(names, heads, strict=True))
    expect(page.locator(f"#{section} .many-tools__bar span:not(:empty)").nth(3)).to_be_visible()


def test_a_table_of_ten_tools_scrolls_sideways_and_four_are_printed_side_by_side(site: Site):
    page = site.window(DESKTOP, reduced_motion="reduce")
    tick_ten(page)
    for size in (DESKTOP, PHONE):
        page.set_viewport_size(size)
        assert overflow_width(page) == 0
        labels = "tbody th[scope=row]:visible, .decision__group span:visible"
        assert_names_and_labels_stay(page, "decision", labels)
        assert_names_and_labels_stay(page, "scorecard", ".scorecard__who")
        heads = boxes(page.locator(".decision thead th"))
        seen = [box for box in heads if 96 < box["left"] < box["right"] <= 361]
        assert size == DESKTOP or len(seen) == 2
    page.set_viewport_size(PAPER)
    page.emulate_media(media="print")
    assert overflow_width(page) == 0
    for cells in (
        ".decision tbody:nth-of-type(1) tr:nth-child(2) td",
        ".scorecard__row:nth-of-type(1) p[class$=score]",
    ):
        lines = Counter(round(box["top"]) for box in boxes(page.locator(f".many-tools {cells}")))
        assert list(lines.values()) == [4, 4, 2]


def text_of_button(page: Page) -> str:
    """What the button that compares says, with the number that CSS counts: the text that the
    browser gives to screen readers.
    """
    client = page.context.new_cdp_session(page)
    nodes = client.send("Accessibility.getFullAXTree")["nodes"]
    texts = [
        node["name"]["value"].strip() for node in nodes if node["role"]["value"] == "StaticText"
    ]
    start = texts.index("what is ticked")
    return " ".join(filter(None, texts[start - 1 : start + 3]))


def test_the_hint_of_the_compare_bar_says_how_many_ticks_are_missing_in_a_filtered_list_too(
    site: Site,
):
    page = site.window(PHONE, reduced_motion="reduce")
    page.goto("/tools/")
    bar = page.locator(".compare-bar")
    hint = bar.locator("[data-ticked]:visible")
    expect(hint).to_have_text("Tick two to ten tools to see them side by side.")
    ticks = page.locator(".tool-row__tick input")
    ticks.nth(0).check()
    expect(hint).to_have_text("Tick one more to see them side by side.")
    height = boxes(bar)[0]["height"]
    ticks.nth(1).check()
    expect(hint).to_have_count(0)
    ticks.nth(2).check()
    assert text_of_button(page) == "Compare what is ticked 3"
    assert boxes(bar)[0]["height"] == height
    ticks.nth(1).uncheck()
    ticks.nth(2).uncheck()
    expect(hint).to_contain_text("one more")
    page.set_viewport_size(DESKTOP)
    page.goto("/tools/?sort=name")
    for slug in ("pgvector", "qdrant"):
        page.locator(f"input[name=tools][value={slug}]").check()
    expect(hint).to_have_count(0)
    page.get_by_role("checkbox", name="Vector Search").check()
    page.wait_for_url("**category=vector-search*")
    expect(page.locator(".tool-list__shared")).to_be_visible()
    expect(hint).to_have_count(0)
    page.locator("input[name=tools][value=qdrant]").uncheck()
    expect(hint).to_contain_text("one more")


def tools_of(page: Page, number: int) -> str:
    """The address of a comparison of this many tools of the sample."""
    page.goto("/tools/?sort=name")
    ticks = page.locator(".tool-row__tick input").all()[:number]
    return f"/compare/{'-vs-'.join(str(tick.get_attribute('value')) for tick in ticks)}/"


def test_ten_tools_take_eight_screens_of_a_phone_and_five_are_in_view_on_a_wide_window(
    window: Page,
):
    window.set_viewport_size(PHONE)
    window.goto(tools_of(window, 10))
    height = window.evaluate("document.documentElement.scrollHeight")
    assert height <= 8 * PHONE["height"]
    for part in SCROLLERS:
        scroller = window.locator(part)
        says = window.locator(f".side-count[data-of={scroller.get_attribute('data-counted')}]")
        expect(says).to_have_text("1–2 of 10")
        scroller.evaluate("(one) => one.scrollTo(9999, 0)")
        expect(says).to_have_text("9–10 of 10")
    window.locator(".card").first.get_by_role("link", name="Vote on").click()
    form = window.locator(".community__form").first
    expect(form.get_by_role("button", name="Ship")).to_be_in_viewport()
    window.set_viewport_size(ViewportSize(width=1920, height=1080))
    window.goto(tools_of(window, 5))
    for part in SCROLLERS:
        fits = "(one) => one.scrollWidth <= one.clientWidth + 1"
        assert window.locator(part).evaluate(fits), part
    expect(window.locator(".side-count:visible")).to_have_count(0)
    rail = window.locator(".rail")
    expect(rail).to_contain_text("Free")
    window.locator("#scorecard").scroll_into_view_if_needed()
    expect(rail.get_by_role("link", name="Decision")).to_be_in_viewport()
