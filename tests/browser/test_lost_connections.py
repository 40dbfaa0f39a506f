"""Requests that are lost, refused or slow: reported in place, and tried again."""

import re
from functools import partial

import pytest
from playwright.sync_api import Locator, Page, Route, expect
from pytest_django.fixtures import Settings

from tests.browser import pages
from tests.browser.site import DESKTOP, PHONE, Site, next_frame, run_timers
from tests.browser.visitor import (
    NAME_A,
    NAME_B,
    A,
    assert_same_document,
    button,
    form,
    mark_document,
    pressed,
    saved,
    votes,
)

pytestmark = pytest.mark.usefixtures("no_votes")

NO_ANSWER = re.compile("^We do not know whether this arrived.* try again")
NOT_APPLIED = "Not applied: no answer came. Check the connection and try again."


def break_connection(page: Page, how: str, requests: str) -> None:
    """Let these requests fail: all are offline, or theirs are cut off or answered by a proxy."""
    if how == "offline":
        page.context.set_offline(True)
    elif how == "aborted":
        page.route(requests, lambda route: route.abort("connectionreset"))
    else:
        page.route(requests, lambda route: route.fulfill(status=502, body="<!doctype html>"))


def mend_connection(page: Page) -> None:
    page.context.set_offline(False)
    page.unroute_all()


def test_a_vote_and_a_bookmark_without_an_answer_are_reported_and_sent_again(page: Page):
    mark_document(page)
    break_connection(page, "offline", "**/vote/**")
    button(page, "ship").click()
    expect(form(page).locator("[data-message]")).to_have_text(NO_ANSWER)
    expect(page.locator("#announce")).to_have_text(NO_ANSWER)
    expect(pressed(page)).to_have_count(0)
    expect(button(page, "ship")).to_be_focused()
    expect(page.locator(f"#tally-{A}")).to_have_text("—")
    assert votes() == []
    mend_connection(page)
    button(page, "ship").click()
    expect(pressed(page)).to_have_text("Ship")
    expect(form(page).locator("[data-message]")).to_contain_text("You voted ship.")
    assert votes() == [(A, "ship")]
    break_connection(page, "aborted", "**/bookmark/**")
    save = page.get_by_role("button", name=f"Save {NAME_A}")
    save.click()
    expect(page.locator(f"#bookmark-{A} [data-message]")).to_have_text(NO_ANSWER)
    mend_connection(page)
    save.click()
    expect(page.locator("#drawer .bookmark-drawer__count")).to_have_text("1")
    assert saved() == [A]
    assert_same_document(page)


def test_a_refusal_is_shown_in_place_and_the_vote_stays_and_can_be_changed(
    page: Page, settings: Settings
):
    page.set_viewport_size(PHONE)
    button(page, "skip").click()
    expect(pressed(page)).to_have_text("Skip")
    html = {"body": "<!doctype html><h1>No</h1>"}
    # Each message differs from the one before, which is shown until then.
    for answer, message in (
        (partial(Route.fulfill, status=429, **html), "We do not know"),
        (partial(Route.fulfill, status=403, **html), "Reload the page"),
        (partial(Route.fulfill, status=500, **html), "We do not know"),
        (partial(Route.fulfill, status=404, **html), "no longer public"),
        (
            partial(Route.fulfill, status=503, content_type="text/plain", body="Not now."),
            "Not now.",
        ),
        (lambda route: route.continue_(url=route.request.url.replace(A, "gone")), "longer public"),
        (Route.continue_, "Nothing was changed. Your network has used up its 1 votes"),
    ):
        settings.VOTES_PER_NETWORK_PER_DAY = 1
        page.route("**/vote/**", answer, times=1)
        button(page, "ship").click()
        for place in (form(page).locator("[data-message]"), page.locator("#announce")):
            expect(place, message).to_contain_text(message)
        expect(form(page).locator("[data-message]")).to_be_in_viewport()
        expect(button(page, "ship")).to_be_enabled()
        expect(pressed(page)).to_have_text("Skip")
        expect(form(page).locator(".vote__tally")).to_have_text("Community: 0 ship / 1 skip")
    expect(page.locator("h1")).to_have_text(f"{NAME_A} vs {NAME_B}")
    settings.VOTES_PER_NETWORK_PER_DAY = 20
    button(page, "ship").click()
    expect(pressed(page)).to_have_text("Ship")
    assert votes() == [(A, "ship")]


