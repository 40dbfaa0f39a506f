"""Every kind of page, visited once: it stores and logs nothing, axe finds nothing, nothing
overflows at any width, and a finger hits every target and every row.
"""

import pytest
from playwright.sync_api import Page

from tests.browser import pages
from tests.browser.site import DESKTOP, PHONE, Site
from tests.browser.test_accessibility import findings
from tests.browser.test_layout import OVERFLOWING
from tests.browser.test_tap_targets import SMALL

WIDTHS = [320, 360, 640, 1280, 1600]

TAPPED = ["comparison", "comparison of namesakes", "tools", "reviewer", "reviewers", "home"]
TAPPED += ["picker", "tool", "category", "categories", "past issues"]
PUBLIC = [*TAPPED, *(kind for kind in pages.OPEN | pages.CLOSED if kind not in TAPPED)]
LAID_OUT = [*PUBLIC, *(kind for kind in [*pages.ALL, "server error"] if kind not in PUBLIC)]
KINDS = [*LAID_OUT, *(kind for kind in [*pages.ERROR_PAGES, "admin login"] if kind not in LAID_OUT)]
"""Each list begins with the one before: pytest then runs the tests of one kind in a row."""

ROWS = ".tool-row, .pair, .name-grid li, .reviewers__row, .issues__row, .categories li"
# Each row is one target, except for the controls inside it.
NOT_WHOLE = """(rows) => rows.filter((row) => {
  row.scrollIntoView({ block: "center" });
  const { left, right, top, bottom } = row.getBoundingClientRect();
  const link = row.querySelector("a[href]");
  return [[left + 3, top + 5], [right - 3, top + 5], [(left + right) / 2, (top + bottom) / 2]].some(
    ([x, y]) => !link.contains(document.elementFromPoint(x, y)));
}).map((row) => row.textContent.trim().slice(0, 40))"""


@pytest.fixture(scope="module")
def kind(request: pytest.FixtureRequest, shared_site: Site, window: Page) -> str:
    """A kind of page, which the window shows."""
    kind = str(request.param)
    shared_site.open(window, kind)
    return kind


@pytest.mark.parametrize("kind", PUBLIC, indirect=True, scope="module")
def test_it_sets_no_cookie_stores_nothing_and_logs_no_error(
    shared_site: Site, window: Page, kind: str
):
    assert shared_site.errors == []
    assert window.context.cookies() == []
    assert window.evaluate("localStorage.length") == 0
    # HTMX stores the path in view there; the browser deletes it with the window.
    assert window.evaluate("Object.keys(sessionStorage)") == ["htmx-current-path-for-history"]


@pytest.mark.parametrize("kind", LAID_OUT, indirect=True, scope="module")
def test_nothing_overflows_at_any_width(window: Page, kind: str):
    found = {}
    for width in WIDTHS:
        window.set_viewport_size({"width": width, "height": 800})
        found[str(width)] = window.evaluate(OVERFLOWING)
    assert {width: what for width, what in found.items() if what} == {}


@pytest.mark.parametrize("kind", TAPPED, indirect=True, scope="module")
def test_every_target_is_large_enough_for_a_finger(window: Page, kind: str):
    window.set_viewport_size(PHONE)
    assert window.evaluate(SMALL) == []


@pytest.mark.parametrize("kind", TAPPED, indirect=True, scope="module")
def test_whole_rows_of_lists_can_be_tapped(window: Page, kind: str):
    window.set_viewport_size(PHONE)
    assert window.locator(f"main :is({ROWS}):visible").evaluate_all(NOT_WHOLE) == []


@pytest.mark.parametrize("kind", KINDS, indirect=True, scope="module")
def test_axe_finds_nothing(window: Page, kind: str):
    # Colours do not depend on the width, and sizes and places do not depend on the colours. So
    # two runs find everything that four would.
    window.set_viewport_size(DESKTOP)
    window.emulate_media(color_scheme="light")
    found = findings(window)
    window.set_viewport_size(PHONE)
    window.emulate_media(color_scheme="dark")
    found += findings(window)
    window.emulate_media(color_scheme="light")
    assert found == []
