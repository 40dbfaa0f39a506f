"""What other sites show in a frame, in windows of its size."""

from playwright.sync_api import ViewportSize

from tests.browser.site import Site, opened

LONG_NAME = "Background Agent Workbench Max"


def test_a_card_fits_beside_a_long_name(site: Site):
    for width in (300, 480):
        card = opened(site.window(ViewportSize(width=width, height=190)), "/tools/smollm3/embed/")
        name = card.locator("h1 bdi").inner_text()
        assert card.locator("body").inner_text().count(name) == 1
        card.locator("h1 bdi").evaluate("(name, text) => (name.textContent = text)", LONG_NAME)
        root = card.locator("html")
        assert root.evaluate("root => [root.scrollWidth, root.scrollHeight]") == [width, 190]
