"""axe finds nothing on any kind of page, in light and in dark, on a desktop and on a phone."""

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from tests.browser import pages
from tests.browser.site import DESKTOP, PHONE, Site

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPTIONS = {
    "runOnly": {"type": "tag", "values": RULES},
    "resultTypes": ["violations"],
    "preload": False,  # no media to fetch, and no styles of other sites
}
KINDS = [*pages.ALL, *pages.FAULTS, "admin login"]


def findings(page: Page) -> list[str]:
    """What axe finds on the page once its colours have changed, one element per line."""
    page.evaluate("Promise.all(document.getAnimations().map((one) => one.finished))")
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate("(options) => axe.run(options)", OPTIONS)["violations"]
    return [
        f"{rule['id']}: {node['html'][:200]}: {node['failureSummary'][:300]}"
        for rule in found
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing(shared_site: Site, window: Page, kind: str):
    # Colours do not depend on the width, nor do sizes and places depend on the colours: two
    # runs see all that four would.
    window.set_viewport_size(DESKTOP)
    window.emulate_media(color_scheme="light")
    shared_site.open(window, kind)
    found = findings(window)
    window.set_viewport_size(PHONE)
    window.emulate_media(color_scheme="dark")
    assert found + findings(window) == []


def test_axe_finds_nothing_once_a_visitor_has_voted_and_saved(light: Page):
    for slug in ("pgvector", "qdrant"):
        light.goto(f"/tools/{slug}/")
        light.get_by_role("button", name="Ship", exact=True).click()
        light.get_by_role("button", name="Save").click()
        light.get_by_role("button", name="Saved").wait_for()
    for path in ("/compare/pgvector-vs-qdrant/", "/bookmarks/", "/me/", "/me/forget/"):
        light.goto(path)
        light.locator("#drawer summary").click()
        assert findings(light) == [], path


def test_axe_would_find_faults_of_light_and_dark(light: Page, dark: Page):
    for page in (light, dark):
        page.goto("/")
        page.evaluate("document.querySelector('h1').style.color = 'rgb(125 125 125 / 50%)'")
        assert any(finding.startswith("color-contrast") for finding in findings(page))
