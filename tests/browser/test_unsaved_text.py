"""Text that an editor typed and has not saved: a warning on leaving, and a copy that is offered."""

import re
from collections.abc import Iterator

import pytest
from django.utils import timezone
from playwright.sync_api import Dialog, Locator, Page, expect

from reviews.models import Reviewer
from shipskip.newsletter.models import Issue
from tests import factories as make
from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, Site, follow, pause_timers, unfold
from tests.browser.visitor import from_database
from tools.models import Category, Tool

STORED = "Not saved yet; a copy is stored in this browser."
TYPED = "An hour of work."

Forms = dict[str, tuple[str, str]]


@pytest.fixture
def forms(address: str) -> Iterator[Forms]:
    yield from_database(_make_forms)
    from_database(_delete_forms)


def _make_forms() -> Forms:
    category, reviewer = make.category(name="Unsaved"), make.reviewer(name="Unsaved")
    tool = make.tool(name="Unsaved one", in_category=category, published_at=None)
    take = make.take(on=tool, by=reviewer, published_at=None)
    issue = make.issue(about=[tool], until=timezone.now(), subject="Unsaved")
    return {
        "tool": (f"/admin/tools/tool/{tool.pk}/change/", "#id_description"),
        "new tool": ("/admin/tools/tool/add/", "#id_description"),
        "take": (f"/admin/reviews/take/{take.pk}/change/", "#id_body"),
        "introduction": (f"/admin/newsletter/issue/{issue.pk}/change/", "#id_introduction"),
    }


def _delete_forms() -> None:
    Issue.objects.filter(subject="Unsaved").delete()
    Tool.everything.filter(name__startswith="Unsaved").delete()
    Category.objects.filter(name="Unsaved").delete()
    Reviewer.objects.filter(name="Unsaved").delete()


@pytest.fixture
def page(site: Site, forms: Forms) -> Iterator[Page]:
    """Ana, at the desk; her clock stands still, and can be set forward."""
    page = site.window(DESKTOP, clock=True)
    log_in(page, "ana")
    pause_timers(page)
    yield page
    page.clock.resume()


def type_into(text: Locator, words: str) -> None:
    text.press("Control+Home")
    text.press_sequentially(words)


def write(page: Page, form: tuple[str, str]) -> Locator:
    path, field = form
    page.goto(path)
    unfold(page)
    text = page.locator(field)
    type_into(text, TYPED)
    return text


def expect_status(page: Page, words: str | re.Pattern[str]) -> None:
    """Some seconds later the page says this about the text."""
    page.clock.fast_forward(3_100)
    expect(page.locator("[data-unsaved-state]")).to_have_text(words)


def dialogs_of(link: Locator) -> list[str]:
    """Follow a link or a button and accept every dialog; the kinds of the dialogs."""
    dialogs = []

    def on_dialog(dialog: Dialog) -> None:
        dialogs.append(dialog.type)
        dialog.accept()

    link.page.on("dialog", on_dialog)
    follow(link)
    link.page.remove_listener("dialog", on_dialog)
    return dialogs


def leave(page: Page) -> list[str]:
    return dialogs_of(page.locator("#site-name a"))


def write_and_leave(page: Page, form: tuple[str, str]) -> Locator:
    text = write(page, form)
    expect_status(page, STORED)
    assert leave(page) == ["beforeunload"]
    return text


def offers(page: Page) -> Locator:
    return page.locator(".unsaved__offer")


def restore(page: Page) -> None:
    follow(offers(page).first.get_by_role("button", name="Restore it"))


def save(page: Page) -> None:
    assert dialogs_of(page.get_by_role("button", name="Save and continue").last) == []


