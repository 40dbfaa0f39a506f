"""Voting in a browser: at once, in place, announced, by mouse, keyboard and without JavaScript."""

import re
from typing import Literal

import pytest
from playwright.sync_api import Page, Request, Route, expect

from reviews.models import Vote
from tests.browser import pages
from tests.browser.page_faults import WATCH_SHIFTS
from tests.browser.site import DESKTOP, PHONE, Site, next_frame, opened
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
    pressed,
    votes,
)

pytestmark = pytest.mark.usefixtures("no_votes")

# The distance of each section from the top of the page, in pixels.
PLACES = """[...document.querySelectorAll("main section, main h2, .vote, .bookmark, footer")].map(
  (one) => Math.round(one.getBoundingClientRect().top + scrollY))"""


def posts(site: Site) -> list[Request]:
    return [request for request in site.requests if request.method == "POST"]


def test_votes_by_mouse_are_shown_at_once_and_on_the_next_pages_of_this_browser_only(
    site: Site, page: Page
):
    site.record_requests(page)
    table = page.locator(f"#decision #tally-{A}")
    card = page.locator(f".card form#vote-{A} .vote__tally")
    expect(table).to_have_text("—")
    expect(card).to_have_text("No community votes yet")
    mark_document(page)
    for choice, message, stored, tally in (
        ("ship", "You voted ship.", [(A, "ship")], "1 ship / 0 skip"),
        ("skip", "You voted skip.", [(A, "skip")], "0 ship / 1 skip"),
        ("none", "You have no vote on this tool now.", [], "—"),
        ("skip", "You voted skip.", [(A, "skip")], "0 ship / 1 skip"),
    ):
        button(page, choice).click()
        expected = f"{NAME_A}: {message}"
        expect(page.locator("#announce")).to_have_text(expected, use_inner_text=True)
        said = form(page).locator("[data-message]")
        expect(said).to_have_text(message, use_inner_text=True)
        expect(pressed(page)).to_have_text([] if choice == "none" else [choice.title()])
        expect(button(page, choice)).to_be_focused()
        assert votes() == stored
        expect(table).to_have_text(tally)
        expect(card).to_have_text(f"Community: {tally}" if stored else "No community votes yet")
        expect(page.locator(f"#tally-{B}")).to_have_text("—")
    assert_same_document(page)
    assert len(posts(site)) == 4
    opened(page, f"/tools/{A}/")
    expect(pressed(page)).to_have_text("Skip")
    button(page, "ship").click()
    expect(pressed(page)).to_have_text("Ship")
    page.go_back()
    other = opened(site.window())
    for each, own in ((page, ["Ship"]), (other, [])):
        expect(pressed(each)).to_have_text(own)
        expect(form(each).locator(".vote__tally")).to_have_text("Community: 1 ship / 0 skip")
        expect(each.locator(f"#decision #tally-{A}")).to_have_text("1 ship / 0 skip")
    assert site.errors == []


def test_a_vote_by_keyboard_keeps_the_focus_on_its_button(site: Site, page: Page):
    mark_document(page)
    form(page).locator("xpath=preceding::a[1]").focus()
    for moves, choice, key, shown in (
        (["Tab", "Tab"], "skip", "Enter", ["Skip"]),
        (["Shift+Tab"], "ship", "Space", ["Ship"]),
        (["Tab", "Tab"], "none", "Enter", []),
    ):
        for move in moves:
            page.keyboard.press(move)
        expect(button(page, choice)).to_be_focused()
        page.keyboard.press(key)
        expect(pressed(page)).to_have_text(shown)
        expect(button(page, choice)).to_be_focused()
    assert [after for _, after in events()] == ["skip", "ship", ""]
    assert_same_document(page)
    assert site.errors == []


def test_votes_and_a_bookmark_that_wait_for_the_first_answer_are_one_visitor_s(page: Page):
    held: list[Route] = []
    page.route("**/vote/in-place/", lambda route: held.append(route), times=1)
    with page.expect_request("**/vote/in-place/"):
        button(page, "ship").click()
    button(page, "skip", B).click()
    page.get_by_role("button", name=f"Save {NAME_A}").click()
    held[0].continue_()
    expect(pressed(page)).to_have_text("Ship")
    expect(pressed(page, B)).to_have_text("Skip")
    page.get_by_role("button", name=f"Saved {NAME_A}").wait_for()
    assert sorted(votes()) == [(A, "ship"), (B, "skip")]
    # The second request waited for the cookie of the first: both votes are one visitor's.
    assert from_database(lambda: Vote.objects.values("visitor").distinct().count()) == 1


def test_clicks_while_the_first_is_being_sent_are_ignored_and_one_at_its_answer_is_sent(
    site: Site, page: Page
):
    site.record_requests(page)
    mark_document(page)
    button(page, "ship").dblclick()
    expect(pressed(page)).to_have_text("Ship")
    five_clicks = "one => { for (let n = 0; n < 5; n++) document.getElementById(one.id).click(); }"
    button(page, "skip").evaluate(five_clicks)
    expect(pressed(page)).to_have_text("Skip")
    next_frame(page)
    assert len(posts(site)) == 2
    page.evaluate(
        """(id) => document.addEventListener("htmx:afterSwap", () =>
          queueMicrotask(() => document.getElementById(id).click()), { once: true })""",
        f"vote-{A}-none",
    )
    button(page, "ship").click()
    expect(pressed(page)).to_have_count(0)
    assert [after for _, after in events()] == ["ship", "skip", "ship", ""]
    assert_same_document(page)


