"""An editor in Berlin: times at the desk are in their own zone, with UTC beside a field."""

from datetime import timedelta

from playwright.sync_api import expect

from shipskip.newsletter.models import Issue
from tests import factories as make
from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, Site
from tests.browser.visitor import from_database
from tools.models import Category


def test_a_date_is_typed_in_the_editor_s_own_zone_with_utc_beside_it(site: Site):
    pk = from_database(lambda: make.category(name="Clocks", published_at=None).pk)
    issue = from_database(lambda: make.issue(until=make.PUBLISHED + timedelta(days=90)).pk)
    page = site.window(DESKTOP, timezone_id="Europe/Berlin", locale="de-DE")
    log_in(page, "ana")
    page.goto("/admin/")  # the desk learns the browser's zone
    page.goto(f"/admin/tools/category/{pk}/change/")
    date, zone = page.get_by_label("Publication date"), page.locator(".moment__zone")
    expect(zone).to_have_text("Europe/Berlin")
    date.press_sequentially("2040-03-25 02:30")
    page.get_by_role("button", name="Schedule").click()
    expect(page.locator(".field-published_at")).to_contain_text("this time comes twice or never")
    expect(date).to_be_focused()
    date.press("ControlOrMeta+a")
    date.press_sequentially("2040-07-03 14:00")
    expect(zone).to_have_text("Europe/Berlin = 3 Jul 2040 12:00 UTC")
    page.get_by_role("button", name="Schedule").click()
    expect(page.locator(".messagelist")).to_contain_text("scheduled for 3 Jul 2040 14:00 CEST")
    expect(page.locator("#result_list")).to_contain_text("Scheduled from 3 Jul 2040 14:00 CEST")
    page.goto(f"/admin/newsletter/issue/{issue}/change/")
    expect(zone).to_have_text("Europe/Berlin")
    from_database(lambda: Category.objects.filter(pk=pk).delete())
    from_database(lambda: Issue.objects.filter(pk=issue).delete())
    assert site.errors == []
