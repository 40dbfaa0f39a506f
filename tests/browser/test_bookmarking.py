"""Bookmarks in a browser: saved, listed in the drawer, compared, removed, forgotten."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import pages
from tests.browser.page_faults import SMALL, findings_in_both_colours
from tests.browser.site import Site, opened
from tests.browser.visitor import (
    NAME_A,
    NAME_B,
    A,
    B,
    assert_same_document,
    button,
    mark_document,
    pressed,
    saved,
)

pytestmark = pytest.mark.usefixtures("no_votes")


def save_both(page: Page) -> None:
    for name in (NAME_A, NAME_B):
        page.get_by_role("button", name=f"Save {name}").click()
        page.get_by_role("button", name=f"Saved {name}").wait_for()


def test_tools_are_saved_and_removed_on_every_page_listed_in_the_drawer_and_compared(
    site: Site, page: Page
):
    mark_document(page)
    page.get_by_role("button", name=f"Save {NAME_A}").click()
    remove = page.get_by_role("button", name=f"Saved {NAME_A}")
    expect(remove).to_be_focused()
    expect(page.locator("#announce")).to_have_text(f"Saved {NAME_A}.", use_inner_text=True)
    count = page.locator("#drawer .bookmark-drawer__count")
    expect(count).to_have_text("1")
    page.get_by_role("button", name=f"Save {NAME_B}").click()
    expect(count).to_have_text("2")
    summary = page.locator("#drawer summary")
    summary.click()
    names = page.locator("#drawer .bookmark-drawer__list li a")
    expect(names).to_have_text([NAME_B, NAME_A])
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(page.locator(".bookmark-drawer__box[open]")).to_have_count(0)
    expect(summary).to_be_focused()
    assert_same_document(page)
    opened(page, "/categories/developer-tools/")
    saves = [page.locator(f"[data-save={slug}]") for slug in (A, B)]
    for save in saves:
        expect(save).to_have_text(re.compile("^Saved"))
    saves[0].click()
    expect(saves[0]).to_have_attribute("aria-pressed", "false")
    saves[0].dblclick()
    expect(count).to_have_text("2")
    assert saved() == [B, A]
    summary.click()
    page.locator("#drawer").get_by_role("link", name="Compare").click()
    page.wait_for_url(f"**{pages.COMPARISON}")
    remove.click()
    expect(count).to_have_text("1")
    expect(page.locator("#announce")).to_have_text(f"Removed {NAME_A}.")
    page.go_back()
    expect(saves[1]).to_have_attribute("aria-pressed", "true")
    expect(saves[0]).to_have_attribute("aria-pressed", "false")
    assert saved() == [B]
    assert site.errors == []


def test_axe_finds_nothing_on_the_pages_of_a_visitor_and_forgetting_leaves_nothing(page: Page):
    button(page, "ship").click()
    button(page, "skip", B).click()
    save_both(page)
    expect(pressed(page, B)).to_have_text("Skip")
    page.locator("#drawer summary").click()
    found = {"comparison": findings_in_both_colours(page)}
    found["drawer, for a finger"] = page.evaluate(SMALL, "#drawer")
    for path in (f"/tools/{A}/vote/", f"/tools/{A}/bookmark/", "/bookmarks/", "/me/"):
        opened(page, path).locator("#drawer summary").click()
        found[path] = findings_in_both_colours(page)
    opened(page, "/bookmarks/")
    expect(page.locator(".bookmark-list__row")).to_have_count(2)
    found["bookmarks, for a finger"] = page.evaluate(SMALL)
    found["removed"] = findings_in_both_colours(opened(page, "/bookmarks/?removed=pgvector"))
    opened(page, "/me/").get_by_role("link", name="Forget me").click()
    found["forget"] = findings_in_both_colours(page)
    page.get_by_role("button", name="Forget me").click()
    page.wait_for_url("**/me/forget/?done=yes")
    found["forgotten"] = findings_in_both_colours(page)
    assert {where: what for where, what in found.items() if what} == {}
    assert page.context.cookies() == []
    opened(page, pages.COMPARISON)
    expect(pressed(page)).to_have_count(0)
    expect(page.locator(f"#tally-{A}")).to_have_text("1 ship / 0 skip")
