"""Editors at the desk: with the mouse, by keyboard alone, and without scripts."""

import json

from playwright.sync_api import Page, expect

from reviews.models import Reviewer, Take
from tests import factories as make
from tests.browser.conftest import log_in, log_in_by_form
from tests.browser.site import DESKTOP, PHONE, Site, follow, unfold
from tests.browser.test_every_desk_screen import send
from tests.browser.visitor import from_database
from tools.models import Category, Tool


def make_drafts() -> None:
    """Two drafts that are ready, with a public comparison of them."""
    category = Category.objects.get(slug="developer-tools")
    ticked = {"in_category": category, "tagline": "A line", "published_at": None}
    tools = [make.tool(name=name, **ticked) for name in ("Ticked One", "Ticked Two")]
    for tool in tools:
        make.take(on=tool, by=Reviewer.objects.get(slug="builder"))
    make.comparison(tools=tools)


def choose(page: Page, action: str) -> None:
    """Tick all rows of the list and choose an action for them."""
    for tick in page.locator("#result_list tbody input[type=checkbox]").all():
        tick.check()
    page.locator("select[name=action]").select_option(action)
    follow(page.get_by_role("button", name="Go"))


def test_the_ticked_rows_are_published_with_links_and_withdrawn_after_a_confirmation(site: Site):
    from_database(make_drafts)
    page = site.window(DESKTOP)
    log_in(page, "ana")
    page.goto("/admin/tools/tool/?q=ticked")
    messages = page.locator(".messagelist")
    choose(page, "Publish now")
    expect(messages).to_contain_text("2 tools are public: Ticked One, Ticked Two")
    expect(messages.get_by_role("link", name="Ticked Two")).to_be_visible()
    choose(page, "Withdraw…")
    expect(page.locator("#content")).to_contain_text("1 comparison: Ticked One")
    follow(page.get_by_role("link", name="Leave them as they are"))
    choose(page, "Withdraw…")
    follow(page.get_by_role("button", name="Withdraw", exact=True))
    expect(messages).to_contain_text("readers no longer see 2 pages and 1 comparison")
    page.locator("select[name=action]").select_option("Publish now")
    follow(page.get_by_role("button", name="Go"))
    expect(messages).to_contain_text("tick the rows that the action is for")
    from_database(lambda: Tool.objects.filter(name__startswith="Ticked").delete())
    assert site.errors == []


def test_without_scripts_takes_files_and_rows_are_written_previewed_and_published(site: Site):
    page = site.window(DESKTOP, java_script_enabled=False)
    log_in_by_form(page)
    page.goto("/admin/coverage/?what=missing")
    follow(page.locator("td a", has_text="missing").first)
    page.get_by_label("Score").fill("66")
    page.get_by_label("Verdict").select_option("ship")
    page.get_by_label("Text").fill("Written *without* scripts. " * 12)
    with page.expect_popup() as popup:
        page.get_by_role("button", name="Preview this text").click()
    expect(popup.value.locator(".site-styles em").first).to_have_text("without")
    popup.value.close()
    follow(page.get_by_role("button", name="Publish now"))
    expect(page.locator(".messagelist .success")).to_be_visible()
    from_database(lambda: Take.objects.filter(body__startswith="Written *without*").delete())

    page.goto("/admin/tools/tool/1/change/")
    unfold(page)
    page.locator("#take-builder").get_by_label("Score").fill("1")
    with page.expect_popup() as popup:
        page.get_by_role("button", name="Calculate the verdict").click()
    expect(popup.value.locator("#panel-words")).to_contain_text("With these takes")
    popup.value.close()

    given = page.request.get("/admin/exchange/download/catalogue/").json()
    given["categories"].append({"slug": "brand-new", "name": "Brand new"})
    send(page, json.dumps(given))
    expect(page.locator("#content")).to_contain_text("brand-new")
    follow(page.get_by_role("link", name="Cancel"))
    expect(page.get_by_role("button", name="Show what would change")).to_be_visible()
    assert page.request.get("/categories/brand-new/").status == 404

    page.goto("/admin/tools/category/add/")
    page.get_by_label("Name:").fill("שלום")
    page.get_by_label("Name:").press("Enter")
    expect(page.get_by_label("Address:")).to_have_value("slvm")
    follow(page.get_by_role("button", name="Publish now"))
    assert page.request.get("/categories/slvm/").status == 200
    follow(page.get_by_role("link", name="שלום").first)
    follow(page.get_by_role("link", name="Withdraw…", exact=True))
    follow(page.get_by_role("button", name="Withdraw", exact=True))
    assert page.request.get("/categories/slvm/").status == 404
    from_database(lambda: Category.objects.filter(slug="slvm").delete())


def follow_skip_link(page: Page, text: str) -> None:
    """Follow a link that has the focus, by Enter, and go on from where it leads."""
    link = page.get_by_role("link", name=text, exact=True)
    expect(link).to_be_focused()
    assert link.bounding_box()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")


def test_the_desk_works_by_keyboard_alone(site: Site):
    page = site.window(DESKTOP)
    log_in(page, "ana")
    page.goto("/admin/tools/tool/1/change/")
    page.locator("#take-builder summary").focus()
    page.keyboard.press("Tab")  # a folded take is passed in one key
    expect(page.locator("#take-skeptic summary")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    follow_skip_link(page, "Skip Skeptic’s take")
    expect(page.locator("#take-futurist summary")).to_be_focused()
    page.get_by_role("link", name="Skip to the takes").focus()
    page.keyboard.press("Tab")
    follow_skip_link(page, "Skip to Save")
    expect(page.locator(".save-bar input").first).to_be_focused()
    page.locator("#id_tagline").focus()
    page.keyboard.press("End")
    page.keyboard.type(" now")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Checked. Nothing was saved")).to_be_visible()
    page.wait_for_load_state()  # the scripts read the keys
    page.keyboard.press("Control+s")
    expect(page.locator(".messagelist .success")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("Control+k")
    page.keyboard.type("builder")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Reviewers")).to_be_visible()
    expect(page.get_by_role("searchbox", name="Search the desk")).to_have_value("builder")


def test_a_public_page_has_the_link_to_edit_it_from_login_to_logout(site: Site):
    page = site.window(PHONE)
    edit = page.get_by_role("link", name="Edit", exact=True)
    page.goto("/reviewers/builder/")
    expect(edit).to_have_count(0)
    log_in_by_form(page)
    page.goto("/reviewers/builder/")
    follow(edit)
    expect(page.get_by_label("Motto")).to_be_visible()
    follow(page.get_by_role("button", name="Log out"))
    page.goto("/reviewers/builder/")
    expect(edit).to_have_count(0)
    assert site.errors == []
