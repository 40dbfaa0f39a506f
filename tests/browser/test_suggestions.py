"""Suggestions while a name is typed, in the picker and the search, by mouse and keyboard."""

import re

from playwright.sync_api import Page, expect

from tests.browser.site import Site, run_timers


def suggestion_requests(site: Site) -> list[str]:
    return [request.url for request in site.requests if "/suggest/?" in request.url]


def test_suggestions_follow_what_is_typed_until_one_is_chosen(site: Site, paused: Page):
    site.record_requests(paused)
    paused.goto("/")
    first, options = paused.get_by_label("Compare", exact=True), paused.get_by_role("option")
    first.press_sequentially("q")  # one letter sends no request
    run_timers(paused, 1_000)
    assert suggestion_requests(site) == []
    first.press_sequentially("dra")
    run_timers(paused, 1_000)
    [request] = suggestion_requests(site)
    assert request.endswith("tools=qdra")
    expect(options).to_have_text(re.compile("Qdrant"))
    first.fill("")
    first.press_sequentially("copilto")  # a typing error is corrected
    run_timers(paused, 1_000)
    expect(options.first).to_contain_text("GitHub Copilot")
    first.press("ArrowDown")
    first.press("Enter")
    expect(first).to_have_value("GitHub Copilot")
    expect(first).to_have_attribute("aria-expanded", "false")
    first.fill("")
    first.press_sequentially("code llama")
    run_timers(paused, 1_000)
    expect(options.nth(1)).to_contain_text("Code Llama 4")
    value = options.nth(1).get_attribute("data-value") or ""
    site.requests.clear()
    options.nth(1).click()
    run_timers(paused, 1_000)
    expect(first).to_have_value(value)
    expect(options).to_have_count(0)
    assert suggestion_requests(site) == []
    second = paused.get_by_label("with", exact=True)
    second.press_sequentially("smollm3")
    run_timers(paused, 1_000)
    expect(options.first).to_be_visible()
    second.press("Enter")  # none is chosen
    paused.wait_for_url("**/compare/*-vs-smollm3/")
    expect(paused.locator(".card__name").first).to_have_text(value)
    assert site.errors == []


def test_a_tool_is_dragged_to_another_place_of_the_picker(light: Page):
    light.goto("/compare/?tools=v0&tools=vllm&tools=qdrant&tools=ragas&act=choose")
    fields = light.locator("input[name=tools]")
    for start, to, after in (
        (0, 2, ["vllm", "qdrant", "v0", "ragas"]),
        (3, 1, ["vllm", "ragas", "qdrant", "v0"]),
    ):
        light.locator("[data-drag]").nth(start).hover()
        light.mouse.down()
        box = fields.nth(to).bounding_box()
        assert box
        light.mouse.move(box["x"] + 40, box["y"] + 20, steps=8)
        light.mouse.up()
        light.mouse.move(0, 0)
        assert fields.evaluate_all("(all) => all.map((one) => one.value)") == after


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
    paused.route("**/search/suggest/?q=olla", lambda route: None)
    paused.goto("/methodology/")
    type_on(paused, "olla")
    with paused.expect_event("requestfailed"):
        type_on(paused, "ma")
    expect(paused.get_by_role("option").first).to_contain_text("Ollama")
    assert [url.partition("q=")[2] for url in suggestion_requests(site)] == ["olla", "ollama"]
