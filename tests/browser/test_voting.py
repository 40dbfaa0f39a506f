"""Voting and bookmarking in a browser: at once, in place, announced to all, never lost."""

import re
from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any, TypeVar

import pytest
from django.db import connection
from playwright.sync_api import Locator, Page, Request, Route, expect

from reviews.models import DailySalt, ToolTally, Vote, VoteEvent
from tests.browser import pages
from tests.browser.site import DESKTOP, PHONE, Site
from tests.browser.test_access import findings
from tests.browser.test_layout import WATCH_SHIFTS
from tools.models import Bookmark

A, B = "cursor-background-agent", "smollm3"
NAME_A, NAME_B = "Cursor Background Agent", "SmolLM3"
NO_ANSWER = re.compile("^We cannot tell whether that got through.* try again")

T = TypeVar("T")


def from_database(ask: Callable[[], T]) -> T:
    """A database query in its own thread, because this one runs an event loop."""
    answers: list[T] = []

    def run() -> None:
        try:
            answers.append(ask())
        finally:
            connection.close()

    thread = Thread(target=run)
    thread.start()
    thread.join()
    return answers[0]


def votes() -> list[tuple[str, str]]:
    """The votes there are: tool and choice."""
    rows = Vote.objects.order_by("pk").values_list("tool__slug", "choice")
    return from_database(lambda: list(rows))


def events() -> list[tuple[str, str]]:
    """The changes of votes there were: before and after."""
    rows = VoteEvent.objects.order_by("pk").values_list("before", "after")
    return from_database(lambda: list(rows))


def saved() -> list[str]:
    """The tools that are bookmarked."""
    rows = Bookmark.objects.order_by("pk").values_list("tool__slug", flat=True)
    return from_database(lambda: list(rows))


def wipe() -> None:
    """Take away what visitors did, so that each test and each other file starts without it."""
    for model in (Vote, VoteEvent, ToolTally, Bookmark, DailySalt):
        model.objects.all().delete()


@pytest.fixture(autouse=True)
def _no_votes(address: str) -> Iterator[None]:
    from_database(wipe)
    yield
    from_database(wipe)


@pytest.fixture
def page(site: Site) -> Page:
    """The comparison page, with what belongs to its visitor on it."""
    return opened(site.window(reduced_motion="reduce"))


def opened(page: Page, path: str = pages.COMPARISON) -> Page:
    """Go to a page and wait for its fragments."""
    page.goto(path)
    page.locator("#drawer .drawer__box").wait_for(state="attached")
    return page


def form(page: Page, slug: str = A) -> Locator:
    return page.locator(f"form#vote-{slug}")


def button(page: Page, choice: str, slug: str = A) -> Locator:
    return page.locator(f"#vote-{slug}-{choice}")


def pressed(page: Page, slug: str = A) -> Locator:
    return form(page, slug).locator('[aria-pressed="true"]')


def posts(site: Site) -> list[Request]:
    return [request for request in site.requests if request.method == "POST"]


def watch_place(page: Page) -> None:
    """Mark this document, to check later whether it is still the same one."""
    page.evaluate("window.theSame = true")


def assert_same_document(page: Page) -> None:
    assert page.evaluate("window.theSame === true"), "the page was loaded again"


def test_a_vote_by_mouse_is_shown_announced_and_kept_without_a_reload(site: Site, page: Page):
    watch_place(page)
    button(page, "ship").click()
    expect(pressed(page)).to_have_text("Ship")
    expect(form(page).locator("[data-message]")).to_have_text("You voted ship.")
    expect(page.locator("#announce")).to_have_text(f"{NAME_A}: You voted ship.")
    assert_same_document(page)
    assert votes() == [(A, "ship")]
    assert len(posts(site)) == 1
    assert site.faults == []


def test_change_and_take_back_follow_at_once(page: Page):
    watch_place(page)
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
    watch_place(page)
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


