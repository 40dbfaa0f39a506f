"""axe finds nothing where a visitor has voted and saved, and would find faults of both colours.

test_every_page.py runs it on every kind of page.
"""

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPTIONS = {
    "runOnly": {"type": "tag", "values": RULES},
    "resultTypes": ["violations"],
    "preload": False,  # no media to fetch, and no styles of other sites
}


def findings(page: Page) -> list[str]:
    """What axe finds on the page once its colours have changed, one element per line."""
    page.evaluate("Promise.all(document.getAnimations().map((one) => one.finished))")
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate("(options) => axe.run(options).then((all) => all.violations)", OPTIONS)
    return [
        f"{rule['id']}: {node['html'][:200]}: {node['failureSummary'][:300]}"
        for rule in found
        for node in rule["nodes"]
    ]


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
