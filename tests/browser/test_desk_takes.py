"""A take that is not finished, and previews of what is typed, with mouse and keyboard."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from reviews.models import Reviewer, Take
from tests import factories as make
from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, Site, follow, unfold
from tests.browser.visitor import from_database
from tools.models import Category, Tool


@pytest.fixture
def page(site: Site) -> Iterator[Page]:
    """A publisher at the desk, who has a public tool without takes and drafts of everything."""
    from_database(_make_rows)
    page = site.window(DESKTOP)
    log_in(page, "ana")
    yield page
    from_database(_delete_rows)
    assert site.errors == []


def _make_rows() -> None:
    category = Category.objects.get(slug="developer-tools")
    make.tool(slug="half-done", name="Half Done", in_category=category, tagline="A line")
    make.take(on=Tool.objects.get(slug="half-done"), by=Reviewer.objects.get(slug="builder"))
    make.category(slug="unborn", name="Unborn", published_at=None)
    make.reviewer(slug="newcomer", name="Newcomer", published_at=None, position=99)


def _delete_rows() -> None:
    Tool.objects.filter(slug="half-done").delete()
    Reviewer.objects.filter(slug="newcomer").delete()
    Category.objects.filter(slug="unborn").delete()


def open_row(page: Page, kind: str, query: str) -> None:
    """Search a list and open its only row."""
    page.goto(f"/admin/{kind}/?q={query}")
    follow(page.locator("#result_list tbody th a"))


def preview(page: Page) -> Page:
    """What the button Preview opens."""
    with page.expect_popup() as popup:
        page.locator(".save-bar").get_by_role("button", name="Preview").click()
    expect(popup.value.locator(".preview-banner")).to_contain_text("nothing of it is saved")
    return popup.value


def test_a_take_without_score_or_verdict_is_saved_as_a_draft_and_not_published(page: Page):
    open_row(page, "tools/tool", "half+done")
    unfold(page)
    take: Locator = page.locator("#take-skeptic")
    take.get_by_role("textbox", name="Text").press_sequentially("Half a thought")
    take.get_by_label("Hold this take back").check()
    follow(page.get_by_role("button", name="Save and publish the change"))
    open_row(page, "tools/tool", "half+done")
    expect(take.locator(".take__state")).to_have_text("Draft")
    take.get_by_label("Hold this take back").uncheck()
    follow(page.get_by_role("button", name="Save and publish the change"))
    expect(page.locator(".errornote")).to_contain_text("Nothing was saved")
    expect(take).to_contain_text("Enter a score from 0 to 100: the take is to be published")
    expect(take).to_contain_text("Choose a verdict: the take is to be published")
    expect(take.get_by_label("Score")).to_be_focused()
    page.keyboard.type("70")
    take.get_by_label("Verdict").select_option("Ship")
    follow(page.get_by_role("button", name="Save and publish the change"))
    expect(page.locator(".messagelist")).to_contain_text("Takes published: Skeptic.")


def test_what_is_typed_on_a_take_a_category_and_a_reviewer_is_previewed_and_not_saved(page: Page):
    from_database(
        lambda: make.take(
            on=Tool.objects.get(slug="half-done"),
            by=Reviewer.objects.get(slug="skeptic"),
            score=None,
            verdict="",
            body="Stored",
            published_at=None,
        )
    )
    open_row(page, "reviews/take", "stored")
    page.get_by_role("textbox", name="Text").fill("Typed just now")
    shown = preview(page)
    expect(shown.locator("#takes")).to_contain_text("Typed just now")
    expect(shown.locator("#takes")).to_contain_text("no score yet · no verdict yet")
    expect(shown.locator(".answer")).to_contain_text("1 of 1 ship")
    open_row_leaving(page, "tools/category", "unborn")
    page.get_by_label("Description").fill("Typed as well")
    expect(preview(page).locator(".lead")).to_have_text("Typed as well")
    open_row_leaving(page, "reviews/reviewer", "newcomer")
    page.get_by_label("Motto").fill("Typed at last")
    expect(preview(page).locator(".lead")).to_have_text("Typed at last")
    stored = from_database(lambda: Take.objects.get(tool__slug="half-done", score=None).body)
    assert stored == "Stored"
    assert page.request.get("/categories/unborn/").status == 404


def open_row_leaving(page: Page, kind: str, query: str) -> None:
    """Leave the typed text behind, and open a row of another list."""
    page.once("dialog", lambda dialog: dialog.accept())
    open_row(page, kind, query)