def test_a_vote_by_mouse_keeps_the_focus_where_it_was_put(page: Page):
    button(page, "ship").click()
    expect(pressed(page)).to_have_text("Ship")
    expect(button(page, "ship")).to_be_focused()


def test_votes_on_both_tools_do_not_disturb_each_other(page: Page):
    button(page, "ship").click()
    button(page, "skip", B).click()
    expect(pressed(page)).to_have_text("Ship")
    expect(pressed(page, B)).to_have_text("Skip")
    assert sorted(votes()) == [(A, "ship"), (B, "skip")]
    # The second waited for the first to bring the cookie home: both are one visitor's.
    assert from_database(lambda: Vote.objects.values("visitor").distinct().count()) == 1


def test_a_double_click_is_one_vote(site: Site, page: Page):
    watch_place(page)
    button(page, "ship").dblclick()
    expect(pressed(page)).to_have_text("Ship")
    page.wait_for_load_state("networkidle")
    assert votes() == [(A, "ship")]
    assert events() == [("", "ship")]
    assert_same_document(page)


def test_a_click_the_very_moment_the_answer_is_there_is_no_reload_either(page: Page):
    watch_place(page)
    page.evaluate(
        """(id) => document.addEventListener("htmx:afterSwap", () =>
          queueMicrotask(() => document.getElementById(id).click()), { once: true })""",
        f"vote-{A}-skip",
    )
    button(page, "ship").click()
    expect(pressed(page)).to_have_text("Skip")
    assert [after for _, after in events()] == ["ship", "skip"]
    assert_same_document(page)


def test_clicks_while_the_first_is_under_way_are_not_even_sent(site: Site, page: Page):
    def slowly(route: Route) -> None:
        page.wait_for_timeout(400)
        route.continue_()

    page.route("**/vote/", slowly)
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


# Where the sections of the page stand, from its top, to the pixel.
PLACES = """[...document.querySelectorAll("main section, main h2, .ballot, .keep, footer")].map(
  (one) => Math.round(one.getBoundingClientRect().top + scrollY))"""


@pytest.mark.parametrize("how", ["offline", "aborted"])
def test_with_the_network_cut_at_the_click_the_reader_is_told_and_can_try_again(
    site: Site, page: Page, how: str
):
    watch_place(page)
    if how == "offline":
        page.context.set_offline(True)
    else:
        page.route("**/vote/", lambda route: route.abort("connectionreset"))
    button(page, "ship").click()
    expect(form(page).locator("[data-message]")).to_have_text(NO_ANSWER)
    expect(page.locator("#announce")).to_have_text(NO_ANSWER)
    expect(pressed(page)).to_have_count(0)
    expect(button(page, "ship")).to_be_focused()
    expect(page.locator(f"#tally-{A}")).to_have_text("No community votes yet")
    assert votes() == []
    page.context.set_offline(False)
    page.unroute("**/vote/")
    button(page, "ship").click()
    expect(pressed(page)).to_have_text("Ship")
    expect(form(page).locator("[data-message]")).to_have_text("You voted ship.")
    assert_same_document(page)
    assert votes() == [(A, "ship")]


def test_an_answer_that_is_lost_on_its_way_is_no_second_vote_when_tried_again(page: Page):
    def arrive_unanswered(route: Route) -> None:
        route.fetch()
        route.abort("connectionreset")

    button(page, "skip", B).click()  # the browser has its cookie
    expect(pressed(page, B)).to_have_text("Skip")
    page.route("**/vote/", arrive_unanswered)
    button(page, "ship").click()
    expect(form(page).locator("[data-message]")).to_have_text(NO_ANSWER)
    page.unroute("**/vote/")
    button(page, "ship").click()
    expect(pressed(page)).to_have_text("Ship")
    assert sorted(votes()) == [(A, "ship"), (B, "skip")]
    assert len(events()) == 2


