"""One editor's morning at the desk, from the login to the public record and the withdrawal."""

import re
from datetime import UTC, datetime, timedelta

from django.conf import settings
from playwright.sync_api import Page, expect

from tests.browser.conftest import log_in, log_in_by_form
from tests.browser.site import DESKTOP, Site, follow, submit, unfold

ADDRESS = "/tools/morning-agent/"
TEXT = (
    "It reads the whole repository, writes a plan that a person can argue with, and stops when the "
    "tests are red. I let it loose on three real chores and kept two of the patches; the third was "
    "wrong in a way that the review caught within a minute."
)


def write(page: Page, reviewer: str, score: int, verdict: str, text: str = TEXT) -> None:
    unfold(page)
    form = page.locator(f"#take-{reviewer}")
    form.get_by_label("Score").fill(str(score))
    form.get_by_label("Verdict").select_option(verdict)
    form.get_by_label("Text").fill(text)


def test_an_editor_s_morning(site: Site):
    ana = site.window(DESKTOP)
    log_in_by_form(ana)
    tool = _writes_a_tool_with_three_takes(ana)
    _shows_a_stranger_the_preview(site, ana)
    _schedules_it_for_nine_tomorrow(ana, tool)
    _meets_an_edit_conflict_and_resolves_it(site, ana, tool)
    _publishes_it(ana, tool)
    _changes_a_public_score_with_a_reason(ana, tool)
    _reads_the_page_and_its_record(site)
    _previews_and_publishes_a_change(ana, tool)
    _withdraws_it(ana, tool)
    assert site.errors == []


def _writes_a_tool_with_three_takes(ana: Page) -> str:
    follow(ana.get_by_role("link", name="Add a tool"))
    ana.locator("#id_name").press_sequentially("Morning Agent")
    expect(ana.get_by_label("Address")).to_have_value("morning-agent")
    ana.get_by_label("Tagline").fill("Does the chores before you are up")
    ana.get_by_label("Entry price").select_option("Free")
    ana.locator(".field-category .select2-selection").click()
    ana.locator(".select2-search__field").fill("Developer")
    options = ana.locator(".select2-results__option")
    expect(options).to_have_text(["Developer Tools"])
    options.click()
    ana.get_by_label("Description").fill("It does **chores**.")
    expect(ana.locator("#preview-id_description strong")).to_have_text("chores")
    write(ana, "builder", 88, "ship")
    write(ana, "skeptic", 45, "ship", "Too short.")
    expect(ana.locator("#panel-words")).to_contain_text("2 ship / 0 skip")
    expect(ana.locator("#take-skeptic")).to_contain_text("A ship at 45 of 100?")
    expect(ana.locator("#take-skeptic")).to_contain_text("Only 2 of the 40 words")
    write(ana, "skeptic", 45, "skip")
    write(ana, "pm", 71, "ship")
    expect(ana.locator("#panel-words")).to_contain_text("2 ship / 1 skip, 67 % ship")
    expect(ana.locator("#take-skeptic")).not_to_contain_text("Only")
    follow(ana.get_by_role("button", name="Save and continue"))
    expect(ana.locator(".messagelist .success")).to_be_visible()
    expect(ana.locator(".messagelist")).to_contain_text("No pricing")
    return ana.url


def _shows_a_stranger_the_preview(site: Site, ana: Page) -> None:
    link = ana.get_by_label("Anyone with this link").input_value()
    stranger = site.window(DESKTOP)
    stranger.goto(link.removeprefix(settings.SITE_URL))
    expect(stranger.get_by_role("heading", level=1)).to_have_text("Morning Agent")
    expect(stranger.locator("#takes")).to_contain_text("88/100")
    _readers_get(stranger, 404)


def _readers_get(page: Page, status: int) -> None:
    assert page.request.get(ADDRESS).status == status


def _press(ana: Page, button: str) -> None:
    follow(ana.locator(".save-bar").get_by_role("button", name=button, exact=True))


