"""Editors at the desk: with the mouse, by keyboard alone, and without scripts."""

import json

from django.conf import settings
from playwright.sync_api import Page, expect

from reviews.models import Take
from tests.browser.conftest import log_in, log_in_by_form
from tests.browser.site import DESKTOP, PHONE, Site, follow, unfold
from tests.browser.test_every_desk_screen import send
from tests.browser.visitor import from_database
from tools.models import Category, Tool

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


def test_a_tool_with_three_takes_is_written_previewed_published_changed_and_withdrawn(site: Site):
    path = "/tools/morning-agent/"
    page = site.window(DESKTOP)
    log_in_by_form(page)
    follow(page.get_by_role("link", name="Add a tool"))
    page.locator("#id_name").press_sequentially("Morning Agent")
    expect(page.get_by_label("Address")).to_have_value("morning-agent")
    page.get_by_label("Tagline").fill("Does the chores before you are up")
    page.get_by_label("Entry price").select_option("Free")
    page.locator(".field-category .select2-selection").click()
    page.locator(".select2-search__field").fill("Developer")
    options = page.locator(".select2-results__option")
    expect(options).to_have_text(["Developer Tools"])
    options.click()
    page.get_by_label("Description").fill("It does **chores**.")
    expect(page.locator("#preview-id_description strong")).to_have_text("chores")
    write(page, "builder", 88, "ship")
    write(page, "skeptic", 45, "ship", "Too short.")
    skeptic = page.locator("#take-skeptic")
    expect(page.locator("#panel-words")).to_contain_text("2 ship / 0 skip")
    expect(skeptic).to_contain_text("A ship at 45 of 100?")
    expect(skeptic).to_contain_text("Only 2 of the 40 words")
    write(page, "skeptic", 45, "skip")
    write(page, "pm", 71, "ship")
    expect(page.locator("#panel-words")).to_contain_text("2 ship / 1 skip, 67 % ship")
    expect(skeptic).not_to_contain_text("Only")
    follow(page.get_by_role("button", name="Save and continue"))
    expect(page.locator(".messagelist")).to_contain_text("No pricing")
    tool = page.url

    link = page.get_by_label("Anyone with this link").input_value()
    stranger = site.window(DESKTOP)
    stranger.goto(link.removeprefix(settings.SITE_URL))
    expect(stranger.get_by_role("heading", level=1)).to_have_text("Morning Agent")
    expect(stranger.locator("#takes")).to_contain_text("88/100")
    assert stranger.request.get(path).status == 404
    bar = page.locator(".save-bar")
    follow(bar.get_by_role("button", name="Publish now", exact=True))
    expect(page.locator("#result_list tr", has_text="Morning Agent")).to_contain_text(
        "Public since"
    )

    page.goto(tool)
    page.get_by_label("Tagline").fill("Typed just now")
    with page.expect_popup() as popup:
        bar.get_by_role("button", name="Preview").click()
    expect(popup.value.locator(".lead")).to_have_text("Typed just now")
    expect(popup.value.locator(".preview-banner")).to_contain_text("nothing of it is saved")
    popup.value.close()
    assert "Typed just now" not in page.request.get(path).text()
    follow(bar.get_by_role("button", name="Save and publish the change", exact=True))
    follow(page.locator(".messagelist").get_by_role("link", name=path))
    expect(page.locator(".lead")).to_have_text("Typed just now")

    edit = page.get_by_role("link", name="Edit", exact=True)
    page.set_viewport_size(PHONE)
    follow(edit)
    follow(page.get_by_role("link", name="Withdraw…", exact=True))
    follow(page.get_by_role("button", name="Withdraw", exact=True))
    expect(page.locator(".messagelist")).to_contain_text("readers no longer see its page")
    assert stranger.request.get(path).status == 404
    follow(page.get_by_role("button", name="Log out"))
    page.goto("/reviewers/builder/")
    expect(edit).to_have_count(0)
    from_database(lambda: Tool.objects.filter(slug="morning-agent").delete())
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