@pytest.mark.parametrize("failure", ["status", "abort"])
def test_when_the_marks_fail_the_forms_remain_without_a_message_and_work(page: Page, failure: str):
    button(page, "ship").click()
    expect(pressed(page)).to_have_text("Ship")
    if failure == "status":
        broken = "<!doctype html><h1>Broken</h1>"
        page.route("**/me/**", lambda route: route.fulfill(status=500, body=broken))
    else:
        page.route("**/me/**", lambda route: route.abort())
    event = "requestfinished" if failure == "status" else "requestfailed"
    with page.expect_event(event, lambda request: "/me/marks/" in request.url):
        page.goto(pages.COMPARISON)
    next_frame(page)
    expect(page.locator("h1")).to_have_text(f"{NAME_A} vs {NAME_B}")
    expect(page.locator("#announce")).to_have_text("")
    expect(pressed(page)).to_have_count(0)
    expect(page.locator("#drawer a")).to_have_attribute("href", "/bookmarks/")
    button(page, "skip").click()
    expect(pressed(page)).to_have_text("Skip")
    assert votes() == [(A, "skip")]


def beside(control: Locator, message: Locator) -> bool:
    one, other = control.bounding_box(), message.bounding_box()
    assert one
    assert other
    return 0 <= other["y"] - one["y"] < 60


def test_a_filter_that_fails_goes_back_and_says_so_beside_itself(site: Site):
    page = site.window(PHONE)
    page.goto("/tools/")
    page.get_by_text("Filter and sort").click()
    page.get_by_role("checkbox", name="Freemium").check()
    page.wait_for_url("**entry=freemium")
    total = page.locator(".tool-list__total").inner_text()
    message = page.locator("#facets [data-message]")
    paid = page.get_by_role("checkbox", name="Paid")
    for size, how, order in (
        (PHONE, "offline", "name"),
        (DESKTOP, "aborted", "newest"),
        (PHONE, "refused", "name"),
    ):
        page.set_viewport_size(size)
        break_connection(page, how, "**/tools/?*")
        paid.click()
        expect(message, how).to_have_text(NOT_APPLIED)
        expect(page.locator("#announce")).to_have_text(NOT_APPLIED)
        assert beside(paid, message), how
        expect(paid).not_to_be_checked()
        expect(page.get_by_role("checkbox", name="Freemium")).to_be_checked()
        mend_connection(page)
        page.get_by_label("Sort").select_option(order)
        page.wait_for_url(f"**sort={order}**")
        expect(message).to_be_empty()
        expect(page.locator(".tool-list__total")).to_have_text(total)


def test_a_weight_that_could_not_be_applied_goes_back_and_says_so_beside_itself(site: Site):
    page = site.window()
    page.goto(f"{pages.COMPARISON}?weigh=own")
    answer = page.locator(".answer").inner_text()
    slider = page.get_by_role("slider", name="Skeptic")
    page.context.set_offline(True)
    slider.fill("3")
    message = page.locator("#own-panel [data-message]")
    expect(message).to_have_text(NOT_APPLIED)
    assert beside(slider, message)
    expect(slider).to_have_value("1")
    expect(page.locator("#own-panel output[for=weigh-skeptic]")).to_have_text("1")
    expect(page.locator(".answer")).to_have_text(answer)
    page.context.set_offline(False)
    slider.fill("3")
    page.wait_for_url("**?weigh-skeptic=3")
    expect(message).to_be_empty()


def test_a_vote_that_takes_longer_than_half_a_second_shows_that_it_is_under_way(paused: Page):
    held: list[Route] = []
    paused.route("**/vote/**", lambda route: held.append(route))
    paused.goto(pages.COMPARISON)
    button(paused, "ship").click()
    run_timers(paused, 400)
    expect(form(paused)).not_to_have_attribute("aria-busy", "true")
    run_timers(paused, 200)
    expect(form(paused)).to_have_attribute("aria-busy", "true")
    expect(form(paused).locator("[data-message]")).to_have_text("Sending …")
    held[0].continue_()
    expect(form(paused).locator("[data-message]")).to_contain_text("You voted ship.")
    expect(form(paused)).not_to_have_attribute("aria-busy", "true")
    held.clear()
    button(paused, "skip").click()
    run_timers(paused, 600)
    expect(form(paused)).to_have_attribute("aria-busy", "true")
    held[0].abort("connectionreset")
    expect(form(paused).locator("[data-message]")).to_have_text(NO_ANSWER)
    expect(form(paused)).not_to_have_attribute("aria-busy", "true")
