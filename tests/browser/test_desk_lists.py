"""The lists of the desk, as an editor reads and sorts them."""

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from reviews.models import Vote
from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, PHONE, Site, follow
from tests.browser.test_layout import boxes
from tests.browser.visitor import A, delete_visitor_data, from_database, make_votes, pressed
from tests.reviews.voters import void

LISTS = [
    "/admin/tools/tool/",
    "/admin/tools/category/",
    "/admin/reviews/take/",
    "/admin/reviews/reviewer/",
    "/admin/reviews/vote/",
    "/admin/reviews/voiding/",
    "/admin/comparisons/comparison/",
    "/admin/newsletter/issue/",
]


@pytest.fixture
def page(site: Site) -> Page:
    page = site.window(DESKTOP)
    log_in(page, "ana")
    return page


def test_names_sort_with_capitals_and_small_letters_together(page: Page):
    page.goto("/admin/tools/tool/")
    column = page.locator("#result_list tbody .field-sorted_name a > bdi")

    def names() -> list[str]:
        return [text.casefold().split(" (")[0] for text in column.all_inner_texts()]

    assert names() == sorted(names())
    assert any(text[0].islower() for text in column.all_inner_texts())
    follow(page.get_by_role("link", name="Name", exact=True))
    expect(page.locator("th.column-sorted_name.sorted")).to_be_visible()
    assert names() == sorted(names())


def test_a_take_on_a_withdrawn_tool_is_not_called_public(page: Page):
    page.goto("/admin/tools/tool/?q=chroma")
    follow(page.get_by_role("link", name="Chroma"))
    follow(page.get_by_role("link", name="Withdraw…", exact=True))
    follow(page.get_by_role("button", name="Withdraw", exact=True))
    page.goto("/admin/reviews/take/?q=chroma")
    states = page.locator("#result_list tbody .field-state")
    expect(states.first).to_have_text("Hidden: Chroma is not public")
    assert set(states.all_inner_texts()) == {"Hidden: Chroma is not public"}
    page.goto("/admin/comparisons/comparison/?q=chroma")
    for text in page.locator("#result_list tbody .field-state").all_inner_texts():
        assert text == "Hidden: Chroma is not public"
    page.goto("/admin/tools/tool/?q=chroma")
    follow(page.get_by_role("link", name="Chroma"))
    follow(page.get_by_role("button", name="Publish now"))
    page.goto("/admin/reviews/take/?q=chroma")
    expect(states.first).to_contain_text("Public since")


def test_every_cell_of_a_list_can_be_read(page: Page):
    from_database(make_votes)
    from_database(lambda: void(Vote.objects.filter(tool__slug=A), reason="One script, for a week"))
    for path in LISTS:
        page.goto(path)
        row = page.locator("#result_list tbody tr").first
        for width in (360, 1280):
            page.set_viewport_size(ViewportSize(width=width, height=800))
            [frame] = boxes(page.locator(".results"))
            for box in boxes(row.locator("th, td:not(:empty)")):
                assert box["width"], (path, width, box)
                assert frame["left"] <= box["left"], (path, width, box)
                assert box["right"] <= frame["right"] + 1, (path, width, box)
    from_database(delete_visitor_data)


def test_on_a_phone_a_list_is_a_column_of_short_rows_with_the_filters_below(page: Page):
    page.set_viewport_size(PHONE)
    page.goto("/admin/reviews/take/")
    rows = page.locator("#result_list tbody tr")
    heights = [(row.bounding_box() or {"height": 999})["height"] for row in rows.all()]
    assert sorted(heights)[len(heights) // 2] < 120
    table, filters = page.locator("#result_list"), page.locator("#changelist-filter")
    last, first = table.bounding_box(), filters.bounding_box()
    assert last
    assert first
    assert first["y"] >= last["y"] + last["height"]
    page.get_by_role("link", name="Filter", exact=True).click()
    expect(filters.get_by_role("link", name="Skeptic")).to_be_in_viewport()


@pytest.mark.parametrize("path", ["/admin/tools/tool/1/change/", "/admin/reviews/take/1/change/"])
def test_on_a_phone_the_save_buttons_are_one_visible_line_and_delete_is_set_apart(
    page: Page, path: str
):
    page.set_viewport_size(PHONE)
    page.goto(path)
    bar = page.locator(".save-bar__group").first.bounding_box()
    assert bar
    assert bar["height"] < 70
    expect(page.locator(".save-bar [name=_save]")).to_be_in_viewport(ratio=1)
    expect(page.locator(".save-bar .deletelink")).not_to_be_in_viewport()


def test_the_votes_chart_is_shown_whole(site: Site, page: Page):
    reader = site.window(DESKTOP)
    reader.goto(f"/tools/{A}/vote/")
    reader.get_by_role("button", name="Ship").click()
    expect(pressed(reader)).to_have_text("Ship")
    page.goto("/admin/tools/tool/?q=cursor+background+agent")
    follow(page.get_by_role("link", name="Cursor Background Agent Hand off"))
    page.get_by_text("Votes", exact=True).last.click()
    chart = page.locator(".votes-chart")
    expect(chart).to_be_visible()
    for width in (360, 1280):
        page.set_viewport_size(ViewportSize(width=width, height=800))
        today = boxes(chart.locator("rect.votes-chart__counted"))[-1]
        [frame] = boxes(page.locator(".field-votes_by_day"))
        assert today["height"] > 10, width
        assert frame["left"] <= today["left"] <= today["right"] <= frame["right"], width
    from_database(delete_visitor_data)
