"""Uploads and downloads at the desk in a browser: faults, and the list of changes."""

import json

import pytest
from playwright.sync_api import FilePayload, Page, ViewportSize, expect

from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, Site, follow
from tests.browser.test_accessibility import findings

LAPTOP, TABLET = ViewportSize(width=1024, height=768), ViewportSize(width=768, height=1024)
FORMAT = "shipskip-catalogue/3"
HEADER = "tool,reviewer,score,verdict,body,published\n"


@pytest.fixture(scope="module")
def desk(shared_site: Site) -> Page:
    """A window of an editor, with scripts off."""
    page = shared_site.window(DESKTOP, java_script_enabled=False)
    log_in(page, "ben")
    return page


@pytest.fixture(scope="module")
def scripted(shared_site: Site) -> Page:
    """The same with scripts, which axe needs."""
    page = shared_site.window(DESKTOP, reduced_motion="reduce")
    log_in(page, "ben")
    return page


def changed(page: Page) -> dict:
    """The sample catalogue with one public score changed, and something new."""
    given: dict = page.request.get("/admin/exchange/download/catalogue/").json()
    take = next(take for tool in given["tools"] for take in tool["takes"])
    take["score"] = (take["score"] + 7) % 101
    given["categories"].append({"slug": "brand-new", "name": "Brand new"})
    return given


def send(page: Page, path: str, content: str) -> None:
    """Choose a file and preview its changes."""
    page.goto(path)
    page.get_by_label("File").set_input_files(
        FilePayload(name="given.txt", mimeType="text/plain", buffer=content.encode())
    )
    follow(page.get_by_role("button", name="Show what would change"))


def faults_of(page: Page, path: str, content: str) -> list[str]:
    """What axe finds at both sizes and in both colours, and whether the page scrolls sideways."""
    page.set_viewport_size(LAPTOP)
    page.emulate_media(color_scheme="light")
    send(page, path, content)
    found = findings(page) + horizontal_overflow(page)
    page.set_viewport_size(TABLET)
    page.emulate_media(color_scheme="dark")
    return found + findings(page) + horizontal_overflow(page)


def horizontal_overflow(page: Page) -> list[str]:
    """A fault if the page is wider than its window."""
    wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    return ["scrolls sideways"] if wide else []


def test_a_list_of_faults_has_no_finding(scripted: Page):
    rows = "nope,builder,140,ship,=1+1,yesterday\n" * 3
    assert faults_of(scripted, "/admin/exchange/", HEADER + rows) == []
    expect(scripted.locator(".upload__faults")).to_contain_text("line 2, score")


def test_a_list_of_changes_has_no_finding(scripted: Page):
    content = json.dumps(changed(scripted))
    assert faults_of(scripted, "/admin/exchange/", content) == []
    expect(scripted.locator("body")).to_contain_text(
        "Scores and verdicts that readers could see: 1"
    )


def test_without_scripts_a_file_is_previewed_and_discarded(desk: Page):
    send(desk, "/admin/exchange/", json.dumps(changed(desk)))
    expect(desk.get_by_label("Reason for the changed scores")).to_be_visible()
    follow(desk.get_by_role("link", name="Cancel"))
    expect(desk.get_by_role("button", name="Show what would change")).to_be_visible()
    assert "brand-new" not in desk.request.get("/admin/exchange/download/catalogue/").text()


def test_the_button_stays_in_sight_below_a_long_list(scripted: Page):
    scripted.set_viewport_size(LAPTOP)
    many = [{"slug": f"category-{at}", "name": f"Category {at}"} for at in range(200)]
    send(scripted, "/admin/exchange/", json.dumps({"format": FORMAT, "categories": many}))
    button = scripted.get_by_role("button", name="Load and make these changes").bounding_box()
    assert button
    assert button["y"] + button["height"] <= LAPTOP["height"]