@pytest.mark.parametrize(
    ("status", "message"),
    [(403, "Reload it and try again"), (404, "no longer public"), (500, "try again")],
)
def test_a_refusal_is_told_in_place_and_the_form_stays(page: Page, status: int, message: str):
    page.route("**/vote/", lambda route: route.fulfill(status=status, body="<h1>No</h1>"))
    button(page, "ship").click()
    expect(form(page).locator("[data-message]")).to_contain_text(message)
    expect(page.locator("#announce")).to_contain_text(message)
    expect(button(page, "skip")).to_be_enabled()
    expect(page.locator("h1")).to_have_text(f"{NAME_A} vs {NAME_B}")


def test_a_page_whose_tool_was_withdrawn_says_so(page: Page):
    page.route("**/vote/", lambda route: route.continue_(url=route.request.url.replace(A, "gone")))
    button(page, "ship").click()
    expect(form(page).locator("[data-message]")).to_have_text("This tool is no longer public.")


def test_each_page_asks_once_for_what_belongs_to_its_visitor(site: Site):
    page = site.window()
    for path in (pages.COMPARISON, f"/tools/{A}/", "/tools/", "/", "/methodology/"):
        site.requests.clear()
        page.goto(path, wait_until="networkidle")
        requests = [request.url for request in site.requests if "/me/" in request.url]
        assert len(requests) == 1, path
        fetched = [r for r in site.requests if r.resource_type in ("xhr", "fetch")]
        assert len(fetched) == 1, path


@pytest.mark.parametrize("fault", ["status", "abort"])
def test_when_that_fails_the_plain_links_remain_and_say_nothing_wrong(site: Site, fault: str):
    page = site.window()
    if fault == "status":
        page.route("**/me/**", lambda route: route.fulfill(status=500, body="<h1>Broken</h1>"))
    else:
        page.route("**/me/**", lambda route: route.abort())
    page.goto(pages.COMPARISON, wait_until="networkidle")
    expect(page.locator("h1")).to_have_text(f"{NAME_A} vs {NAME_B}")
    expect(page.locator("#announce")).to_have_text("")
    expect(page.locator("[data-message]")).to_have_count(0)
    expect(page.locator("#drawer a")).to_have_attribute("href", "/bookmarks/")
    page.unroute("**/me/**")
    page.get_by_role("link", name=f"Vote on {NAME_A}").click()
    page.wait_for_url(f"**/tools/{A}/vote/")
    button(page, "ship").click()
    expect(pressed(page)).to_have_text("Ship")
    assert votes() == [(A, "ship")]


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


def test_a_bookmark_is_saved_counted_and_listed_in_the_drawer_and_taken_off_again(
    site: Site, page: Page
):
    watch_place(page)
    page.get_by_role("button", name=f"Save {NAME_A}").click()
    remove = page.get_by_role("button", name=f"Saved: remove {NAME_A}")
    expect(remove).to_be_focused()
    expect(page.locator("#announce")).to_have_text(f"Saved {NAME_A}.")
    count = page.locator("#drawer .drawer__count")
    expect(count).to_have_text("1")
    page.get_by_role("button", name=f"Save {NAME_B}").click()
    expect(count).to_have_text("2")
    page.locator("#drawer summary").click()
    names = page.locator("#drawer .drawer__list li a")
    expect(names).to_have_text([NAME_B, NAME_A])
    page.locator("#drawer summary").click()
    remove.click()
    expect(count).to_have_text("1")
    expect(page.locator("#announce")).to_have_text(f"Removed {NAME_A}.")
    assert_same_document(page)
    assert saved() == [B]
    assert site.faults == []


def test_with_the_network_cut_a_bookmark_is_told_and_can_be_tried_again(page: Page):
    page.context.set_offline(True)
    page.get_by_role("button", name=f"Save {NAME_A}").click()
    expect(page.locator(f"#bookmark-{A} [data-message]")).to_have_text(NO_ANSWER)
    page.context.set_offline(False)
    page.get_by_role("button", name=f"Save {NAME_A}").click()
    expect(page.locator("#drawer .drawer__count")).to_have_text("1")
    assert saved() == [A]


