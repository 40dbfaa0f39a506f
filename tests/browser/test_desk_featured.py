"""The desk says where readers see a featured comparison."""

from django.utils import timezone
from playwright.sync_api import expect

from comparisons.models import ON_HOME_PAGE, Comparison
from tests.browser.conftest import log_in
from tests.browser.site import DESKTOP, Site
from tests.browser.visitor import from_database
from tools.models import Tool

NAMES = "Aider vs Chroma"


def feature_one_too_many() -> None:
    """A featured comparison after as many as the home page shows."""
    first, second = Tool.objects.get(slug="aider"), Tool.objects.get(slug="chroma")
    Comparison.objects.create(
        tool_list=[{"tool": tool.pk, "choose_if": ""} for tool in (first, second)],
        published_at=timezone.now(),
        featured=True,
    )


def test_a_sixth_featured_comparison_is_not_called_one_of_the_home_page(site: Site):
    from_database(feature_one_too_many)
    page = site.window(DESKTOP)
    log_in(page, "ana")
    page.goto("/admin/comparisons/comparison/")
    row = page.get_by_role("row", name=NAMES)
    expect(row.locator(".field-shown_on")).to_have_text("List of comparisons")
    home = page.locator(".field-shown_on", has_text="Home page")
    expect(home).to_have_count(ON_HOME_PAGE)
    row.get_by_role("link").click()
    field = page.locator(".field-featured")
    expect(field).to_contain_text(f"the first {ON_HOME_PAGE} that are public are on the home page")
    reader = site.window(DESKTOP)
    reader.goto("/")
    expect(reader.locator("[aria-labelledby=featured-title] .pair")).to_have_count(ON_HOME_PAGE)
    expect(reader.locator("main")).not_to_contain_text(NAMES)
    from_database(lambda: Comparison.objects.filter(members__tool__slug="aider").delete())
