"""Publishing, scheduling and withdrawing at the desk, with mouse and keyboard."""

from collections.abc import Iterator

import pytest
from django.db.models import QuerySet
from playwright.sync_api import FloatRect, Locator, Page, ViewportSize, expect

from reviews.models import Reviewer
from tests import factories as make
from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, PHONE, Site, follow, submit, unfold
from tests.browser.visitor import from_database
from tools.models import Category, Tool

ADDRESS = "/tools/quiet-agent/"


def quiet_agent_tool() -> "QuerySet[Tool]":
    """The tool of these tests."""
    return Tool.objects.filter(slug="quiet-agent")


def make_tool() -> int:
    """A public tool with a public take, a draft take and a comparison."""
    category = Category.objects.get(slug="developer-tools")
    fields = {"name": "Quiet Agent", "slug": "quiet-agent", "tagline": "Before"}
    tool = make.tool(in_category=category, **fields)
    make.take(on=tool, by=Reviewer.objects.get(slug="builder"))
    make.take(on=tool, by=Reviewer.objects.get(slug="skeptic"), published_at=None)
    make.comparison(tools=[tool, Tool.objects.get(slug="smollm3")])
    return tool.pk


def delete_tool() -> None:
    """Delete what `make_tool` made."""
    quiet_agent_tool().delete()


@pytest.fixture(scope="module")
def ana(shared_site: Site) -> Page:
    """One publisher at the desk for the whole file."""
    page = shared_site.window(DESKTOP, reduced_motion="reduce")
    log_in(page, "ana")
    return page


@pytest.fixture
def tool(ana: Page) -> Iterator[str]:
    """The address of the form of a public tool."""
    yield f"/admin/tools/tool/{from_database(make_tool)}/change/"
    from_database(delete_tool)


@pytest.fixture
def draft(tool: str) -> str:
    """The same address, of a draft."""
    from_database(lambda: quiet_agent_tool().update(published_at=None))
    return tool


def save_bar_button(page: Page, name: str) -> Locator:
    """A button of the save bar."""
    return page.locator(".save-bar").get_by_role("button", name=name, exact=True)


def press(page: Page, name: str) -> None:
    """Click a button of the save bar, and wait for the next page."""
    follow(save_bar_button(page, name))


def date_of(page: Page) -> Locator:
    """The tool's own date."""
    return page.locator("#id_published_at")


def readers_get(page: Page, status: int) -> None:
    """Assert that readers get this status at the tool's address: no test caches a page."""
    assert page.request.get(ADDRESS).status == status


def message(page: Page) -> Locator:
    """The messages above the page."""
    return page.locator(".messagelist")


def test_an_incomplete_date_of_a_public_tool_is_refused(ana: Page, tool: str):
    ana.goto(tool)
    date_of(ana).press("End")
    date_of(ana).press("Backspace")
    press(ana, "Save and publish the change")
    expect(ana.locator(".field-published_at")).to_contain_text("as in 2026-05-03 14:00")
    readers_get(ana, 200)


def test_an_incomplete_date_of_a_schedule_is_refused(ana: Page, draft: str):
    ana.goto(draft)
    date_of(ana).press_sequentially("2040-05-03 14:0")
    for button in ("Save", "Schedule"):
        press(ana, button)
        expect(ana.locator(".field-published_at")).to_contain_text("as in 2026-05-03 14:00")
        expect(date_of(ana)).to_have_value("2040-05-03 14:0")


def test_an_emptied_date_withdraws_nothing(ana: Page, tool: str):
    ana.goto(tool)
    date_of(ana).press("ControlOrMeta+a")
    date_of(ana).press("Delete")
    submit(date_of(ana))
    expect(ana.locator("#content")).to_contain_text("Checked. Nothing was saved")
    press(ana, "Save and publish the change")
    expect(message(ana)).to_contain_text("which does not withdraw")
    ana.goto(tool)
    expect(date_of(ana)).to_have_value("2026-05-01 09:00")
    readers_get(ana, 200)


