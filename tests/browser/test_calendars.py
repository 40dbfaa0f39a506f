"""The calendar beside a date field, for who would rather choose than type."""

from playwright.sync_api import Page, expect

from tests import factories as make
from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, Site
from tests.browser.visitor import from_database
from tools.models import Attribute, Fact, Tool


def choose(page: Page, button: str, day: str) -> None:
    """Open the calendar and choose a day, as the browser's own calendar does."""
    page.get_by_role("button", name=button, exact=True).click()
    page.get_by_role("button", name=button, exact=True).locator("+ input").fill(day, force=True)


def test_a_day_is_chosen_for_a_fact_and_for_a_publication(site: Site):
    def rows() -> tuple[int, int]:
        tool = make.tool(name="Dated", published_at=None)
        attribute = make.attribute(name="First seen", kind="date", asked_in=[tool.category])
        return tool.pk, attribute.pk

    pk, attribute = from_database(rows)
    page = site.window(DESKTOP, timezone_id="UTC")
    log_in(page, "ana")
    page.goto(f"/admin/tools/tool/{pk}/change/")
    choose(page, "Choose the date in a calendar", "2040-07-03T14:00")
    expect(page.get_by_label("Publication date")).to_have_value("2040-07-03 14:00")
    page.locator("summary", has_text="Facts").click()
    choose(page, "First seen, from a calendar", "2024-02-29")
    answer = page.get_by_role("combobox", name="First seen", exact=True)
    expect(answer).to_have_value("2024-02-29")
    answer.fill("not stated")  # the field takes what no calendar has
    choose(page, "First seen, from a calendar", "2024-03-01")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".messagelist")).to_contain_text("Dated")
    assert str(from_database(lambda: Fact.objects.get(attribute_id=attribute).date)) == "2024-03-01"
    from_database(lambda: Tool.objects.filter(pk=pk).delete())
    from_database(lambda: Attribute.objects.filter(pk=attribute).delete())
    assert site.errors == []
