"""The lists of the desk, as an editor reads and sorts them."""

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, Site
from tests.browser.visitor import A, from_database, wipe


@pytest.fixture
def page(site: Site) -> Page:
    page = site.window(DESKTOP)
    log_in(page, "ana")
    return page


def test_names_sort_with_capitals_and_small_letters_together(page: Page):
    page.goto("/admin/tools/tool/")
    column = page.locator("#result_list tbody .field-sorted_name")

    def names() -> list[str]:
        return [text.casefold() for text in column.all_inner_texts()]

    assert names() == sorted(names())
    assert any(text[0].islower() for text in column.all_inner_texts())
    page.get_by_role("link", name="Name", exact=True).click()
    expect(page.locator("th.column-sorted_name.sorted")).to_be_visible()
    assert names() == sorted(names())


def test_what_stands_on_a_withdrawn_tool_is_not_called_public(page: Page):
    page.goto("/admin/tools/tool/?q=chroma")
    page.get_by_role("link", name="Chroma").click()
    page.get_by_role("link", name="Withdraw…", exact=True).click()
    page.get_by_role("button", name="Withdraw", exact=True).click()
    page.goto("/admin/reviews/take/?q=chroma")
    states = page.locator("#result_list tbody .field-state")
    expect(states.first).to_have_text("Hidden: Chroma is not public")
    assert set(states.all_inner_texts()) == {"Hidden: Chroma is not public"}
    page.goto("/admin/comparisons/comparison/?q=chroma")
    for text in page.locator("#result_list tbody .field-state").all_inner_texts():
        assert text == "Hidden: Chroma is not public"
    page.goto("/admin/tools/tool/?q=chroma")
    page.get_by_role("link", name="Chroma").click()
    page.get_by_role("button", name="Publish now").click()
    page.goto("/admin/reviews/take/?q=chroma")
    expect(states.first).to_contain_text("Public since")


@pytest.mark.parametrize("width", [360, 1280])
def test_the_votes_chart_is_shown_whole(site: Site, page: Page, width: int):
    reader = site.window(DESKTOP)
    reader.goto(f"/tools/{A}/vote/")
    reader.get_by_role("button", name="Ship").click()
    page.set_viewport_size(ViewportSize(width=width, height=800))
    page.goto("/admin/tools/tool/?q=cursor+background+agent")
    page.get_by_role("link", name="Cursor Background Agent", exact=True).click()
    page.get_by_text("Votes", exact=True).last.click()
    chart = page.locator(".votes-chart")
    expect(chart).to_be_visible()
    today = chart.locator("rect.votes-chart__counted").last.bounding_box()
    frame = page.locator(".field-votes_by_day").bounding_box()
    assert today
    assert frame
    assert today["height"] > 10
    assert frame["x"] <= today["x"] <= frame["x"] + frame["width"] - today["width"]
    from_database(wipe)