def test_text_that_was_left_is_offered_on_return_and_deleted_by_a_save(page: Page, forms: Forms):
    for kind in ("tool", "new tool", "introduction"):
        form = forms[kind]
        text = write_and_leave(page, form)
        page.goto(form[0])
        expect(offers(page), kind).to_contain_text(f"not saved: “{TYPED}")
        expect(text).not_to_have_value(re.compile(TYPED))
        restore(page)
        expect(text, kind).to_have_value(re.compile(TYPED))
        expect(page.get_by_text("not saved yet: check it, then save")).to_be_visible()
        if kind == "new tool":  # which has no name yet
            assert leave(page) == ["beforeunload"]
            page.evaluate("localStorage.clear()")
            continue
        save(page)
        expect(page.locator(".messagelist .success"), kind).to_be_visible()
        expect(text).to_have_value(re.compile(TYPED))
        expect(offers(page), kind).to_have_count(0)
        assert page.evaluate("Object.keys(localStorage)") == [], kind
        assert leave(page) == [], kind


def test_leaving_the_page_warns_only_while_a_text_is_unsaved(page: Page, forms: Forms):
    text = write(page, forms["tool"])
    page.once("dialog", lambda dialog: dialog.dismiss())
    with page.expect_event("dialog"):
        page.locator("#site-name a").click(no_wait_after=True)
    expect(text).to_have_value(re.compile(TYPED))
    text.focus()
    for _ in TYPED:
        page.keyboard.press("Backspace")
    assert leave(page) == []


def test_an_offer_that_is_ignored_stays_until_it_is_discarded(page: Page, forms: Forms):
    path, _ = forms["take"]
    text = write_and_leave(page, forms["take"])
    page.goto(path)
    type_into(text, "Typed on return.")
    expect_status(page, STORED)
    leave(page)
    page.goto(path)
    expect(offers(page)).to_have_count(2)
    expect(offers(page).first).to_contain_text("Typed on return.")  # the newest first
    offers(page).first.get_by_role("button", name="Discard it").click()
    expect(offers(page)).to_have_count(1)
    restore(page)
    expect(text).to_have_value(re.compile(f"^{TYPED}"))
    save(page)
    page.goto(path)
    expect(offers(page)).to_have_count(0)


def test_two_tabs_of_one_form_keep_a_text_each(page: Page, forms: Forms):
    path, field = "/admin/reviews/take/add/", "#id_body"
    write(page, (path, field))
    expect_status(page, STORED)
    other = page.context.new_page()
    other.goto(path)
    other.locator(field).fill("The second take.")
    expect_status(other, STORED)
    expect(offers(other)).to_have_count(0)  # the first tab is open
    page.close()
    expect(offers(other)).to_contain_text(TYPED)
    other.reload()
    expect(offers(other)).to_have_count(2)
    other.goto(f"{path}?tool=1")  # another take
    expect(offers(other)).to_have_count(0)
    other.evaluate("localStorage.clear()")


def test_a_copy_outlives_a_refused_save_but_no_week_no_logout_and_no_other_account(
    page: Page, forms: Forms
):
    text = write(page, forms["tool"])
    page.locator("#id_name").fill("")
    page.locator("form").evaluate_all("forms => forms.forEach((form) => (form.noValidate = true))")
    save(page)
    expect(page.locator(".errornote")).to_be_visible()
    expect(text).to_have_value(re.compile(TYPED))
    leave(page)
    page.goto(forms["tool"][0])
    expect(offers(page)).to_have_count(1)  # one copy, not two
    for end in ("another account", "a week", "the logout"):
        page.evaluate("localStorage.clear()")
        write_and_leave(page, forms["take"])
        if end == "another account":
            page.context.clear_cookies()
            log_in(page, "ben")
        elif end == "a week":
            page.clock.fast_forward(8 * 24 * 3600 * 1000)
        else:
            follow(page.get_by_role("button", name="Log out"))
            log_in(page, "ben")
        page.goto(forms["take"][0])
        expect(offers(page), end).to_have_count(0)


def test_a_browser_without_room_says_that_it_stores_no_copy(page: Page, forms: Forms):
    page.goto(forms["take"][0])
    page.evaluate("localStorage.setItem('full', 'x'.repeat(5 * 1024 * 1024 - 10))")
    type_into(page.locator(forms["take"][1]), TYPED)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect_status(page, re.compile("this browser stores no copy: save it"))
    expect(page.locator("[data-unsaved-state]")).to_be_in_viewport()
    page.evaluate("localStorage.clear()")
