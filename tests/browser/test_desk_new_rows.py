"""A new row at the desk is a draft until an editor publishes it."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, Site

KINDS = {
    "category": ("/admin/tools/category/add/", "/categories/quiet-tools/"),
    "reviewer": ("/admin/reviews/reviewer/add/", "/reviewers/quiet-tools/"),
}


@pytest.fixture
def page(site: Site) -> Page:
    page = site.window(DESKTOP)
    log_in(page, "ana")
    return page


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_category_or_reviewer_is_a_draft(page: Page, kind: str):
    form, address = KINDS[kind]
    page.goto(form)
    expect(page.locator("#id_published_at")).to_have_value("")
    page.get_by_label("Name:").press_sequentially("Quiet tools")
    expect(page.get_by_label("Address:")).to_have_value("quiet-tools")
    page.get_by_role("button", name="Save", exact=True).click()
    row = page.get_by_role("row", name="Quiet tools")
    expect(row).to_contain_text("Draft")
    assert page.request.get(address).status == 404