def test_nothing_moves_when_the_marks_arrive_nor_when_a_vote_is_cast(site: Site):
    page = site.window(reduced_motion="reduce")
    held: list[Route] = []
    for size, path in (
        (DESKTOP, pages.COMPARISON),
        (PHONE, pages.COMPARISON),
        (PHONE, f"/tools/{A}/"),
        (PHONE, pages.NAMESAKES),
    ):
        page.set_viewport_size(size)
        opened(page, path)
        choices, save = page.locator(".vote").first, page.locator(".bookmark__button").first
        choices.get_by_role("button", name="Ship", exact=True).click()
        expect(choices.locator("[data-message]")).to_have_text(re.compile("^You "))
        if save.get_attribute("value") == "yes":
            save.click()
        expect(save).to_have_attribute("value", "no")
        page.route("**/me/**", lambda route: held.append(route), times=1)
        with page.expect_request("**/me/**"):
            page.goto(path)
        page.evaluate(WATCH_SHIFTS)  # those before this are in the browser's buffer
        choices.scroll_into_view_if_needed()
        next_frame(page)
        places = page.evaluate(PLACES)
        held.pop().continue_()
        page.locator("#drawer .bookmark-drawer__box").wait_for(state="attached")
        expect(save).to_have_attribute("value", "no")
        next_frame(page)
        assert page.evaluate(PLACES) == places, path
        for name, message in (("Skip", "You voted skip"), ("Take back", "You have no vote")):
            choices.get_by_role("button", name=name, exact=True).click()
            expect(choices.locator("[data-message]")).to_have_text(re.compile(f"^{message}"))
            next_frame(page)
        assert page.evaluate("shifts") == [], path
    assert site.errors == []


@pytest.fixture
def voter(page: Page) -> Page:
    """The comparison in a browser that has voted “skip” on the first tool."""
    button(page, "skip").click()
    expect(pressed(page)).to_have_text("Skip")
    return page


def test_a_vote_before_the_page_has_loaded_keeps_its_message(site: Site, voter: Page):
    held: list[Route] = []
    voter.route("**/*.woff2", lambda route: held.append(route))  # delays the load event
    voter.goto(pages.COMPARISON, wait_until="domcontentloaded")
    button(voter, "ship").click()
    said = form(voter).locator("[data-message]")
    expect(said).to_have_text("You voted ship.", use_inner_text=True)
    assert held, "the page loads no font: hold something else back"
    for font in held:
        font.continue_()
    voter.wait_for_load_state()
    voter.locator("#drawer[data-saved]").wait_for(state="attached")
    next_frame(voter)
    expect(said).to_have_text("You voted ship.", use_inner_text=True)
    assert votes() == [(A, "ship")]
    assert site.errors == []


@pytest.mark.parametrize(("mouse", "after"), [("left", "ship"), ("right", "skip")])
def test_a_button_held_down_while_the_marks_arrive_votes_if_it_is_the_left_one_of_the_mouse(
    site: Site, voter: Page, mouse: Literal["left", "right"], after: str
):
    held: list[Route] = []
    voter.route("**/me/marks/**", lambda route: held.append(route), times=1)
    with voter.expect_request("**/me/marks/**"):
        voter.goto(pages.COMPARISON)
    button(voter, "ship").hover()
    voter.mouse.down(button=mouse)
    held.pop().continue_()
    voter.locator("#drawer[data-saved]").wait_for(state="attached")
    voter.mouse.up(button=mouse)
    next_frame(voter)
    expect(pressed(voter)).to_have_text(after.title())
    assert votes() == [(A, after)]
    assert site.errors == []


def test_a_page_from_the_back_forward_cache_shows_what_was_voted_since(site: Site, voter: Page):
    other = opened(voter.context.new_page(), f"/tools/{A}/")
    button(other, "ship").click()
    expect(pressed(other)).to_have_text("Ship")
    # A browser driven by a program has no such cache, only this event.
    voter.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(pressed(voter)).to_have_text("Ship")
    assert site.errors == []


def test_a_page_takes_few_requests_and_one_more_for_marks_only_in_a_browser_with_marks(site: Site):
    page = site.window()
    site.record_requests(page)
    for marks in (0, 1):
        for path, most in (("/", 6), (pages.COMPARISON, 5)):
            site.requests.clear()
            opened(page, path)
            page.wait_for_load_state()
            next_frame(page)
            sent = [r.url for r in site.requests if r.resource_type in ("xhr", "fetch")]
            assert len(sent) == marks, path
            assert len(site.requests) <= most + marks, path
            assert all("/me/marks/" in url for url in sent)
        if not marks:
            assert page.context.cookies() == []
            button(page, "ship").click()
            expect(pressed(page)).to_have_text("Ship")


def test_a_browser_that_refuses_cookies_sees_that_its_vote_is_not_remembered(site: Site):
    page = site.new_window()
    page.add_init_script("Object.defineProperty(document, 'cookie', { get: () => '' })")
    page.goto(pages.COMPARISON)
    button(page, "ship").click()
    expected = re.compile("^You voted ship. Your vote counts, but this browser stores no cookies")
    expect(form(page).locator("[data-message]")).to_have_text(expected, use_inner_text=True)
    expect(page.locator("#announce")).to_contain_text("you cannot change the vote")
    assert votes() == [(A, "ship")]
