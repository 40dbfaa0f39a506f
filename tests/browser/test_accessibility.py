"""axe finds deliberate faults in both colour schemes.

test_every_page.py runs it on every kind of page, test_bookmarking.py where a visitor has voted and
saved.
"""

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPTIONS = {
    "runOnly": {"type": "tag", "values": RULES},
    "resultTypes": ["violations"],
    "preload": False,  # no media to fetch, and no styles of other sites
}
RUN = "([within, options]) => axe.run(within, options).then((all) => all.violations)"


def findings(page: Page, within: str = "html") -> list[str]:
    """What axe finds on the page once it has loaded and its colours have changed, one element per
    line.

    Within a part of it, axe leaves out its rules of whole pages.
    """
    page.wait_for_load_state()
    page.evaluate("Promise.allSettled(document.getAnimations().map((one) => one.finished))")
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(RUN, [within, OPTIONS])
    return [
        f"{rule['id']}: {node['html'][:200]}: {node['failureSummary'][:300]}"
        for rule in found
        for node in rule["nodes"]
    ]


def test_axe_finds_deliberate_faults_in_light_and_dark(light: Page, dark: Page):
    for page in (light, dark):
        page.goto("/")
        page.evaluate("document.querySelector('h1').style.color = 'rgb(125 125 125 / 50%)'")
        assert any(finding.startswith("color-contrast") for finding in findings(page))
