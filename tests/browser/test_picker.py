"""The picker suggests while a name is typed, and everything works without JavaScript."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import pages
from tests.browser.site import Site, run_timers


def suggestion_requests(site: Site) -> list[str]:
    """The addresses of the requests for suggestions."""
    return [request.url for request in site.requests if "/compare/suggest/" in request.url]


def test_suggestions_follow_what_is_typed(site: Site, paused: Page):
    site.record_requests(paused)
    paused.goto("/")
    paused.get_by_label("Compare", exact=True).press_sequentially("qdra")
    run_timers(paused, 1_000)
    [request] = suggestion_requests(site)
    assert request.endswith("tools=qdra")
    options = paused.get_by_role("option")
    expect(options).to_have_count(1)
    expect(options).to_contain_text("Qdrant")


def test_typing_errors_are_corrected_while_typing(site: Site, paused: Page):
    paused.goto("/")
    field = paused.get_by_label("Compare", exact=True)
    field.press_sequentially("copilto")
    run_timers(paused, 1_000)
    expect(paused.get_by_role("option").first).to_contain_text("GitHub Copilot")
    field.press("ArrowDown")
    field.press("Enter")
    expect(field).to_have_value("GitHub Copilot")
    expect(field).to_have_attribute("aria-expanded", "false")


def test_a_chosen_suggestion_sends_no_more_requests_and_leads_to_its_tool(site: Site, paused: Page):
    site.record_requests(paused)
    paused.goto("/")
    first = paused.get_by_label("Compare", exact=True)
    first.press_sequentially("code llama")
    run_timers(paused, 1_000)
    option = paused.get_by_role("option").nth(1)
    expect(option).to_contain_text("Code Llama 4")
    value = option.get_attribute("data-value") or ""
    option.click()
    run_timers(paused, 1_000)
    expect(first).to_have_value(value)
    expect(paused.get_by_role("option")).to_have_count(0)
    assert len(suggestion_requests(site)) == 1
    paused.get_by_label("with", exact=True).fill("smollm3")
    paused.get_by_role("button", name="Compare", exact=True).click()
    paused.wait_for_url("**/compare/*-vs-smollm3/")
    expect(paused.locator(".card__name").first).to_have_text(value)


def test_one_letter_sends_no_request(site: Site, paused: Page):
    site.record_requests(paused)
    paused.goto("/")
    paused.get_by_label("Compare", exact=True).press_sequentially("q")
    run_timers(paused, 1_000)
    assert suggestion_requests(site) == []


def test_a_tool_page_suggests_what_to_compare_with(light: Page):
    light.goto("/tools/smollm3/")
    field = light.get_by_label("Another tool", exact=True)
    field.press_sequentially("cursor background agents", delay=5)
    expect(light.get_by_role("option").first).to_contain_text("Cursor Background Agents")
    field.press("Enter")
    light.wait_for_url("**/compare/cursor-background-agents-vs-smollm3/")


def test_without_javascript_the_home_form_leads_to_a_comparison(site: Site):
    page = site.window(java_script_enabled=False)
    page.goto("/")
    page.get_by_label("Compare", exact=True).fill("smollm3")
    page.get_by_label("with", exact=True).fill("Cursor Background Agent")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.wait_for_url(f"**{pages.COMPARISON}")
    expect(page.locator("#decision .decision")).to_be_visible()


def test_without_javascript_the_only_tool_of_a_name_is_taken(site: Site):
    page = site.window(java_script_enabled=False)
    page.goto("/compare/")
    page.get_by_label("Compare", exact=True).fill("copilot")
    page.get_by_label("with", exact=True).fill("smollm3")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.wait_for_url("**/compare/github-copilot-vs-smollm3/")


def test_without_javascript_the_filters_work(site: Site):
    page = site.window(java_script_enabled=False)
    page.goto("/tools/")
    page.get_by_role("checkbox", name="Vector Search").check()
    page.get_by_label("Sort").select_option("name")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url(re.compile("category=vector-search"))
    names = page.locator(".tool-row__name").all_text_contents()
    assert names == sorted(names, key=str.casefold)
    assert len(names) == 4
    expect(page.locator(".tool-list__shared")).to_contain_text("Vector Search")
    expect(page.get_by_role("checkbox", name="Vector Search")).to_be_checked()


@pytest.mark.parametrize(
    ("start", "to", "after"),
    [
        (0, 2, ["vllm", "qdrant", "v0", "ragas"]),
        (3, 1, ["v0", "ragas", "vllm", "qdrant"]),
        (1, 3, ["v0", "qdrant", "ragas", "vllm"]),
    ],
)
def test_a_tool_is_dragged_to_another_place_of_the_picker(
    light: Page, start: int, to: int, after: list[str]
):
    light.goto("/compare/?tools=v0&tools=vllm&tools=qdrant&tools=ragas&act=choose")
    fields = light.locator("input[name=tools]")
    light.locator("[data-drag]").nth(start).hover()
    light.mouse.down()
    box = fields.nth(to).bounding_box()
    assert box
    light.mouse.move(box["x"] + 40, box["y"] + 20, steps=8)
    light.mouse.up()
    light.mouse.move(0, 0)
    assert fields.evaluate_all("(all) => all.map((one) => one.value)") == after


def test_without_javascript_a_reviewers_takes_can_be_filtered(site: Site):
    page = site.window(java_script_enabled=False)
    page.goto("/reviewers/skeptic/")
    before = page.locator(".take-row").count()
    page.get_by_label("Category", exact=True).select_option("vector-search")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url(re.compile("category=vector-search"))
    assert 0 < page.locator(".take-row").count() < before
