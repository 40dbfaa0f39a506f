"""Every kind of page, visited once for all checks, light and dark, from 320 to 1,920 px."""

import pytest
from playwright.sync_api import Page, Route, ViewportSize, expect

from tests.browser import pages
from tests.browser.page_faults import (
    ALL_RULES,
    IN_A_FRAME,
    LAYOUT_FAULTS,
    NOT_WHOLE,
    ROWS,
    SMALL,
    WATCH_SHIFTS,
    findings,
    findings_in_both_colours,
    keyboard_faults,
    landmark_faults,
)
from tests.browser.site import DESKTOP, PHONE, Site, next_frame, resize

SIZES = [
    PHONE,
    *(ViewportSize(width=width, height=800) for width in (320, 460, 640, 768, 1024, 1920)),
    DESKTOP,
]
"""First the size that a page leaves the window in, last the one in which axe looks first."""
KINDS = [*pages.ALL, *pages.ERROR_PAGES, "admin login"]
PUBLIC = pages.OPEN | pages.CLOSED
TAPPED = ["comparison", "comparison of namesakes", "tools", "reviewer", "reviewers", "home"]
TAPPED += ["picker", "tool", "category", "categories", "past issues"]
TAPPED += ["comparison of three", "picker with a third field"]
"""Where each target and each row is tried as a finger does; other pages are made of the same."""

BY_KEYBOARD = {
    "home": DESKTOP,
    "comparison": DESKTOP,
    "comparison of namesakes": PHONE,
    "picker with faults": PHONE,
    "tools": PHONE,
    "tool": DESKTOP,
    "reviewer": DESKTOP,
    "not found": DESKTOP,
}
OWN_PART = {"comparison with sliders": "#own-panel", "category with sliders": "#own-panel"}
"""What a page shows that none before it does: the rest is not looked at again in dark colours."""


DISPLACED = [
    ("h1", "white-space: nowrap", "is outside"),
    ("h1", "width: 9rem; white-space: nowrap", "is wider than h1"),
    ("h1", "height: 1rem; overflow: hidden", "is cut by h1"),
    ("h1", "width: 3rem", "breaks in"),
    ("h1", "margin-bottom: -3rem", "overlap"),
    (".masthead__search", "inset-inline-end: 3rem", "the masthead begins"),
    ("main", "width: 110vw", "scrolls sideways"),
]
"""Elements of the home page, what to do to them, and the fault that this is."""
RESTYLE = "([selector, style]) => (document.querySelector(selector).style.cssText = style)"


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_logs_and_stores_nothing_fits_every_width_and_axe_finds_nothing(
    shared_site: Site, window: Page, kind: str
):
    faults: dict[str, list[str]] = {}
    resize(window, BY_KEYBOARD.get(kind, PHONE))
    shared_site.errors.clear()
    shared_site.open(window, kind)
    if kind in PUBLIC or kind in pages.EMBEDS:
        faults["stored"] = _stored(window)
    if kind in BY_KEYBOARD:
        faults["keyboard"] = keyboard_faults(window, "Tab")
    if kind == "comparison of namesakes":  # the names stick to the upper edge
        faults["keyboard backwards"] = keyboard_faults(window, "Shift+Tab")
    for size in SIZES:
        resize(window, size)
        faults[f"at {size['width']} px"] = window.evaluate(LAYOUT_FAULTS)
    if kind in PUBLIC:
        faults["landmarks"] = landmark_faults(window)
    rules, dark = IN_A_FRAME if kind in pages.EMBEDS else ALL_RULES, OWN_PART.get(kind, "html")
    faults["axe"] = findings_in_both_colours(window, rules=rules, dark_part=dark)
    if kind in TAPPED:
        faults["too small for a finger"] = window.evaluate(SMALL)
        rows = window.locator(f"main :is({ROWS}):visible")
        faults["row that is no target"] = rows.evaluate_all(NOT_WHOLE)
    faults["console"] = shared_site.errors.copy()
    assert {check: found for check, found in faults.items() if found} == {}


def _stored(page: Page) -> list[str]:
    """What a page stores in a new browser. HTMX stores the path in view in the session; the browser
    deletes it with the window.
    """
    script = "[...Object.keys(localStorage), ...Object.keys(sessionStorage)]"
    stored: list[str] = page.evaluate(script)
    cookies = [str(cookie.get("name")) for cookie in page.context.cookies()]
    return cookies + [key for key in stored if key != "htmx-current-path-for-history"]


def test_each_check_finds_a_deliberate_fault(site: Site):
    page = site.window(PHONE)
    page.goto("/")
    page.evaluate("document.querySelector('h1').style.color = 'rgb(125 125 125 / 50%)'")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert any(finding.startswith("color-contrast") for finding in findings(page, "main")), (
            scheme
        )
    page.evaluate("document.querySelector('.button').style.cssText = 'min-height: 0; padding: 0'")
    assert page.evaluate(SMALL)
    page.evaluate("document.querySelector('h1').style.color = ''")
    assert page.evaluate(LAYOUT_FAULTS) == []
    for selector, style, fault in DISPLACED:
        page.evaluate(RESTYLE, [selector, style])
        assert fault in "".join(page.evaluate(LAYOUT_FAULTS)), fault
        page.evaluate(RESTYLE, [selector, ""])
    page.evaluate("document.querySelector('h1').insertAdjacentHTML('afterend', '<h1>Two</h1>')")
    page.evaluate("document.querySelector('.skip-link').tabIndex = -1")
    assert landmark_faults(page) == ["HEADER", "NAV", "MAIN", "H1", "H1", "FOOTER"]
    assert keyboard_faults(page, "Tab") != []
    page.evaluate("localStorage.left = 1")
    assert _stored(page) == ["left"]
    with page.expect_console_message(lambda message: "policy: img-src" in message.text):
        page.evaluate(
            "document.body.append(Object.assign(document.createElement('img'),"
            " { src: 'https://example.com/x.png' }))"
        )
    assert any("policy: img-src" in error for error in site.errors)


def test_nothing_moves_while_a_page_with_slow_scripts_loads(site: Site):
    page = site.new_window()
    page.add_init_script(WATCH_SHIFTS)

    def delay(route: Route) -> None:
        page.wait_for_timeout(100)
        route.continue_()

    page.route("**/*.js", delay)
    found = {}
    for size, kinds in (
        (PHONE, ("home", "comparison", "tools", "tool")),
        (DESKTOP, ("picker with faults", "comparison", "reviewer")),
    ):
        page.set_viewport_size(size)
        for kind in kinds:
            site.open(page, kind)
            for _ in range(3):
                page.mouse.wheel(0, 900)
                next_frame(page)
            found[f"{kind}, {size['width']} px"] = page.evaluate("shifts")
    assert {kind: moved for kind, moved in found.items() if moved} == {}
    page.evaluate("scrollTo(0, 0)")
    next_frame(page)
    page.evaluate("document.querySelector('h1').style.marginTop = '200px'")
    for _ in range(500):
        next_frame(page)
        if page.evaluate("shifts"):
            return
    pytest.fail("the shift of the heading was not seen")


def test_the_first_tab_offers_to_skip_to_the_content(light: Page):
    for path in ("/", pages.COMPARISON, "/zzzz/"):
        light.goto(path)
        light.keyboard.press("Tab")
        link = light.locator(":focus")
        expect(link).to_have_text("Skip to content")
        expect(link).to_be_in_viewport(ratio=1)
        light.keyboard.press("Enter")
        expect(light.locator("main")).to_be_focused()
        light.keyboard.press("Tab")
        assert light.evaluate("document.querySelector('main').contains(document.activeElement)")