def _schedules_it_for_nine_tomorrow(ana: Page, tool: str) -> None:
    tomorrow = datetime.now(UTC).date() + timedelta(days=1)
    ana.goto(tool)
    date = ana.locator("#id_published_at")
    date.press_sequentially(f"{tomorrow} 09:00")
    submit(date)
    expect(ana.locator(".messagelist")).to_contain_text("was not used")
    expect(date).to_have_value("")
    date.press_sequentially(f"{tomorrow} 09:00")
    _press(ana, "Schedule")
    row = ana.locator("#result_list tr", has_text="Morning Agent")
    expect(row).to_contain_text(f"Scheduled from {tomorrow.day} {tomorrow:%b %Y} 09:00")
    ana.goto("/admin/")
    expect(ana.locator("#content")).to_contain_text("Morning Agent")
    _readers_get(ana, 404)


def _meets_an_edit_conflict_and_resolves_it(site: Site, ana: Page, tool: str) -> None:
    ben = site.window(DESKTOP)
    log_in(ben, "ben")
    ana.goto(tool)
    ben.goto(tool)
    write(ben, "skeptic", 40, "skip", f"Ben says: {TEXT}")
    follow(ben.get_by_role("button", name="Save and continue"))
    expect(ben.locator(".messagelist .success")).to_be_visible()
    write(ana, "skeptic", 38, "skip", f"Ana says: {TEXT}")
    follow(ana.get_by_role("button", name="Save and continue"))
    form = ana.locator("#take-skeptic")
    expect(form).to_contain_text("ben saved this while you were writing")
    expect(form.locator(".conflict")).to_contain_text("Ben says:")
    expect(form.get_by_label("Text")).to_have_value(f"Ana says: {TEXT}")
    form.get_by_label("Text").fill(f"Both say: {TEXT}")
    follow(ana.get_by_role("button", name="Save and continue"))
    expect(ana.locator(".messagelist .success")).to_be_visible()
    expect(form.get_by_label("Text")).to_have_value(f"Both say: {TEXT}")


def _publishes_it(ana: Page, tool: str) -> None:
    _press(ana, "Publish now")
    expect(ana.locator("#result_list tr", has_text="Morning Agent")).to_contain_text("Public since")
    _readers_get(ana, 200)
    ana.goto(tool)


def _changes_a_public_score_with_a_reason(ana: Page, tool: str) -> None:
    ana.goto(tool)
    unfold(ana)
    form = ana.locator("#take-builder")
    form.get_by_label("Score").fill("64")
    form.get_by_label("Verdict").select_option("skip")
    follow(ana.get_by_role("button", name="Save and publish the change"))
    expect(form).to_contain_text("Give the reason in one line")
    form.get_by_label("Reason for the change").fill("pricing tripled")
    follow(ana.get_by_role("button", name="Save and publish the change"))
    expect(ana.locator("#result_list")).to_be_visible()


def _reads_the_page_and_its_record(site: Site) -> None:
    reader = site.window(DESKTOP)
    reader.goto(ADDRESS)
    words = re.sub(r"\s+", " ", reader.locator("[id^='change-']").first.inner_text())
    today = datetime.now(UTC)
    for part in ("Builder", "88 → 64", "ship → skip", f"{today.day} ", "pricing tripled"):
        assert part in words
    expect(reader.locator("#takes")).to_contain_text("64/100")


def _previews_and_publishes_a_change(ana: Page, tool: str) -> None:
    ana.goto(tool)
    ana.get_by_label("Tagline").fill("Typed just now")
    with ana.expect_popup() as popup:
        ana.locator(".save-bar").get_by_role("button", name="Preview").click()
    expect(popup.value.locator(".lead")).to_have_text("Typed just now")
    expect(popup.value.locator(".preview-banner")).to_contain_text("nothing of it is saved")
    popup.value.close()
    assert "Typed just now" not in ana.request.get(ADDRESS).text()
    expect(ana.get_by_label("Tagline")).to_have_value("Typed just now")
    _press(ana, "Save and publish the change")
    follow(ana.locator(".messagelist").get_by_role("link", name=ADDRESS))
    expect(ana.locator(".lead")).to_have_text("Typed just now")


def _withdraws_it(ana: Page, tool: str) -> None:
    ana.goto(tool)
    follow(ana.get_by_role("link", name="Withdraw…", exact=True))
    expect(ana.locator("#content")).to_contain_text(f"its page: {ADDRESS}")
    _readers_get(ana, 200)
    follow(ana.get_by_role("button", name="Withdraw", exact=True))
    expect(ana.locator(".messagelist")).to_contain_text("readers no longer see its page")
    _readers_get(ana, 404)
