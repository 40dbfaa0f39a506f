"""All that a reader does works without JavaScript, in one window of a phone."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import pages
from tests.browser.page_faults import boxes
from tests.browser.site import DESKTOP, PHONE, Site, follow, submit
from tests.browser.visitor import NAME_A, A, button, pressed, saved, votes

pytestmark = pytest.mark.usefixtures("no_votes")


@pytest.fixture
def page(site: Site) -> Page:
    return site.window(PHONE, java_script_enabled=False)


def test_tools_are_searched_picked_filtered_ticked_and_compared(page: Page):
    page.set_viewport_size(DESKTOP)
    page.goto("/methodology/")
    page.get_by_role("searchbox").first.fill("langgraf")
    submit(page.get_by_role("searchbox").first)
    expect(page.locator(".tool-row__name").first).to_have_text("LangGraph")
    page.set_viewport_size(PHONE)
    page.goto("/")
    page.get_by_label("Compare", exact=True).fill("smollm3")
    page.get_by_label("with", exact=True).fill(NAME_A)
    follow(page.get_by_role("button", name="Compare", exact=True))
    page.wait_for_url(f"**{pages.COMPARISON}")
    expect(page.locator("#decision .decision")).to_be_visible()
    page.goto("/tools/")
    assert boxes(page.locator(".tool-row").first)[0]["top"] + 60 < PHONE["height"]
    page.get_by_text("Filter and sort").click()
    page.get_by_role("checkbox", name="Vector Search").check()
    page.get_by_label("Sort").select_option("name")
    expect(page.locator("[data-show]")).to_be_hidden()
    follow(page.get_by_role("button", name="Show tools"))
    names = page.locator(".tool-row__name").all_text_contents()
    assert names == sorted(names, key=str.casefold)
    assert len(names) == 4
    hint = page.locator(".compare-bar [data-ticked]:visible")
    expect(hint).to_have_text("Tick two to ten tools to see them side by side.")
    for box in page.locator(".tool-row__tick input").all()[:3]:
        box.check()
    follow(page.locator(".compare-bar button"))
    part = page.locator("#scorecard .many-tools")
    assert part.evaluate("(one) => one.clientHeight < innerHeight")
    part.evaluate("(one) => one.scrollTo(0, 200)")
    [names_box] = boxes(part.locator(".scorecard__names"))
    assert abs(names_box["top"] - boxes(part)[0]["top"]) < 3
    follow(page.get_by_role("link", name="Add a tool", exact=True))
    expect(page.locator("#pick-4")).to_be_visible()
    follow(page.get_by_role("button", name="Remove tool 1"))
    expect(page.locator("#pick-4")).to_have_count(0)
    page.set_viewport_size(DESKTOP)
    page.goto("/tools/?category=vector-search")
    expect(page.get_by_text("Filter and sort")).to_be_hidden()
    expect(page.get_by_role("checkbox", name="Not reviewed yet")).to_be_visible()
    follow(page.get_by_role("link", name="Remove filter Vector Search"))
    expect(page.locator(".chip")).to_have_count(0)


def test_a_panel_is_weighed_and_a_reviewer_s_takes_are_filtered(page: Page):
    page.goto(pages.COMPARISON)
    follow(page.get_by_role("link", name="Weigh them yourself"))
    page.get_by_role("slider", name="Skeptic").fill("3")
    follow(page.get_by_role("button", name="Show my panel"))
    page.wait_for_url("**?weigh-skeptic=3")
    follow(page.locator(".card__name a").first)
    page.wait_for_url("**/tools/*/?weigh-skeptic=3")
    expect(page.locator(".own-panel__summary")).to_contain_text("Your panel: Skeptic ×3.")
    follow(page.get_by_role("link", name="Reset"))
    expect(page.locator(".own-panel__summary")).to_have_count(0)
    page.goto("/reviewers/skeptic/")
    before = page.locator(".take-row").count()
    page.get_by_label("Category", exact=True).select_option("vector-search")
    follow(page.get_by_role("button", name="Show"))
    page.wait_for_url(re.compile("category=vector-search"))
    assert 0 < page.locator(".take-row").count() < before


def test_a_tool_is_voted_on_saved_removed_and_brought_back(page: Page):
    for choice, expected in (
        ("ship", "You voted ship."),
        ("skip", "You voted skip."),
        ("none", "You have no vote on this tool now."),
    ):
        if choice != "none":  # which is offered where the vote is shown
            page.goto(pages.COMPARISON)
        button(page, choice).click()
        page.wait_for_url(f"**/tools/{A}/vote/?done={choice}&next=**")
        expect(page.get_by_text(expected)).to_be_in_viewport()
        expect(pressed(page)).to_have_text([] if choice == "none" else [choice.title()])
        assert votes() == ([] if choice == "none" else [(A, choice)])
    page.get_by_role("link", name="Back to where you were").click()
    page.wait_for_url(f"**{pages.COMPARISON}#vote-{A}")
    page.get_by_role("button", name=f"Save {NAME_A}").click()
    expect(page.get_by_text(f"Saved {NAME_A}.")).to_be_in_viewport()
    page.get_by_role("link", name="Back to where you were").click()
    page.wait_for_url(f"**{pages.COMPARISON}#bookmark-{A}")
    assert saved() == [A]
    page.get_by_role("link", name="Bookmarks", exact=True).click()
    page.get_by_role("button", name=f"Remove {NAME_A}").click()
    expect(page.locator("main")).to_contain_text(f"Removed {NAME_A}.")
    assert saved() == []
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".bookmark-list__name")).to_have_text([NAME_A])
    assert saved() == [A]
