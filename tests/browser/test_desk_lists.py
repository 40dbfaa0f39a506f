"""The lists of the desk, as an editor reads and sorts them."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, Site


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
