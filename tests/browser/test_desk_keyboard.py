"""The tool's screen by keyboard: skip links lead past fields that an editor does not change."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, Site


@pytest.fixture
def page(site: Site) -> Page:
    page = site.window(DESKTOP)
    log_in(page, "ana")
    page.goto("/admin/tools/tool/1/change/")
    return page


def follow_skip_link(page: Page, text: str) -> None:
    """Follow a link that has the focus, by Enter."""
    link = page.get_by_role("link", name=text, exact=True)
    expect(link).to_be_focused()
    assert link.bounding_box()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")


def test_save_is_three_keys_from_the_start_of_a_form(page: Page):
    page.get_by_role("link", name="Skip to the takes").focus()
    page.keyboard.press("Tab")
    follow_skip_link(page, "Skip to Save")
    expect(page.locator(".save-bar input").first).to_be_focused()


def test_a_folded_take_is_passed_in_one_key_and_an_open_one_begins_with_its_skip_link(page: Page):
    def line_of(reviewer: str) -> Locator:
        return page.locator(f"#take-{reviewer} summary")

    line_of("builder").focus()
    page.keyboard.press("Tab")
    expect(line_of("skeptic")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip Skeptic’s take", exact=True)
    expect(skip).to_be_focused()
    follow_skip_link(page, "Skip Skeptic’s take")
    expect(line_of("futurist")).to_be_focused()
