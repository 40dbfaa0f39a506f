"""Forms of the desk: what a script helps with. test_desk.py writes and publishes."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests import factories as make
from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, Site, follow, next_frame, submit, unfold
from tests.browser.visitor import A, from_database
from tools.models import Attribute, Fact, Tool

NEW_CATEGORY = "/admin/tools/category/add/"
IN_BERLIN = {"timezone_id": "Europe/Berlin", "locale": "de-DE"}

TEXT = """A paragraph with [a link](https://example.org/), **bold** and `code`.

- one
- two

1. first

## A heading

> A quotation

| a | b |
|---|---|
| 1 | 2 |
"""
PARTS = ("p", "a", "strong", "code", "ul", "ol", "li", ":is(h2, h3, h4)", "blockquote", "td", "th")
STYLES = """element => {
  const style = getComputedStyle(element);
  return ["fontFamily", "fontSize", "fontWeight", "lineHeight", "color", "listStyleType",
    "textDecorationLine", "textDecorationColor", "marginBlock", "paddingInlineStart",
    "borderInlineStartWidth", "borderBottomWidth", "backgroundColor", "textTransform"]
    .map(name => `${name}: ${style[name]}`);
}"""


@pytest.fixture
def page(site: Site) -> Page:
    """A publisher at the desk; Django's colours, which change slowly, change at once."""
    page = site.window(DESKTOP, reduced_motion="reduce")
    log_in(page, "ana")
    return page


def test_after_a_refused_save_the_first_field_with_a_fault_has_the_focus(page: Page):
    page.goto("/admin/tools/tool/1/change/")
    unfold(page)
    website, score = page.get_by_label("Website:"), page.locator("input[id$=-score]").first
    website.fill("no address")
    score.fill("140")
    submit(website)
    expect(page.locator(".errorlist").first).to_be_visible()
    expect(website).to_be_focused()
    website.fill("")
    submit(website)
    expect(score).to_be_focused()
    expect(score).to_be_in_viewport(ratio=1)
    page.on("dialog", lambda dialog: dialog.accept())  # the score is unsaved
    page.goto("/admin/tools/tool/add/")
    page.get_by_label("Name:").press_sequentially("Nothing else")
    submit(page.get_by_label("Name:"))
    expect(page.locator(".errorlist").first).to_be_visible()
    expect(page.locator(".field-category .select2-selection")).to_be_focused()


def test_a_slow_save_pressed_twice_is_sent_once(page: Page):
    """The first answer would be lost, and the second say that a new row's address is in use."""
    sent: list[str] = []
    page.goto(NEW_CATEGORY)
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


def test_a_name_in_any_script_gets_a_slug_late_answers_are_ignored_and_a_typed_one_stays(
    page: Page,
):
    held: list[Route] = []
    older = re.compile("/slug/.*name=Quiet$")
    page.route(older, lambda route: held.append(route))
    name, slug = page.get_by_label("Name:"), page.get_by_label("Address:")
    page.goto(NEW_CATEGORY)
    page.keyboard.insert_text("שלום")
    expect(slug).to_have_value("slvm")
    with page.expect_request(older):
        name.fill("Quiet")
    name.press_sequentially(" tools")
    expect(slug).to_have_value("quiet-tools")
    with page.expect_response(older):
        held[0].continue_()
    next_frame(page)
    expect(slug).to_have_value("quiet-tools")
    slug.fill("mine")
    name.press("End")
    with page.expect_response(lambda one: one.url.endswith("name=Quiet%20tools%20now")):
        name.press_sequentially(" now")
    next_frame(page)
    expect(slug).to_have_value("mine")


def choose_day(page: Page, button: str, day: str) -> None:
    page.get_by_role("button", name=button, exact=True).click()
    page.get_by_role("button", name=button, exact=True).locator("+ input").fill(day, force=True)


def test_dates_are_typed_in_the_editor_s_own_zone_or_chosen_from_a_calendar(site: Site):
    tool, pk = from_database(
        lambda: (
            make.tool(name="Dated", published_at=None),
            make.attribute(name="First seen", kind="date").pk,
        )
    )
    page = site.window(DESKTOP, **IN_BERLIN)
    log_in(page, "ana")
    page.goto("/admin/")  # the desk learns the browser's zone
    page.goto(f"/admin/tools/tool/{tool.pk}/change/")
    date, zone = page.get_by_label("Publication date"), page.locator(".moment__zone")
    expect(zone).to_have_text("Europe/Berlin")
    date.press_sequentially("2040-03-25 02:30")
    page.get_by_role("button", name="Schedule").click()
    expect(page.locator(".field-published_at")).to_contain_text("twice or never")
    expect(date).to_be_focused()
    date.press("ControlOrMeta+a")
    date.press_sequentially("2040-07-03 14:00")
    expect(zone).to_have_text("Europe/Berlin = 3 Jul 2040 12:00 UTC")
    choose_day(page, "Choose the date in a calendar", "2040-07-03T15:00")
    expect(date).to_have_value("2040-07-03 15:00")
    expect(zone).to_have_text("Europe/Berlin = 3 Jul 2040 13:00 UTC")
    page.locator("summary", has_text="Facts").click()
    choose_day(page, "First seen, from a calendar", "2024-02-29")
    answer = page.get_by_role("combobox", name="First seen", exact=True)
    expect(answer).to_have_value("2024-02-29")
    answer.fill("not stated")  # the field takes what no calendar has
    choose_day(page, "First seen, from a calendar", "2024-03-01")
    follow(page.get_by_role("button", name="Save", exact=True))
    fact = from_database(lambda: Fact.objects.get(attribute_id=pk))
    assert str(fact.date) == "2024-03-01"
    from_database(lambda: (tool.delete(), Attribute.objects.filter(pk=pk).delete()))
    assert site.errors == []


def test_type_lists_and_links_of_a_preview_look_as_on_the_page(site: Site, page: Page):
    tool = from_database(lambda: Tool.objects.get(slug=A))
    page.goto(f"/admin/tools/tool/{tool.pk}/change/")
    unfold(page)
    page.get_by_label("Description:").fill(TEXT)
    preview = page.locator(".field-description .markdown-field__preview")
    expect(preview.locator("blockquote")).to_be_visible()
    from_database(lambda: Tool.objects.filter(slug=A).update(description=TEXT))
    reader = site.window(reduced_motion="reduce")
    reader.goto(f"/tools/{A}/")
    text = reader.locator(".tool-page__text > .opening > .prose")
    for window in (page, reader):
        window.emulate_media(color_scheme="dark")
    for part in PARTS:
        shown = text.locator(part).first.evaluate(STYLES)
        assert preview.locator(f".site-styles {part}").first.evaluate(STYLES) == shown, part
    from_database(lambda: Tool.objects.filter(slug=A).update(description=tool.description))
