"""One browser, one server and one load of the catalogue for all tests of this folder.

The server runs in this process on the test database. The tests here read only; pytest-django
runs tests that write to the database before them, and the tables are emptied afterwards.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from django.template.loader import render_to_string
from playwright.sync_api import Browser, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests.browser import pages
from tests.browser.site import Site

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder as a browser test."""
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; without it the tests are skipped, or fail where CI=true."""
    if not CHROMIUM.exists():
        reason = f"NOT TESTED IN A BROWSER: {CHROMIUM} is missing (apt-get install chromium)"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    # Playwright keeps an event loop in this thread, and Django would refuse the database in it.
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        running = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(scope="package")
def address(
    browser: Browser,
    django_db_setup: None,
    django_db_blocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    """Where the site runs, with the sample catalogue and the hard names loaded."""
    document = tmp_path_factory.mktemp("catalogue") / "catalogue.json"
    document.write_text(pages.catalogue())
    with django_db_blocker.unblock():
        call_command("load_catalogue", str(document), verbosity=0)
        server = LiveServer("localhost")
        with server._live_server_modified_settings:
            yield server.url
        server.stop()
        call_command("flush", interactive=False, verbosity=0)


@pytest.fixture(scope="package")
def fault_pages(address: str) -> dict[str, str]:
    """The HTML of each page that no address leads to, by its kind."""
    return {
        kind: render_to_string(template, dict(context))
        for kind, (template, context) in pages.FAULTS.items()
    }


@pytest.fixture
def site(browser: Browser, address: str, fault_pages: dict[str, str]) -> Iterator[Site]:
    """Opens pages of the site in windows of any kind; all are closed after the test."""
    site = Site(browser, address, fault_pages)
    yield site
    site.close()


@pytest.fixture
def light(site: Site) -> Page:
    """A desktop window in light colours."""
    return site.window(color_scheme="light")


@pytest.fixture
def dark(site: Site) -> Page:
    """A desktop window in dark colours."""
    return site.window(color_scheme="dark")


@pytest.fixture
def phone(site: Site) -> Page:
    """A phone's window, 360 px wide."""
    return site.window(width=360, height=740)
