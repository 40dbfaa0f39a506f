"""Publishing and withdrawing the ticked rows of a list, with the mouse."""

import re

from playwright.sync_api import Page, expect

from reviews.models import Reviewer
from tests import factories as make
from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, Site, follow
from tests.browser.visitor import from_database
from tools.models import Category, Tool

NAMES = ["Ticked One", "Ticked Two"]


def make_drafts() -> None:
    """Two drafts that are ready, with a public comparison of them."""
    category = Category.objects.get(slug="developer-tools")
    tools = [
        make.tool(name=name, in_category=category, tagline="A line", published_at=None)
        for name in NAMES
    ]
    for tool in tools:
        make.take(on=tool, by=Reviewer.objects.get(slug="builder"))
    make.comparison(tools=tools)


def choose(page: Page, action: str) -> None:
    """Choose an action for the ticked rows."""
    page.locator("select[name=action]").select_option(action)
    follow(page.get_by_role("button", name="Go"))


def test_the_ticked_rows_are_published_with_links_and_withdrawn_after_a_confirmation(site: Site):
    from_database(make_drafts)
    page = site.window(DESKTOP)
    log_in(page, "ana")
    page.goto("/admin/tools/tool/?q=ticked")
    ticks = page.locator("#result_list tbody input[type=checkbox]")
    for tick in ticks.all():
        tick.check()
    choose(page, "Publish now")
    messages = page.locator(".messagelist")
    expect(messages).to_contain_text("2 tools are public: Ticked One, Ticked Two")
    expect(messages.get_by_role("link", name="Ticked Two")).to_have_attribute(
        "href", re.compile("/to")
    )
    for tick in ticks.all():
        tick.check()
    choose(page, "Withdraw…")
    question = page.locator("#content")
    expect(question).to_contain_text("2 pages: /tools/tool-")
    expect(question).to_contain_text("1 comparison: Ticked One")
    follow(page.get_by_role("link", name="Leave them as they are"))
    for tick in ticks.all():
        tick.check()
    choose(page, "Withdraw…")
    page.get_by_role("button", name="Withdraw", exact=True).click()
    expect(messages).to_contain_text(
        "2 tools are withdrawn: readers no longer see 2 pages and 1 comparison; nothing was deleted"
    )
    expect(ticks.first).not_to_be_checked()
    choose(page, "Publish now")
    expect(messages).to_contain_text("tick the rows that the action is for")
    from_database(lambda: Tool.objects.filter(name__in=NAMES).delete())
    assert site.errors == []
