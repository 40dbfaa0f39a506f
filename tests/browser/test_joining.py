"""Joining, confirming and leaving in a browser, with a script and without one."""

import re
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.core import mail
from playwright.sync_api import Page, expect

from shipskip.limits.models import ActCount
from shipskip.newsletter.models import Subscriber
from tests.browser import pages
from tests.browser.page_faults import (
    LAYOUT_FAULTS,
    boxes,
    findings,
    findings_in_both_colours,
    landmark_faults,
)
from tests.browser.site import PHONE, Site, follow, opened
from tests.browser.visitor import assert_same_document, from_database, mark_document
from tests.waiting import wait_until

ADDRESS = "ada@example.org"
NO_ADDRESS = "An email address must have an @-sign."


def delete_visitor_data() -> None:
    Subscriber.objects.all().delete()
    ActCount.objects.all().delete()


@pytest.fixture(autouse=True)
def _no_subscribers(address: str) -> Iterator[None]:
    from_database(delete_visitor_data)
    yield
    from_database(delete_visitor_data)


def mailed_path(word: str) -> str:
    """The path with this word in the one mail, which a thread of the server sends."""
    (sent,) = wait_until(lambda: mail.outbox)
    found = re.search(rf"{settings.SITE_URL}(/newsletter/{word}/\S+)", str(sent.body))
    assert found
    return found[1]


def faults(page: Page) -> list[str]:
    narrow = page.evaluate(LAYOUT_FAULTS)
    return [*narrow, *landmark_faults(page), *findings_in_both_colours(page)]


def test_joining_by_keyboard_stays_on_the_page_moves_nothing_and_is_announced(site: Site):
    page = site.window(reduced_motion="reduce")
    layout = "[document.body.scrollHeight, document.getElementById('join').offsetTop]"
    for width in (320, 360, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        opened(page, pages.COMPARISON)
        mark_document(page)
        before = page.evaluate(layout)
        field = page.get_by_label("Get the next comparison in your inbox")
        field.fill("nobody")
        field.press("Enter")
        field = page.locator("#join-address[aria-invalid]")
        expect(field).to_be_focused()
        expect(field).to_have_value("nobody")
        expect(page.locator("#announce")).to_have_text(NO_ADDRESS)
        assert page.evaluate(layout) == before, width
    assert findings(page, within="#newsletter") == []
    trap = page.locator("input[name=website]")  # for robots alone
    [box] = boxes(page.locator("p[aria-hidden=true]", has=trap))
    assert (box["width"], box["height"]) == (1, 1)
    expect(trap).to_have_attribute("tabindex", "-1")
    field.fill(ADDRESS)
    field.press("Enter")
    expect(page.get_by_text("Check your inbox.", exact=True)).to_be_focused()
    expect(page.locator("#announce")).to_contain_text("a mail is on its way")
    assert_same_document(page)
    assert findings(page, within="#newsletter") == []
    assert from_database(lambda: Subscriber.objects.get().state) == "waiting"
    mailed_path("confirm")
    assert [error for error in site.errors if "400" not in error] == []


@pytest.mark.parametrize("scripts", [True, False], ids=["with a script", "without a script"])
def test_a_reader_joins_confirms_leaves_and_is_forgotten(site: Site, scripts: bool):
    page = site.window(PHONE, java_script_enabled=scripts)
    start = "/newsletter/join/" if scripts else "/tools/?entry=free"
    page.goto(start)
    field = page.locator("#join-address")
    field.fill("nobody")
    follow(page.get_by_role("button", name="Join"))
    expect(field).to_be_focused()
    expect(field).to_have_accessible_description(NO_ADDRESS)
    expect(field).to_have_value("nobody")
    field.fill(ADDRESS)
    follow(page.get_by_role("button", name="Join"))
    expect(page.get_by_role("heading", level=1)).to_have_text("One more step")
    expect(page.get_by_text("Check your inbox.", exact=True)).to_be_in_viewport()
    if not scripts:
        page.get_by_role("link", name="Back to where you were").click()
        page.wait_for_url(f"**{start}#newsletter")
    confirm, forget = mailed_path("confirm"), mailed_path("forget")
    for path, button, after in (
        (confirm, "Yes, send them", "You are subscribed"),
        (forget.replace("forget", "leave"), "Leave", "You have left"),
        (forget, "Forget my address", "Forgotten"),
    ):
        page.goto(path)
        assert not scripts or faults(page) == []  # axe needs scripts
        follow(page.get_by_role("button", name=button))
        expect(page.get_by_role("heading", level=1)).to_have_text(after)
        assert not scripts or faults(page) == []
    follow(page.get_by_role("link", name="let the address join again"))
    assert not scripts or faults(page) == []
    page.get_by_role("button", name="Let it join again").click()
    expect(page.get_by_role("status").filter(has_text="join again")).to_be_visible()
    assert site.errors == []