def test_two_chosen_bookmarks_lead_to_their_comparison(page: Page):
    for name in (NAME_A, NAME_B):
        page.get_by_role("button", name=f"Save {name}").click()
        page.get_by_role("button", name=f"Saved: remove {name}").wait_for()
    opened(page, "/bookmarks/")
    page.get_by_label(NAME_A, exact=True).check()
    page.get_by_label(NAME_B, exact=True).check()
    page.get_by_role("button", name="Compare these").click()
    page.wait_for_url(f"**{pages.COMPARISON}")


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


def test_without_javascript_a_tool_is_saved_removed_and_brought_back(site: Site):
    page = site.window(java_script_enabled=False)
    page.goto(pages.COMPARISON)
    page.get_by_role("link", name=f"Save {NAME_A}").click()
    page.get_by_role("button", name=f"Save {NAME_A}").click()
    page.wait_for_url(re.compile(re.escape(pages.COMPARISON)))
    assert saved() == [A]
    page.get_by_role("link", name="Bookmarks", exact=True).click()
    page.get_by_role("button", name=f"Remove {NAME_A}").click()
    expect(page.locator("main")).to_contain_text(f"Removed {NAME_A}.")
    assert saved() == []
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".saved__name")).to_have_text([NAME_A])
    assert saved() == [A]


def test_forgetting_asks_first_and_then_nothing_is_left_in_the_browser(page: Page):
    button(page, "ship").click()
    expect(pressed(page)).to_have_text("Ship")
    opened(page, "/me/").get_by_role("link", name="Forget me").click()
    page.get_by_role("button", name="Forget me").click()
    expect(page.locator("h1")).to_have_text("Forgotten")
    assert "visitor" not in {cookie.get("name") for cookie in page.context.cookies()}
    opened(page, pages.COMPARISON)
    expect(pressed(page)).to_have_count(0)
    expect(page.locator(f"#tally-{A}")).to_have_text("1 ship / 0 skip")


@pytest.mark.parametrize("path", [f"/tools/{A}/", f"/tools/{A}/vote/", pages.COMPARISON])
def test_a_vote_on_any_page_leaves_the_console_clean(site: Site, path: str):
    page = opened(site.window(), path)
    for choice in ("ship", "none"):
        button(page, choice).click()
        expect(form(page).locator("[data-message]")).to_have_text(re.compile("^You "))
    assert site.faults == []


def test_nobody_elses_vote_is_shown_in_another_browser(site: Site, page: Page):
    button(page, "ship").click()
    expect(pressed(page)).to_have_text("Ship")
    other = opened(site.window())
    expect(pressed(other)).to_have_count(0)
    expect(form(other).locator(".ballot__tally")).to_have_text("1 ship / 0 skip")


def in_both_colours(page: Page) -> list[str]:
    """What axe holds against the page on a desktop in light and on a phone in dark."""
    found = findings(page)
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size(PHONE)
    found += findings(page)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(DESKTOP)
    return found


def test_axe_finds_nothing_where_a_visitor_has_voted_saved_and_opened_the_drawer(page: Page):
    assert in_both_colours(page) == []
    button(page, "ship").click()
    button(page, "skip", B).click()
    for name in (NAME_A, NAME_B):
        page.get_by_role("button", name=f"Save {name}").click()
        page.get_by_role("button", name=f"Saved: remove {name}").wait_for()
    expect(pressed(page, B)).to_have_text("Skip")
    page.locator("#drawer summary").click()
    found = {"comparison": in_both_colours(page)}
    for path in (f"/tools/{A}/vote/", f"/tools/{A}/bookmark/", "/bookmarks/", "/me/"):
        found[path] = in_both_colours(opened(page, path))
    found["removed"] = in_both_colours(opened(page, "/bookmarks/?removed=pgvector"))
    found["forget"] = in_both_colours(opened(page, "/me/forget/"))
    page.get_by_role("button", name="Forget me").click()
    page.wait_for_url("**/me/forget/?done=yes")
    found["forgotten"] = in_both_colours(page)
    assert {where: what for where, what in found.items() if what} == {}
