"""axe finds nothing on any kind of page, in light and in dark."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser import pages
from tests.browser.site import Site

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
KINDS = [*pages.OPEN, *pages.CLOSED, *pages.FAULTS, "admin login"]
axe = Axe()


def findings(page: Page) -> list[str]:
    """What axe holds against the page as it stands, an element a line."""
    options = {"runOnly": {"type": "tag", "values": RULES}, "resultTypes": ["violations"]}
    return [
        f"{found['id']}: {found['help']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for found in axe.run(page, options=options).response["violations"]
        for node in found["nodes"]
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing_in_light_on_a_desktop(site: Site, light: Page, kind: str):
    site.open(light, kind)
    assert findings(light) == []


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing_in_dark_on_a_phone(site: Site, kind: str):
    page = site.window(width=360, height=740, color_scheme="dark")
    site.open(page, kind)
    assert findings(page) == []


def test_axe_would_find_a_fault(light: Page):
    light.goto("/")
    light.evaluate("document.querySelector('h1').style.color = '#ccc'")
    assert any("color-contrast" in finding for finding in findings(light))
