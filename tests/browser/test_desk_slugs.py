"""The slug of a new row at the desk follows its name, in every script."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, Site, next_frame
from tests.browser.visitor import from_database
from tools.models import Category

ADD = "/admin/tools/category/add/"


@pytest.fixture
def page(site: Site) -> Page:
    page = site.window(DESKTOP)
    log_in(page, "ana")
    return page


def test_a_name_in_any_script_gets_a_proposed_slug(page: Page):
    for name, slug in (
        ("Agents vs Tools", "agents-tools"),
        ("שלום", "slvm"),
        ("🚀", "rocket"),
        ("!", "category-"),
    ):
        page.goto(ADD)
        page.keyboard.insert_text(name)
        expect(page.get_by_label("Address:"), name).to_have_value(re.compile(f"^{slug}"))


def test_a_slug_that_the_editor_typed_stays(page: Page):
    page.goto(ADD)
    page.get_by_label("Name:").press_sequentially("First")
    expect(page.get_by_label("Address:")).to_have_value("first")
    page.get_by_label("Address:").fill("mine")
    page.get_by_label("Name:").press("End")
    with page.expect_response(lambda one: one.url.endswith("name=First%20name")):
        page.get_by_label("Name:").press_sequentially(" name")
    next_frame(page)
    expect(page.get_by_label("Address:")).to_have_value("mine")


def test_a_late_answer_about_an_older_name_is_ignored(page: Page):
    held: list[Route] = []
    older = re.compile("/slug/.*name=Quiet$")
    page.route(older, lambda route: held.append(route))
    page.goto(ADD)
    with page.expect_request(older):
        page.get_by_label("Name:").fill("Quiet")
    page.get_by_label("Name:").fill("Quiet tools")
    expect(page.get_by_label("Address:")).to_have_value("quiet-tools")
    with page.expect_response(older):
        held[0].continue_()
    next_frame(page)
    expect(page.get_by_label("Address:")).to_have_value("quiet-tools")


def test_without_scripts_an_empty_slug_is_made_from_the_name(site: Site):
    page = site.window(DESKTOP, java_script_enabled=False)
    log_in(page, "ana")
    page.goto(ADD)
    page.get_by_label("Name:").fill("שלום")
    page.get_by_label("Name:").press("Enter")
    expect(page.get_by_label("Address:")).to_have_value("slvm")
    from_database(lambda: Category.objects.filter(slug="slvm").delete())
