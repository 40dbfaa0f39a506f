"""The desk in a browser: axe finds nothing, it fits 1024 px and a tablet, and needs no scripts."""

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, Site, follow, unfold
from tests.browser.test_accessibility import findings

TABLET = ViewportSize(width=768, height=1024)
LAPTOP = ViewportSize(width=1024, height=768)

SCREENS = {
    "dashboard": "/admin/",
    "tools": "/admin/tools/tool/",
    "new tool": "/admin/tools/tool/add/",
    "tool": "/admin/tools/tool/1/change/",
    "withdrawing a tool": "/admin/tools/tool/1/withdraw/",
    "tool's history": "/admin/tools/tool/1/history/",
    "deleting a tool": "/admin/tools/tool/1/delete/",
    "deleted tools": "/admin/tools/tool/deleted/",
    "takes": "/admin/reviews/take/",
    "take": "/admin/reviews/take/1/change/",
    "new take": "/admin/reviews/take/add/",
    "votes": "/admin/reviews/vote/",
    "changed verdicts": "/admin/reviews/takechange/",
    "comparisons": "/admin/comparisons/comparison/",
    "comparison": "/admin/comparisons/comparison/1/change/",
    "reviewers": "/admin/reviews/reviewer/",
    "reviewer": "/admin/reviews/reviewer/1/change/",
    "category": "/admin/tools/category/1/change/",
    "coverage": "/admin/coverage/",
    "facts": "/admin/facts/developer-tools/",
    "due": "/admin/due/",
    "changed": "/admin/changed/",
    "search": "/admin/search/?q=cursor",
    "reports": "/admin/reports/report/",
    "report": "/admin/reports/report/1/change/",
    "decided reports": "/admin/reports/decision/",
    "document and CSV": "/admin/exchange/",
}
BELOW_THE_RULES = ("select2",)
"""Parts that Django's own admin draws."""

LEAVE_TEN_ROWS = """document
  .querySelectorAll(":is(#result_list, .coverage__table) tbody tr:nth-child(n + 11)")
  .forEach((row) => row.remove())"""
"""Rows of a list are alike, and axe needs up to 3 s of processor time for fifty."""


@pytest.fixture(scope="module")
def desk(shared_site: Site) -> Page:
    """One window at the desk for the whole file."""
    page = shared_site.window(DESKTOP, reduced_motion="reduce")
    log_in(page, "ana")
    return page


@pytest.mark.parametrize("name", SCREENS)
def test_axe_finds_nothing_at_the_desk_and_no_screen_scrolls_sideways(desk: Page, name: str):
    found, wide = [], []
    desk.goto(SCREENS[name])
    for size in (LAPTOP, TABLET):
        desk.set_viewport_size(size)
        if desk.evaluate("document.documentElement.scrollWidth") > size["width"]:
            wide.append(size)
    desk.evaluate(LEAVE_TEN_ROWS)
    for size, scheme in ((TABLET, "dark"), (LAPTOP, "light")):
        desk.set_viewport_size(size)
        desk.emulate_media(color_scheme=scheme)
        found += findings(desk)
    assert [row for row in found if not any(part in row for part in BELOW_THE_RULES)] == []
    assert wide == []


def test_a_take_is_written_and_published_without_scripts(site: Site):
    page = site.window(DESKTOP, java_script_enabled=False)
    page.goto("/admin/")
    page.get_by_label("Username").fill("ana")
    page.get_by_label("Password").fill("a-long-good-one")
    follow(page.get_by_role("button", name="Log in"))
    page.goto("/admin/coverage/?what=missing")
    follow(page.locator("td a", has_text="missing").first)
    page.get_by_label("Score").fill("66")
    page.get_by_label("Verdict").select_option("ship")
    page.get_by_label("Text").fill("Written *without* scripts. " * 12)
    with page.expect_popup() as popup:
        page.get_by_role("button", name="Preview this text").click()
    expect(popup.value.locator(".site-styles em").first).to_have_text("without")
    popup.value.close()
    page.get_by_role("button", name="Publish now").click()
    expect(page.locator(".messagelist .success")).to_be_visible()


def test_the_verdict_is_calculated_without_scripts(site: Site):
    page = site.window(DESKTOP, java_script_enabled=False)
    log_in(page, "ana")
    page.goto("/admin/tools/tool/1/change/")
    unfold(page)
    page.locator("#take-builder").get_by_label("Score").fill("1")
    with page.expect_popup() as popup:
        page.get_by_role("button", name="Calculate the verdict").click()
    expect(popup.value.locator("#panel-words")).to_contain_text("With these takes")


def test_the_desk_works_by_keyboard_alone(site: Site):
    page = site.window(DESKTOP)
    log_in(page, "ana")
    page.goto("/admin/tools/tool/1/change/")
    page.locator("#id_tagline").focus()
    page.keyboard.press("End")
    page.keyboard.type(" now")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Checked. Nothing was saved")).to_be_visible()
    page.wait_for_load_state()  # the scripts read the keys
    page.keyboard.press("Control+s")
    expect(page.locator(".messagelist .success")).to_be_visible()
