"""Text that an editor typed and has not saved: a warning on leaving, and a copy that is offered."""

import re
from collections.abc import Iterator

import pytest
from django.utils import timezone
from playwright.sync_api import Dialog, Locator, Page, expect
from pytest_django import Settings

from reviews.models import Reviewer, Take
from shipskip.editing.models import UnsavedText
from shipskip.newsletter.models import Issue
from tests import factories as make
from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, Site, follow, pause_timers, submit
from tests.browser.visitor import from_database
from tools.models import Category, Tool

STORED = "Not saved yet; a copy is stored for you."
TYPED = "An hour of work."
KINDS = ["tool", "new tool", "take", "summary", "introduction"]

Forms = dict[str, tuple[str, str]]


@pytest.fixture
def forms(address: str) -> Iterator[Forms]:
    """The address of a form of each kind, and the field to write in."""
    yield from_database(_make_forms)
    from_database(_wipe)


def _make_forms() -> Forms:
    tools = [make.tool(name=name, published_at=None) for name in ("Unsaved one", "Unsaved two")]
    take = make.take(on=tools[0], published_at=None)
    pair = make.comparison(tools=tools, published_at=None)
    issue = make.issue(about=tools[:1], until=timezone.now(), subject="Unsaved")
    return {
        "tool": (f"/admin/tools/tool/{tools[0].pk}/change/", "#id_description"),
        "new tool": ("/admin/tools/tool/add/", "#id_description"),
        "take": (f"/admin/reviews/take/{take.pk}/change/", "#id_body"),
        "summary": (f"/admin/comparisons/comparison/{pair.pk}/change/", "#id_summary"),
        "introduction": (f"/admin/newsletter/issue/{issue.pk}/change/", "#id_introduction"),
    }


def _wipe() -> None:
    UnsavedText.objects.all().delete()
    Issue.objects.filter(subject="Unsaved").delete()
    mine = Tool.everything.filter(name__startswith="Unsaved")
    categories = list(mine.values_list("category_id", flat=True))
    reviewers = list(Take.objects.filter(tool__in=mine).values_list("reviewer_id", flat=True))
    mine.delete()
    Category.objects.filter(pk__in=categories).delete()
    Reviewer.objects.filter(pk__in=reviewers).delete()


@pytest.fixture
def page(site: Site, forms: Forms, settings: Settings) -> Iterator[Page]:
    """Ana, at the desk; her clock stands still, and can be set forward."""
    # Django's form of a comparison looks up each tool by itself.
    settings.ZEAL_ALLOWLIST = [{"model": "tools.Tool"}]
    page = site.window(DESKTOP, clock=True)
    log_in(page, "ana")
    pause_timers(page)
    yield page
    page.clock.resume()


def write(page: Page, form: tuple[str, str]) -> Locator:
    """Open a form and type at the beginning of its text."""
    path, field = form
    page.goto(path)
    text = page.locator(field)
    type_into(text, TYPED)
    return text


def type_into(text: Locator, words: str) -> None:
    text.press("Control+Home")
    text.press_sequentially(words)


def expect_status(page: Page, words: str | re.Pattern[str]) -> None:
    """Some seconds later the page says this about the text."""
    page.clock.fast_forward(3_100)
    expect(page.locator("[data-unsaved-state]")).to_have_text(words)


def leave(page: Page) -> list[str]:
    """Click on the desk's name and accept every dialog; the kinds of the dialogs."""
    dialogs = []

    def on_dialog(dialog: Dialog) -> None:
        dialogs.append(dialog.type)
        dialog.accept()

    page.on("dialog", on_dialog)
    page.locator("#site-name a").click(no_wait_after=True)
    page.wait_for_url("**/admin/")
    page.remove_listener("dialog", on_dialog)
    return dialogs


def try_to_leave(page: Page) -> None:
    """Click on the desk's name, and stay when the browser asks."""
    page.once("dialog", lambda dialog: dialog.dismiss())
    with page.expect_event("dialog"):
        page.locator("#site-name a").click(no_wait_after=True)


