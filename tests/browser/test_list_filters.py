"""The filters of a list with and without JavaScript, with the keyboard, and back."""

import re

from playwright.sync_api import Page, expect

from tests.browser.site import PHONE, Site, run_timers

PLACE = "document.querySelector('[name=entry]').getBoundingClientRect().top + scrollY"


def total(page: Page) -> str:
    return page.locator(".tool-list__total").inner_text()


def test_a_tick_changes_the_list_the_counts_and_the_url_and_keeps_the_focus(light: Page):
    light.goto("/tools/")
    before = total(light)
    expect(light.get_by_role("button", name="Show")).to_have_count(0)
    light.get_by_role("checkbox", name="Paid").focus()
    place = light.evaluate(PLACE)
    light.keyboard.press("Space")
    expect(light.locator(".chip").first).to_have_text("Remove filter Paid")
    light.wait_for_url("**/tools/?entry=paid")
    expect(light.locator("#announce")).to_contain_text(" match")
    expect(light.get_by_role("checkbox", name="Paid")).to_be_focused()
    shown = light.locator(".tool-row").count()
    expect(light.locator(".tool-list__total")).to_have_text(re.compile(f"^{shown} of "))
    light.keyboard.press("Shift+Tab")
    light.keyboard.press("Space")
    light.wait_for_url("**/tools/?entry=freemium&entry=paid")
    expect(light.locator(".chip")).to_have_count(3)
    assert light.evaluate(PLACE) == place
    light.go_back()  # HTMX then loads the page of that address
    light.wait_for_url("**/tools/?entry=paid")
    expect(light.locator(".tool-row")).to_have_count(shown)
    light.wait_for_load_state()
    expect(light.get_by_role("checkbox", name="Freemium")).not_to_be_checked()
    light.go_back()
    expect(light.locator(".tool-list__total")).to_have_text(before)
    expect(light.get_by_role("checkbox", name="Paid")).not_to_be_checked()


def test_fields_of_facts_follow_the_chosen_categories(site: Site, light: Page):
    light.goto("/tools/")
    light.get_by_text("Filter by facts").click()
    groups = light.locator(".facets__more fieldset")
    before = groups.count()
    light.get_by_role("checkbox", name="Evaluation").check()
    expect(light.locator(".chip").first).to_be_visible()
    expect(groups).not_to_have_count(before)
    expect(groups.last).to_be_visible()


def test_the_request_waits_during_typing_and_changes_neither_text_nor_cursor(
    site: Site, paused: Page
):
    site.record_requests(paused)
    paused.goto("/tools/")
    field = paused.get_by_role("searchbox", name="Search", exact=True).last
    for letter in "vector":
        field.press_sequentially(letter)
        run_timers(paused, 30)
    run_timers(paused, 1_000)
    expect(paused.locator("#announce")).to_contain_text(" match")
    paused.wait_for_url("**/tools/?q=vector")
    expect(field).to_be_focused()
    expect(field).to_have_value("vector")
    list_requests = [request for request in site.requests if "/tools/?" in request.url]
    assert len(list_requests) == 1


def test_ticks_and_saved_tools_stay_where_their_rows_stay(site: Site, light: Page):
    light.goto("/tools/")
    light.locator("[data-save=pgvector]").click()
    expect(light.locator("[data-save=pgvector]")).to_contain_text("Saved")
    light.locator("input[name=tools][value=pgvector]").check()
    light.get_by_role("checkbox", name="Vector Search").check()
    expect(light.locator(".chip").first).to_be_visible()
    expect(light.locator("[data-save=pgvector]")).to_contain_text("Saved")
    expect(light.locator("input[name=tools][value=pgvector]")).to_be_checked()


def test_on_a_phone_without_javascript_the_filters_are_folded_and_work(site: Site):
    phone = site.window(PHONE, java_script_enabled=False)
    phone.goto("/tools/")
    first = phone.locator(".tool-row").first.bounding_box()
    assert first
    assert first["y"] + 60 < PHONE["height"]
    phone.get_by_text("Filter and sort").click()
    phone.get_by_role("checkbox", name="Paid").check()
    phone.get_by_role("button", name="Show").click()
    phone.wait_for_url("**entry=paid*")
    phone.get_by_role("link", name="Remove filter Paid").click()
    expect(phone.locator(".chip")).to_have_count(0)


def test_on_a_wide_window_all_filters_are_in_sight_without_javascript(site: Site):
    page = site.window({"width": 1280, "height": 900}, java_script_enabled=False)
    page.goto("/tools/")
    expect(page.get_by_role("checkbox", name="Not reviewed yet")).to_be_visible()
    expect(page.get_by_text("Filter and sort")).to_be_hidden()