def test_a_typed_date_is_used_by_schedule_alone(ana: Page, draft: str):
    ana.goto(draft)
    date_of(ana).press_sequentially("2040-05-03 14:00")
    submit(date_of(ana))
    expect(message(ana)).to_contain_text("The date 3 May 2040 14:00 UTC was not used")
    expect(date_of(ana)).to_have_value("")
    date_of(ana).press_sequentially("2040-05-03 14:00")
    press(ana, "Schedule")
    expect(message(ana)).to_contain_text("is scheduled for 3 May 2040 14:00 UTC")
    ana.goto(draft)
    press(ana, "Remove from the schedule")
    expect(message(ana)).to_contain_text("is removed from the schedule")
    readers_get(ana, 404)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_withdraw_is_never_in_the_place_of_publish_now(ana: Page, draft: str, size: ViewportSize):
    ana.set_viewport_size(size)
    ana.goto(draft)
    before = ana.get_by_role("button", name="Publish now").bounding_box()
    from_database(lambda: quiet_agent_tool().update(published_at=make.PUBLISHED))
    ana.goto(draft)
    after = ana.get_by_role("link", name="Withdraw…", exact=True).bounding_box()
    ana.set_viewport_size(DESKTOP)
    assert before
    assert after
    assert not _overlap(before, after)


def _overlap(one: FloatRect, two: FloatRect) -> bool:
    across = one["x"] < two["x"] + two["width"] and two["x"] < one["x"] + one["width"]
    down = one["y"] < two["y"] + two["height"] and two["y"] < one["y"] + one["height"]
    return across and down


def test_withdraw_asks_for_confirmation_and_names_what_will_disappear(ana: Page, tool: str):
    ana.goto(tool)
    follow(ana.get_by_role("link", name="Withdraw…", exact=True))
    expect(ana.locator("#content")).to_contain_text(f"its page: {ADDRESS}")
    expect(ana.locator("#content")).to_contain_text("1 comparison: Quiet Agent")
    readers_get(ana, 200)
    follow(ana.get_by_role("button", name="Withdraw", exact=True))
    expect(message(ana)).to_contain_text("readers no longer see its page and 1 comparison")
    readers_get(ana, 404)


def test_preview_of_a_public_tool_shows_the_typed_text_and_publishes_nothing(ana: Page, tool: str):
    ana.goto(tool)
    ana.get_by_label("Tagline").fill("Typed just now")
    with ana.expect_popup() as popup:
        save_bar_button(ana, "Preview").click()
    expect(popup.value.locator(".lead")).to_have_text("Typed just now")
    expect(popup.value.locator(".preview-banner")).to_contain_text("nothing of it is saved")
    popup.value.close()
    assert "Typed just now" not in ana.request.get(ADDRESS).text()
    expect(ana.get_by_label("Tagline")).to_have_value("Typed just now")
    press(ana, "Save and publish the change")
    expect(message(ana)).to_contain_text("Readers see the change now")
    message(ana).get_by_role("link", name=ADDRESS).click()
    expect(ana.locator(".lead")).to_have_text("Typed just now")


def test_a_refused_publication_stores_nothing(ana: Page, draft: str):
    ana.goto(draft)
    date_of(ana).press_sequentially("2040-05-03 14:00")
    ana.get_by_label("Tagline").fill("")
    press(ana, "Publish now")
    expect(ana.locator(".field-tagline")).to_contain_text("needs a tagline")
    expect(date_of(ana)).to_have_value("2040-05-03 14:00")
    press(ana, "Save")
    expect(message(ana)).to_contain_text("saved as a draft; readers see nothing of it")
    readers_get(ana, 404)


def test_a_take_is_published_from_the_tool_s_screen_unless_it_is_held_back(ana: Page, tool: str):
    ana.goto(tool)
    unfold(ana)
    take = ana.locator("#take-skeptic")
    take.get_by_label("Text").fill("Half a thought")
    take.get_by_label("Hold this take back").check()
    press(ana, "Save and publish the change")
    ana.goto(tool)
    expect(take.locator(".take__state")).to_have_text("Draft")
    take.get_by_label("Hold this take back").uncheck()
    press(ana, "Save and publish the change")
    expect(message(ana)).to_contain_text("Takes published: Skeptic.")


def test_publishing_scheduling_and_withdrawing_need_no_scripts(site: Site, tool: str):
    page = site.window(DESKTOP, java_script_enabled=False)
    log_in(page, "ben")
    page.goto(tool)
    follow(page.get_by_role("link", name="Withdraw…", exact=True))
    follow(page.get_by_role("button", name="Withdraw", exact=True))
    with page.expect_popup() as popup:
        save_bar_button(page, "Preview").click()
    expect(popup.value.locator("h1")).to_have_text("Quiet Agent")
    press(page, "Publish now")
    expect(message(page)).to_contain_text(f"is public: {ADDRESS}")
