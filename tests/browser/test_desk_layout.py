"""Screens of the desk fit a laptop and a phone with any names; delete buttons are set apart."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from shipskip.newsletter.models import Subscriber
from tests import factories as make
from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, PHONE, Site
from tests.browser.test_accessibility import findings
from tests.browser.test_desk import BELOW_THE_RULES
from tests.browser.visitor import from_database
from tools.models import Tool


@pytest.fixture(scope="module")
def page(shared_site: Site) -> Page:
    """One window at the desk for the whole file."""
    page = shared_site.window(DESKTOP)
    log_in(page, "ana")
    return page


def overflow_width(page: Page) -> int:
    """How many pixels the page scrolls sideways."""
    root = "document.documentElement"
    width: int = page.evaluate(f"{root}.scrollWidth - {root}.clientWidth")
    return width


def test_a_name_without_a_space_never_widens_a_screen(page: Page):
    tool = from_database(lambda: Tool.objects.get(slug="long-name"))
    for screen in ("history", "delete", "withdraw", "change"):
        page.goto(f"/admin/tools/tool/{tool.pk}/{screen}/")
        for size in (DESKTOP, PHONE):
            page.set_viewport_size(size)
            assert overflow_width(page) == 0, (screen, size)
    expect(page.locator(".related-widget-wrapper-link.delete-related")).to_have_count(0)


def test_a_subscriber_s_screen_can_be_read_and_its_list_names_its_dates(page: Page):
    joined = timezone.now() - timedelta(days=3)
    subscriber = from_database(lambda: make.subscriber(joined_at=joined))
    found: list[str] = []
    page.goto(f"/admin/newsletter/subscriber/{subscriber.pk}/change/")
    for size, scheme in ((DESKTOP, "light"), (PHONE, "dark")):
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert overflow_width(page) == 0
        box = page.locator(".subscriber").bounding_box()
        assert box
        assert box["width"] > size["width"] / 2
        found += findings(page)
    assert [row for row in found if not any(part in row for part in BELOW_THE_RULES)] == []
    page.goto("/admin/newsletter/subscriber/")
    words = "getComputedStyle(document.querySelector('td.field-confirmed_at'), '::before').content"
    assert "confirmed" in page.evaluate(words)
    from_database(Subscriber.objects.all().delete)


def test_a_list_without_rows_says_so_and_links_to_all_rows(page: Page):
    page.goto("/admin/tools/tool/?q=zzzz")
    expect(page.locator(".list__none")).to_contain_text("No tool matches.")
    page.get_by_role("link", name="Show all tools").click()
    expect(page.locator("#result_list tbody tr").first).to_be_visible()


def test_a_screen_has_one_main_button(page: Page):
    for path in ("", "tools/tool/1/change/", "newsletter/issue/", "comparisons/comparison/"):
        page.goto(f"/admin/{path}")
        expect(page.locator(":is(.button, input).default:visible")).to_have_count(1)


def test_no_screen_offers_a_switch_of_colours(page: Page):
    for path in ("", "password_change/", "password_change/done/"):
        page.goto(f"/admin/{path}")
        expect(page.locator(".theme-toggle:visible")).to_have_count(0)


def test_every_screen_of_the_menu_works_on_a_phone_without_scripts_and_by_keyboard(site: Site):
    page = site.new_window(PHONE, java_script_enabled=False)
    log_in(page, "ana")
    page.goto("/admin/")
    menu = page.get_by_role("navigation", name="Desk").get_by_role("link")
    urls: list[str] = []
    for section in [str(link.get_attribute("href")) for link in menu.all()]:
        page.goto(section)
        urls += [str(link.get_attribute("href")) for link in menu.all()]
    faults: list[str] = []
    for url in dict.fromkeys(urls):
        page.goto(url)
        add = page.locator(".addlink:visible, .object-tools .addlink")
        row = page.locator("#result_list tbody th a")
        forms = [each.first.get_attribute("href") for each in (add, row) if each.count()]
        for screen in [url, *[str(each) for each in forms]]:
            page.goto(screen)
            faults += [f"{screen}: {fault}" for fault in phone_faults(page)]
    assert faults == []
    assert len(dict.fromkeys(urls)) > 10


def phone_faults(page: Page) -> list[str]:
    """Whether the page scrolls sideways, and which of its first fields or links that get the focus
    by keyboard cannot be seen then.
    """
    faults = ["scrolls sideways"] if overflow_width(page) else []
    for _ in range(40):
        page.keyboard.press("Tab")
        hidden = page.evaluate(
            """() => {
              const element = document.activeElement, box = element.getBoundingClientRect();
              if (element === document.body) return "";
              const across = box.width && box.right > 0 && box.left < innerWidth;
              const seen = across && box.bottom > 0 && box.top < innerHeight;
              return seen ? "" : element.outerHTML.slice(0, 120);
            }"""
        )
        faults += [f"hidden with the focus: {hidden}"] if hidden else []
    return faults
