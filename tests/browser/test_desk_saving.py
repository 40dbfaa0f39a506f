"""What stays visible at the desk after a save or a list action was refused."""

import pytest
from playwright.sync_api import Page, expect

from reviews.models import Vote
from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, Site, follow, submit, unfold
from tests.browser.visitor import A, B, delete_visitor_data, from_database, make_votes

TOOL = f"/admin/tools/tool/?q={A}"


@pytest.fixture
def page(site: Site) -> Page:
    page = site.window(DESKTOP)
    log_in(page, "ana")
    return page


def test_after_a_refused_save_the_first_field_with_a_fault_has_the_focus(page: Page):
    page.goto("/admin/tools/tool/1/change/")
    unfold(page)
    page.get_by_label("Website:").fill("no address")
    page.locator("input[id$=-score]").first.fill("140")
    submit(page.get_by_label("Website:"))
    expect(page.locator(".errorlist").first).to_be_visible()
    expect(page.get_by_label("Website:")).to_be_focused()
    page.get_by_label("Website:").fill("")
    submit(page.get_by_label("Website:"))
    expect(page.locator("input[id$=-score]").first).to_be_focused()
    expect(page.locator("input[id$=-score]").first).to_be_in_viewport(ratio=1)


def test_after_a_refused_save_of_a_new_row_the_first_fault_has_the_focus_too(page: Page):
    page.goto("/admin/tools/tool/add/")
    page.get_by_label("Name:").press_sequentially("Nothing else")
    submit(page.get_by_label("Name:"))
    expect(page.locator(".errorlist").first).to_be_visible()
    expect(page.locator(".field-category .select2-selection")).to_be_focused()


def test_votes_are_voided_with_a_reason_only(page: Page):
    from_database(make_votes)
    page.goto("/admin/reviews/vote/")
    tick = page.get_by_role("row", name="SmolLM3").get_by_role("checkbox")
    tick.check()
    page.get_by_label("Action:").select_option("void")
    follow(page.get_by_role("button", name="Go"))
    expect(page.get_by_text("Nothing was changed: enter a reason")).to_be_visible()
    tick.check()
    page.get_by_label("Action:").select_option("void")
    page.get_by_label("Reason").fill("A test")
    submit(page.get_by_label("Reason"))
    expect(page.get_by_text("1 vote is now void.")).to_be_visible()
    expect(tick).not_to_be_checked()
    found = from_database(lambda: list(Vote.objects.values_list("tool__slug", "voiding__reason")))
    assert sorted(found) == [(A, None), (B, "A test")]
    from_database(delete_visitor_data)


def test_only_fields_that_an_editor_changed_are_marked_as_theirs_in_a_conflict(
    site: Site, page: Page
):
    ben = site.window(DESKTOP)
    log_in(ben, "ben")
    for each in (page, ben):
        each.goto(TOOL)
        follow(each.locator("#result_list tbody th a").first)
        unfold(each)
    ben.get_by_label("Maker:", exact=True).fill("Ben & Co")
    follow(ben.get_by_role("button", name="Save and publish the change"))
    expect(ben.locator(".messagelist .success")).to_be_visible()
    page.get_by_label("Pricing:").fill("$7")
    submit(page.get_by_label("Pricing:"))
    conflict = page.locator(".conflict")
    maker = conflict.get_by_role("row", name="Maker")
    expect(maker).to_contain_text("Ben & Co")
    expect(maker).to_contain_text("Not changed by you: the form now has theirs.")
    expect(conflict.get_by_role("row", name="Pricing")).to_contain_text("$7")
    expect(page.get_by_label("Maker:", exact=True)).to_have_value("Ben & Co")


def test_a_slow_save_pressed_twice_is_sent_once(page: Page):
    """The first answer would be lost, and the second say that a new row's address is in use."""
    sent: list[str] = []
    page.goto("/admin/tools/category/add/")
    page.route("**/category/add/", lambda route: sent.append(route.request.method))
    page.get_by_label("Name:").fill("Pressed twice")
    save = page.locator(".save-bar [type=submit]:visible").last
    save.evaluate(
        """async (button) => {
          for (const _ of [1, 2]) {
            button.click();
            await new Promise((done) => setTimeout(done, 300));
          }
        }"""
    )
    assert sent == ["POST"]
    page.unroute_all(behavior="ignoreErrors")
