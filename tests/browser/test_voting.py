"""Voting in a browser: at once, in place, announced, by mouse, keyboard and without JavaScript."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from reviews.models import Vote
from tests.browser import pages
from tests.browser.site import PHONE, Site
from tests.browser.test_layout import WATCH_SHIFTS
from tests.browser.visitor import (
    NAME_A,
    A,
    B,
    assert_same_document,
    button,
    events,
    form,
    from_database,
    mark_document,
    opened,
    posts,
    pressed,
    votes,
)

pytestmark = pytest.mark.usefixtures("no_votes")


def test_a_vote_by_mouse_is_shown_announced_and_stored_without_a_reload(site: Site, page: Page):
    mark_document(page)
    button(page, "ship").click()
    expect(pressed(page)).to_have_text("Ship")
    expect(form(page).locator("[data-message]")).to_have_text("You voted ship.")
    expect(page.locator("#announce")).to_have_text(f"{NAME_A}: You voted ship.")
    assert_same_document(page)
    assert votes() == [(A, "ship")]
    assert len(posts(site)) == 1
    assert site.faults == []


def test_change_and_take_back_follow_at_once(page: Page):
    mark_document(page)
    for choice, message, stored in (
        ("ship", "You voted ship.", [(A, "ship")]),
        ("skip", "You voted skip.", [(A, "skip")]),
        ("none", "You have no vote on this tool now.", []),
        ("skip", "You voted skip.", [(A, "skip")]),
    ):
        button(page, choice).click()
        expect(page.locator("#announce")).to_have_text(f"{NAME_A}: {message}")
        expect(pressed(page)).to_have_count(int(choice != "none"))
        assert votes() == stored
    assert_same_document(page)


def test_the_tally_changes_at_once_in_table_card_and_form(page: Page):
    def shown() -> list[str]:
        spots = (f"#tally-{A}", f"#share-{A}", f"form#vote-{A} .ballot__tally")
        return [(page.locator(spot).text_content() or "").strip() for spot in spots]

    assert shown() == ["No community votes yet", "—", "No community votes yet"]
    button(page, "ship").click()
    expect(page.locator(f"#decision #tally-{A}")).to_have_text("1 ship / 0 skip")
    assert shown() == ["1 ship / 0 skip"] * 3
    button(page, "skip").click()
    expect(page.locator(f"#decision #tally-{A}")).to_have_text("0 ship / 1 skip")
    assert shown() == ["0 ship / 1 skip"] * 3
    expect(page.locator(f"#tally-{B}")).to_have_text("No community votes yet")
    button(page, "none").click()
    expect(page.locator(f"#decision #tally-{A}")).to_have_text("No community votes yet")


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_vote_by_keyboard_keeps_the_focus_on_its_button(site: Site, page: Page, key: str):
    mark_document(page)
    form(page).locator("..").locator("xpath=preceding::a[1]").focus()
    page.keyboard.press("Tab")
    expect(button(page, "ship")).to_be_focused()
    page.keyboard.press("Tab")
    expect(button(page, "skip")).to_be_focused()
    page.keyboard.press(key)
    expect(pressed(page)).to_have_text("Skip")
    expect(button(page, "skip")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press(key)
    expect(pressed(page)).to_have_text("Ship")
    expect(button(page, "ship")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press(key)
    expect(pressed(page)).to_have_count(0)
    expect(button(page, "none")).to_be_focused()
    assert [after for _, after in events()] == ["skip", "ship", ""]
    assert_same_document(page)
    assert site.faults == []


def test_a_vote_by_mouse_keeps_the_focus_on_its_button(page: Page):
    button(page, "ship").click()
    expect(pressed(page)).to_have_text("Ship")
    expect(button(page, "ship")).to_be_focused()


def test_votes_on_both_tools_do_not_disturb_each_other(page: Page):
    button(page, "ship").click()
    button(page, "skip", B).click()
    expect(pressed(page)).to_have_text("Ship")
    expect(pressed(page, B)).to_have_text("Skip")
    assert sorted(votes()) == [(A, "ship"), (B, "skip")]
    # The second request waited for the cookie of the first: both votes are one visitor's.
    assert from_database(lambda: Vote.objects.values("visitor").distinct().count()) == 1


def test_a_double_click_is_one_vote(site: Site, page: Page):
    mark_document(page)
    button(page, "ship").dblclick()
    expect(pressed(page)).to_have_text("Ship")
    page.wait_for_load_state("networkidle")
    assert votes() == [(A, "ship")]
    assert events() == [("", "ship")]
    assert_same_document(page)


def test_a_click_at_the_moment_of_the_answer_causes_no_reload(page: Page):
    mark_document(page)
    page.evaluate(
        """(id) => document.addEventListener("htmx:afterSwap", () =>
          queueMicrotask(() => document.getElementById(id).click()), { once: true })""",
        f"vote-{A}-skip",
    )
    button(page, "ship").click()
    expect(pressed(page)).to_have_text("Skip")
    assert [after for _, after in events()] == ["ship", "skip"]
    assert_same_document(page)


def test_clicks_while_the_first_is_being_sent_are_ignored(site: Site, page: Page):
    def delay(route: Route) -> None:
        page.wait_for_timeout(400)
        route.continue_()

    page.route("**/vote/", delay)
    page.evaluate(
        """(id) => { for (let n = 0; n < 5; n++) document.getElementById(id).click(); }""",
        f"vote-{A}-ship",
    )
    expect(pressed(page)).to_have_text("Ship")
    page.wait_for_load_state("networkidle")
    assert len(posts(site)) == 1
    assert events() == [("", "ship")]


@pytest.mark.parametrize("size", [PHONE, None], ids=["phone", "desktop"])
@pytest.mark.parametrize("path", [pages.COMPARISON, f"/tools/{A}/", pages.NAMESAKES])
def test_nothing_moves_when_the_fragments_arrive_nor_when_a_vote_is_cast(
    site: Site, size: Any, path: str
):
    page = site.window(**({"size": size} if size else {}), reduced_motion="reduce")
    page.add_init_script(WATCH_SHIFTS)
    held: list[Route] = []
    page.route("**/me/**", lambda route: held.append(route))
    page.goto(path)
    page.locator("#community").scroll_into_view_if_needed()
    page.wait_for_timeout(100)
    places = page.evaluate(PLACES)
    assert held
    held[0].continue_()
    page.locator("#drawer .drawer__box").wait_for(state="attached")
    page.wait_for_timeout(100)
    assert page.evaluate(PLACES) == places
    choices = page.locator(".ballots form").first
    for name in ("Ship", "Skip", "Take back"):
        choices.get_by_role("button", name=name, exact=True).click()
        expect(choices.locator("[data-message]")).to_have_text(re.compile("^You "))
        page.wait_for_timeout(50)
        if name == "Take back":
            assert page.evaluate(PLACES) == places
    assert page.evaluate("shifts") == []


# The distance of each section from the top of the page, in pixels.
PLACES = """[...document.querySelectorAll("main section, main h2, .ballot, .bookmark, footer")].map(
  (one) => Math.round(one.getBoundingClientRect().top + scrollY))"""


def test_each_page_sends_one_request_for_its_visitor_s_fragments(site: Site):
    page = site.window()
    for path in (pages.COMPARISON, f"/tools/{A}/", "/tools/", "/", "/methodology/"):
        site.requests.clear()
        page.goto(path, wait_until="networkidle")
        requests = [request.url for request in site.requests if "/me/" in request.url]
        assert len(requests) == 1, path
        fetched = [r for r in site.requests if r.resource_type in ("xhr", "fetch")]
        assert len(fetched) == 1, path


def test_a_vote_is_still_shown_on_the_next_page_and_after_going_back(site: Site, page: Page):
    button(page, "skip").click()
    expect(pressed(page)).to_have_text("Skip")
    opened(page, f"/tools/{A}/")
    expect(pressed(page)).to_have_text("Skip")
    button(page, "ship").click()
    expect(pressed(page)).to_have_text("Ship")
    page.go_back()
    expect(pressed(page)).to_have_text("Ship")
    assert site.faults == []


def test_without_javascript_a_vote_is_cast_changed_and_taken_back_by_page_and_redirect(site: Site):
    page = site.window(java_script_enabled=False)
    for choice, stored in (("Ship", "ship"), ("Skip", "skip"), ("Take back", "")):
        page.goto(pages.COMPARISON)
        page.get_by_role("link", name=f"Vote on {NAME_A}").click()
        page.wait_for_url(f"**/tools/{A}/vote/")
        page.get_by_role("button", name=choice, exact=True).click()
        page.wait_for_url(re.compile(re.escape(pages.COMPARISON)))
        assert votes() == ([(A, stored)] if stored else [])
    cookies = {cookie.get("name"): cookie for cookie in page.context.cookies()}
    assert cookies["visitor"].get("httpOnly") is True
    assert cookies["visitor"].get("sameSite") == "Lax"


@pytest.mark.parametrize("path", [f"/tools/{A}/", f"/tools/{A}/vote/", pages.COMPARISON])
def test_a_vote_on_any_page_leaves_the_console_clean(site: Site, path: str):
    page = opened(site.window(), path)
    for choice in ("ship", "none"):
        button(page, choice).click()
        expect(form(page).locator("[data-message]")).to_have_text(re.compile("^You "))
    assert site.faults == []


def test_a_vote_of_another_browser_is_not_shown_as_one_s_own(site: Site, page: Page):
    button(page, "ship").click()
    expect(pressed(page)).to_have_text("Ship")
    other = opened(site.window())
    expect(pressed(other)).to_have_count(0)
    expect(form(other).locator(".ballot__tally")).to_have_text("1 ship / 0 skip")
