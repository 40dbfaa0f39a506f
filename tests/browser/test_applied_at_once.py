"""Filters and the sliders of an own panel: applied at once, by keyboard, back again, on a phone."""

import re

from playwright.sync_api import Page, expect

from tests.browser import pages
from tests.browser.page_faults import WATCH_SHIFTS, boxes
from tests.browser.site import PHONE, Site, follow, next_frame, run_timers

WATCH_LATE_SHIFTS = """() => {
  window.shifts = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((one) => {
    if (!one.hadRecentInput) window.shifts += one.value;
  })).observe({ type: "layout-shift" });
}"""
IS_IN_SIGHT = """() => {
  const box = document.activeElement.getBoundingClientRect();
  const bar = document.querySelector(".facets__bar").getBoundingClientRect();
  return box.top >= 0 && box.bottom <= bar.top;
}"""
PLACE = "document.querySelector('[name=entry]').getBoundingClientRect().top + scrollY"


def test_a_tick_changes_the_list_the_counts_and_the_url_and_keeps_the_focus(light: Page):
    light.goto("/tools/")
    before = light.locator(".tool-list__total").inner_text()
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


def test_fields_of_facts_follow_the_categories_and_ticks_stay_where_their_rows_stay(light: Page):
    light.goto("/tools/")
    save = light.locator("[data-save=pgvector]")
    save.click()
    expect(save).to_contain_text("Saved")
    light.locator("input[name=tools][value=pgvector]").check()
    light.get_by_text("Filter by facts").click()
    groups = light.locator(".facets__more fieldset")
    before = groups.count()
    light.get_by_role("checkbox", name="Vector Search").check()
    expect(light.locator(".chip").first).to_be_visible()
    expect(groups).not_to_have_count(before)
    expect(groups.last).to_be_visible()
    expect(save).to_contain_text("Saved")
    expect(light.locator("input[name=tools][value=pgvector]")).to_be_checked()


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


def test_on_a_phone_a_bar_in_view_says_how_many_match_and_leads_to_them_and_covers_no_filter(
    site: Site,
):
    phone = site.window(PHONE, reduced_motion="reduce")
    phone.goto("/tools/")
    phone.get_by_text("Filter and sort").focus()
    phone.keyboard.press("Enter")
    bar, show = phone.locator(".facets__bar"), phone.locator("[data-show]")
    expect(show).to_have_text(re.compile(r"^Show \d+ tools$"))
    expect(phone.get_by_role("button", name="Show tools", exact=True)).to_have_count(0)
    fields = phone.locator(".facets__all :is(select, input, summary):visible").count()
    assert fields > 20
    for _ in range(fields - 1):  # all but the summary above them
        phone.keyboard.press("Tab")
        assert phone.evaluate(IS_IN_SIGHT)
    phone.keyboard.press("Tab")
    expect(show).to_be_focused()
    phone.evaluate("scrollTo(0, 0)")
    [before] = boxes(bar)
    assert before["bottom"] == PHONE["height"]
    phone.get_by_role("checkbox", name="Paid").scroll_into_view_if_needed()
    phone.evaluate(WATCH_LATE_SHIFTS)
    phone.get_by_role("checkbox", name="Paid").check()
    matching = phone.locator("label.facet", has_text="Paid").locator("[data-count]").inner_text()
    expect(show).to_have_text(f"Show {matching} tools")
    assert boxes(bar) == [before]
    assert phone.evaluate("shifts") < 0.001  # a number may have another digit
    phone.get_by_role("checkbox", name="Skip").check()
    phone.get_by_role("checkbox", name="Not reviewed yet").check()
    expect(phone.locator(".tool-list__total")).not_to_be_in_viewport()
    show.click()  # an answer to the ticks may replace the address, with its #listed, at any moment
    expect(phone.locator(".tool-list__total")).to_be_in_viewport()


def test_a_slider_moved_by_keyboard_changes_the_answer_and_the_back_button_undoes_it(light: Page):
    light.set_viewport_size(PHONE)
    light.goto(pages.COMPARISON)
    ours = light.locator(".answer").inner_text()
    follow(light.get_by_role("link", name="Weigh them yourself"))
    slider = light.get_by_role("slider", name="Skeptic")
    slider.focus()
    light.evaluate(WATCH_SHIFTS)
    top = slider.bounding_box()
    slider.press("ArrowLeft")
    expect(light.locator(".own-panel__ours")).to_have_text(f"Our panel: {ours}")
    light.wait_for_url("**?weigh-skeptic=0")
    expect(slider).to_be_focused()
    expect(light.locator("#by-skeptic")).to_contain_text("not counted in your panel")
    assert slider.bounding_box() == top
    answer = light.locator(".answer").inner_text()
    expect(light.locator("#announce")).to_have_text(f"Your panel: Skeptic ×0. {answer}")
    tools = light.get_by_role("navigation", name="Main").get_by_role("link", name="Tools")
    expect(tools).to_have_attribute("href", re.compile(r"/tools/\?weigh-skeptic=0$"))
    next_frame(light)
    assert light.evaluate("shifts") == []
    slider = light.get_by_role("slider", name="PM")
    slider.press("ArrowRight")
    slider.press("ArrowRight")  # two quick presses end with the second
    light.wait_for_url("**&weigh-pm=3")
    expect(light.locator(".own-panel__summary")).to_contain_text("PM ×3")
    expect(slider).to_have_value("3")
    slider.press("ArrowLeft")
    light.wait_for_url("**&weigh-pm=2")
    light.go_back()
    expect(light.locator(".own-panel__summary")).to_contain_text("PM ×3")
    expect(light.get_by_role("slider", name="PM", include_hidden=True)).to_have_value("3")


def test_in_a_list_sliders_keep_filters_filters_keep_weights_and_links_outside_get_them(
    light: Page,
):
    light.goto(pages.OPEN["category"])
    follow(light.get_by_role("link", name="Your own panel"))
    light.get_by_role("slider", name="Skeptic").press("ArrowLeft")
    light.wait_for_url("**?weigh-skeptic=0")
    expect(light.locator("#announce")).to_have_text(re.compile("^Your panel: Skeptic ×0."))
    outside = "#masthead-compare, #masthead-tools, #breadcrumb a, #matrix a, .footer__links a"
    links = (
        light.locator(outside)
        .filter(visible=True)
        .evaluate_all("(links) => links.map((link) => link.getAttribute('href'))")
    )
    there = [link for link in links if re.match("/(compare|tools|categories)/", link)]
    assert len(there) > 6
    assert [link for link in there if not link.endswith("?weigh-skeptic=0")] == []
    expect(light.get_by_role("slider", name="Skeptic")).to_be_focused()
    light.get_by_role("checkbox", name="Freemium").check()
    light.wait_for_url("**entry=freemium&*weigh-skeptic=0")
    light.get_by_role("slider", name="PM").press("ArrowRight")
    light.wait_for_url("**entry=freemium&*weigh-skeptic=0&weigh-pm=2")
    expect(light.get_by_role("checkbox", name="Freemium")).to_be_checked()
    expect(light.locator(".own-panel__summary")).to_contain_text("Your panel: Skeptic ×0, PM ×2.")
    first = light.locator(".tool-row__name a").first
    expect(first).to_have_attribute("href", re.compile("weigh-pm=2"))
