"""An issue at the desk: its buttons save the typed text; cancelling asks."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone
from playwright.sync_api import Page, expect

from shipskip.newsletter.models import Issue, Subscriber
from tests import factories as make
from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, Site, follow
from tests.browser.test_accessibility import findings
from tests.browser.visitor import from_database
from tools.models import Tool

INTRODUCTION = "Introduction:"


@pytest.fixture
def page(site: Site) -> Iterator[Page]:
    """An editor on the screen of a draft issue, with one subscriber."""
    issue = from_database(_draft)
    page = site.window(DESKTOP)
    log_in(page, "ana")
    page.goto(f"/admin/newsletter/issue/{issue.pk}/change/")
    yield page
    from_database(lambda: (issue.delete(), Subscriber.objects.all().delete()))


def _draft() -> Issue:
    make.subscriber()
    tool = Tool.objects.get(slug="smollm3")
    now = timezone.now()
    return make.issue(about=[tool], since=now - timedelta(days=3_650), until=now, subject="A week")


def press(page: Page, name: str) -> None:
    """Click a button, and wait for the next page."""
    follow(page.get_by_role("button", name=name, exact=True))


def type_moment(page: Page, days: int) -> None:
    """Type a date and time into the field, this many days from now."""
    at = timezone.now() + timedelta(days=days)
    page.get_by_label("Send at").fill(f"{at:%Y-%m-%dT%H:%M:%S}")


def test_schedule_saves_the_typed_text_and_says_to_how_many(page: Page):
    expect(page.get_by_text("It goes to 1 subscriber.")).to_be_visible()
    page.get_by_label(INTRODUCTION).press_sequentially("Typed for an hour.")
    type_moment(page, 2)
    press(page, "Save and schedule")
    expect(page.locator(".messagelist")).to_contain_text("is scheduled. It goes to 1 subscriber")
    expect(page.get_by_label(INTRODUCTION)).to_have_value("Typed for an hour.")
    expect(page.locator(".issue-desk__state")).to_contain_text("Scheduled for")
    page.get_by_label(INTRODUCTION).press("Control+End")
    page.get_by_label(INTRODUCTION).press_sequentially(" And more.")
    press(page, "Save and remove from the schedule")
    expect(page.locator(".issue-desk__state")).to_contain_text("Draft")
    expect(page.get_by_label(INTRODUCTION)).to_have_value("Typed for an hour. And more.")


def test_a_past_moment_is_refused_and_the_typed_text_is_saved(page: Page):
    page.get_by_label(INTRODUCTION).press_sequentially("Not lost.")
    type_moment(page, -1)
    press(page, "Save and schedule")
    expect(page.locator(".messagelist .error")).to_contain_text("has passed: enter a later time")
    expect(page.get_by_label(INTRODUCTION)).to_have_value("Not lost.")
    expect(page.locator(".issue-desk__state")).to_contain_text("Draft")


def test_axe_finds_nothing_on_the_issue_and_its_confirmation_page(page: Page):
    form = page.url
    found = findings(page)
    page.goto(form.replace("change", "cancel"))
    found += findings(page)
    of_django = ("empty-table-header",)
    assert [row for row in found if not any(part in row for part in of_django)] == []


def test_a_test_mail_has_the_text_as_typed(page: Page):
    page.get_by_label(INTRODUCTION).press_sequentially("Seen in the mail.")
    page.get_by_label("Your address").fill("ana@example.org")
    press(page, "Save and send a test")
    expect(page.locator(".messagelist")).to_contain_text("a test was sent to ana@example.org")
    expect(page.get_by_label(INTRODUCTION)).to_have_value("Seen in the mail.")
    assert "Seen in the mail." in mail.outbox[-1].body


def test_cancelling_asks_for_confirmation(page: Page):
    follow(page.get_by_role("link", name="Cancel this issue"))
    follow(page.get_by_role("link", name="Back to the issue"))
    expect(page.locator(".issue-desk__state")).to_contain_text("Draft")
    follow(page.get_by_role("link", name="Cancel this issue"))
    press(page, "Cancel this issue")
    expect(page.locator(".issue-desk__state")).to_contain_text("Cancelled")