@pytest.mark.parametrize("kind", KINDS)
def test_text_that_was_left_is_offered_on_return_and_deleted_by_a_save(
    page: Page, forms: Forms, kind: str
):
    text = write(page, forms[kind])
    expect_status(page, STORED)
    assert leave(page) == ["beforeunload"]
    page.goto(forms[kind][0])
    expect(page.locator(".unsaved")).to_contain_text("You left text here on")
    expect(text).not_to_have_value(re.compile(TYPED))
    follow(page.get_by_role("link", name="Restore it"))
    expect(text).to_have_value(re.compile(TYPED))
    expect(page.get_by_text("not saved yet: check it, then save")).to_be_visible()
    if kind == "new tool":
        return
    follow(page.get_by_role("button", name="Save and continue").last)
    expect(page.locator(".messagelist .success")).to_be_visible()
    page.goto(forms[kind][0])
    expect(text).to_have_value(re.compile(TYPED))
    expect(page.locator(".unsaved__offer")).to_have_count(0)


def test_leaving_the_page_warns_only_while_a_text_is_unsaved(page: Page, forms: Forms):
    text = write(page, forms["tool"])
    try_to_leave(page)
    expect(text).to_have_value(re.compile(TYPED))
    text.focus()
    for _ in TYPED:
        page.keyboard.press("Backspace")
    assert leave(page) == []
    write(page, forms["tool"])
    submit(page.locator("#id_tagline"))
    expect(page.locator(".messagelist .success")).to_be_visible()
    assert leave(page) == []


def test_a_stored_text_is_invisible_to_a_colleague_and_its_editor_can_delete_it(
    site: Site, page: Page, forms: Forms
):
    text = write(page, forms["take"])
    expect_status(page, STORED)
    path, field = forms["take"]
    ben = site.window(DESKTOP)
    log_in(ben, "ben")
    for place in (path, f"{path}?restore=yes"):
        ben.goto(place)
        expect(ben.locator(field)).not_to_have_value(re.compile(TYPED))
        expect(ben.locator(".unsaved__offer")).to_have_count(0)
    leave(page)
    page.goto(path)
    type_into(text, "Typed on return.")
    expect_status(page, re.compile("first restore or discard"))
    page.get_by_role("button", name="Discard it").click()
    expect(page.locator(".unsaved__offer")).to_have_count(0)
    expect(text).to_have_value(re.compile("^Typed on return."))
    expect_status(page, STORED)


def test_a_lost_connection_is_reported_in_place_and_the_text_is_stored_later(
    page: Page, forms: Forms
):
    text = write(page, forms["take"])
    page.context.set_offline(True)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect_status(page, re.compile("^No connection"))
    expect(page.locator("[data-unsaved-state]")).to_be_in_viewport()
    page.context.set_offline(False)
    expect_status(page, STORED)
    page.route("**/unsaved/**", lambda route: route.fulfill(status=413))
    type_into(text, "More.")
    expect_status(page, re.compile("^Too long"))
    page.unroute("**/unsaved/**")
    page.context.clear_cookies()
    type_into(text, "And more.")
    expect_status(page, re.compile("if you have to log in, it comes back"))


def test_without_scripts_the_text_can_be_restored_or_deleted_too(
    site: Site, page: Page, forms: Forms
):
    path, field = forms["take"]
    write(page, forms["take"])
    expect_status(page, STORED)
    plain = site.window(DESKTOP, java_script_enabled=False)
    plain.context.add_cookies(page.context.cookies())
    plain.goto(path)
    follow(plain.get_by_role("link", name="Restore it"))
    expect(plain.locator(field)).to_have_value(re.compile(TYPED))
    plain.goto(path)
    follow(plain.get_by_role("button", name="Discard it"))
    expect(plain.locator(".messagelist")).to_contain_text("was discarded")
    expect(plain.locator(".unsaved__offer")).to_have_count(0)
