"""The suggestions under a search field, with the keyboard alone."""

from playwright.sync_api import Page, expect

from tests.browser.site import Site, run_timers

SUGGEST = "/search/suggest/"


def type_on(page: Page, text: str) -> None:
    """Type one letter each 20 ms, then wait until the page asks for suggestions."""
    for letter in text:
        page.get_by_role("combobox").press_sequentially(letter)
        run_timers(page, 20)
    run_timers(page, 400)


def test_arrow_keys_choose_a_suggestion_enter_opens_it_and_escape_closes_them(paused: Page):
    field, options = paused.get_by_role("combobox"), paused.get_by_role("option")
    announced = paused.locator("#announce")
    paused.goto("/methodology/")
    type_on(paused, "qqqqqqq")
    expect(announced).to_have_text("No suggestions")
    expect(field).to_have_attribute("aria-expanded", "false")
    field.fill("")
    type_on(paused, "agent")
    expect(options.first).to_be_visible()
    field.press("Escape")
    expect(options).to_have_count(0)
    expect(field).to_have_attribute("aria-expanded", "false")
    expect(field).to_have_value("agent")
    field.press("Enter")
    paused.wait_for_url("**/search/?q=agent")
    paused.goto("/methodology/")
    type_on(paused, "smolm")
    expect(options.first).to_contain_text("SmolLM3")
    expect(field).to_have_attribute("aria-expanded", "true")
    count = options.count()
    expect(announced).to_have_text(f"{count} suggestion{'s' * (count > 1)}")
    field.press("ArrowUp")
    expect(options.last).to_have_attribute("aria-selected", "true")
    field.press("ArrowDown")
    field.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    first = options.first.get_attribute("id") or ""
    expect(field).to_have_attribute("aria-activedescendant", first)
    field.press("Enter")
    paused.wait_for_url("**/tools/smollm3/")


def test_a_new_text_ends_the_request_under_way(site: Site, paused: Page):
    """Quickly typed letters send one request; a later request cancels one without an answer."""
    site.record_requests(paused)
    paused.route(f"**{SUGGEST}?q=olla", lambda route: None)
    paused.goto("/methodology/")
    type_on(paused, "olla")
    with paused.expect_event("requestfailed"):
        type_on(paused, "ma")
    expect(paused.get_by_role("option").first).to_contain_text("Ollama")
    suggestion_requests = [request for request in site.requests if SUGGEST in request.url]
    assert [request.url.partition("q=")[2] for request in suggestion_requests] == ["olla", "ollama"]
    assert "ABORTED" in (suggestion_requests[0].failure or "")
