"""The link to edit a public page, for a browser that is logged in at the desk."""

from playwright.sync_api import expect

from tests.browser.conftest import log_in
from tests.browser.site import PHONE, Site, follow


def test_a_public_page_has_the_link_from_login_to_logout(site: Site):
    page = site.window(PHONE)
    edit = page.get_by_role("link", name="Edit", exact=True)
    page.goto("/reviewers/builder/")
    expect(edit).to_have_count(0)
    page.goto("/admin/")
    page.get_by_label("Username").fill("ana")
    page.get_by_label("Password").fill("a-long-good-one")
    follow(page.get_by_role("button", name="Log in"))
    page.goto("/reviewers/builder/")
    follow(edit)
    expect(page.get_by_label("Motto")).to_be_visible()
    follow(page.get_by_role("button", name="Log out"))
    page.goto("/reviewers/builder/")
    expect(edit).to_have_count(0)
    assert site.errors == []


def test_ctrl_k_goes_to_the_search_field(site: Site):
    page = site.window(PHONE)
    log_in(page, "ana")
    page.goto("/admin/coverage/")
    page.keyboard.press("Control+k")
    page.keyboard.type("builder")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Reviewers")).to_be_visible()
    expect(page.get_by_role("searchbox", name="Search the desk")).to_have_value("builder")
