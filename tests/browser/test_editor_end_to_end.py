"""One editor's morning at the desk, from the login to the public record."""

import re
from datetime import UTC, datetime, timedelta

from django.conf import settings
from playwright.sync_api import Page, expect

from tests.browser.conftest import PASSWORD, log_in
from tests.browser.site import DESKTOP, Site, follow, unfold

TEXT = (
    "It reads the whole repository, writes a plan that a person can argue with, and stops when the "
    "tests are red. I let it loose on three real chores and kept two of the patches; the third was "
    "wrong in a way that the review caught within a minute."
)


def write(page: Page, reviewer: str, score: int, verdict: str, text: str = TEXT) -> None:
    """Fill in one reviewer's take."""
    unfold(page)
    form = page.locator(f"#take-{reviewer}")
    form.get_by_label("Score").fill(str(score))
    form.get_by_label("Verdict").select_option(verdict)
    form.get_by_label("Text").fill(text)


def test_an_editor_s_morning(site: Site):
    ana = site.window(DESKTOP)
    _logs_in(ana)
    tool = _writes_a_tool_with_three_takes(ana)
    _previews_it(site, ana, tool)
    _schedules_it_for_nine_tomorrow(ana, tool)
    _meets_an_edit_conflict_and_resolves_it(site, ana, tool)
    _publishes_it(site, ana, tool)
    _changes_a_public_score_with_a_reason(ana, tool)
    _reads_the_page_and_its_record(site)
    assert site.errors == []


def _logs_in(ana: Page) -> None:
    ana.goto("/admin/")
    ana.get_by_label("Username").fill("ana")
    ana.get_by_label("Password").fill(PASSWORD)
    follow(ana.get_by_role("button", name="Log in"))
    expect(ana.locator("#logout-form")).to_be_visible()


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


def _previews_it(site: Site, ana: Page, tool: str) -> None:
    link = ana.get_by_label("Anyone with this link").input_value()
    stranger = site.window(DESKTOP)
    answer = stranger.goto(link.removeprefix(settings.SITE_URL))
    assert answer is not None
    assert answer.headers["cache-control"] == "private, no-store"
    assert "noindex" in answer.headers["x-robots-tag"]
    expect(stranger.get_by_role("heading", level=1)).to_have_text("Morning Agent")
    expect(stranger.locator("#takes")).to_contain_text("88/100")
    assert stranger.goto("/tools/morning-agent/").status == 404  # type: ignore[union-attr]
    site.errors.clear()  # the console repeats that status


def _schedules_it_for_nine_tomorrow(ana: Page, tool: str) -> None:
    tomorrow = datetime.now(UTC).date() + timedelta(days=1)
    ana.goto(tool)
    ana.locator("#id_published_at").fill(f"{tomorrow} 09:00")
    follow(ana.get_by_role("button", name="Schedule", exact=True))
    row = ana.locator("#result_list tr", has_text="Morning Agent")
    expect(row).to_contain_text(f"Scheduled from {tomorrow.day} {tomorrow:%b %Y} 09:00")
    ana.goto("/admin/")
    expect(ana.locator("#content")).to_contain_text("Morning Agent")


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


def _publishes_it(site: Site, ana: Page, tool: str) -> None:
    ana.goto(tool)
    follow(ana.get_by_role("button", name="Publish now"))
    expect(ana.locator("#result_list tr", has_text="Morning Agent")).to_contain_text("Public since")
    reader = site.window(DESKTOP)
    assert reader.request.get("/tools/morning-agent/").status == 200


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
    reader.goto("/tools/morning-agent/")
    words = re.sub(r"\s+", " ", reader.locator("[id^='change-']").first.inner_text())
    today = datetime.now(UTC)
    for part in ("Builder", "88 → 64", "ship → skip", f"{today.day} ", "pricing tripled"):
        assert part in words
    expect(reader.locator("#takes")).to_contain_text("64/100")
