"""One browser, one server and one database for all tests of this folder."""

import os
import shutil
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.template.loader import render_to_string
from django.test import Client, modify_settings
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect, sync_playwright
from pytest_django import DjangoDbBlocker
from pytest_django.live_server_helper import LiveServer

from tests import factories as make
from tests.browser import pages
from tests.browser.site import PATIENCE, Site, Windows, follow, opened, pause_timers
from tests.browser.visitor import delete_visitor_data, from_database
from tests.migrated_database import migrated_file
from tests.shared_database import use
from tools.models import Tool

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
"""The same engine; the shell has no window of its own and takes half the processor time."""
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
ARGUMENTS += ["--host-resolver-rules=MAP *.test 127.0.0.1, MAP *.localhost 127.0.0.1"]
ARGUMENTS += ["--js-flags=--no-opt --no-maglev"]  # no script runs long enough to repay optimisation
FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(pytest.mark.browser)


PASSWORD = "a-long-good-one"


def make_editors() -> None:
    for name in ("ana", "ben"):
        editor = User.objects.create_user(name, password=PASSWORD, is_staff=True)
        editor.groups.add(Group.objects.get(name="Publishers"))
    User.objects.create_superuser("olga", password=PASSWORD)


def make_issue() -> None:
    now, tool = timezone.now(), Tool.objects.get(slug="smollm3")
    words = {"subject": "SmolLM3: ship", "introduction": "A *quiet* week."}
    make.sent_issue(about=tool, until=now, scheduled_at=now, date="2026-05-07", **words)


def make_reports() -> None:
    tool = Tool.objects.get(slug="smollm3")
    for _ in range(2):
        make.report(
            tool=tool,
            about="price",
            subject="Prices",
            text=f"The price is not {'9' * 200} any more.",
            source=f"https://{'long-' * 10}host.example.com/",
            address="ada@example.org",
            network="f" * 32,
        )
    make.decision(tool=tool, subject="Context window", wrong="w" * 300)
    make.decision(result="declined")


def log_in(page: Page, editor: str) -> None:
    """Give the window an editor's session; `log_in_by_form` fills in the form."""
    client = Client()
    from_database(lambda: client.force_login(User.objects.get(username=editor)))
    name = settings.SESSION_COOKIE_NAME
    session = client.cookies[name].value
    page.context.add_cookies([{"name": name, "value": session, "domain": "localhost", "path": "/"}])


def log_in_by_form(page: Page) -> None:
    page.goto("/admin/")
    page.get_by_label("Username").fill("ana")
    page.get_by_label("Password").fill(PASSWORD)
    follow(page.get_by_role("button", name="Log in"))


@pytest.fixture(scope="package")
def database(
    django_test_environment: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    """A separate SQLite file with the sample catalogue and the names that are hard to lay out.

    Neither the developer's database nor the one of the other tests is touched, so their order
    does not matter; and as in production every thread of the server has its own connection.
    """
    folder = tmp_path_factory.mktemp("site")
    (folder / "catalogue.json").write_text(pages.catalogue())
    with django_db_blocker.unblock():
        shutil.copyfile(migrated_file(), folder / "db.sqlite3")
        with use(f"sqlite:///{folder / 'db.sqlite3'}"):
            call_command("load_catalogue", str(folder / "catalogue.json"), stdout=StringIO())
            make_editors()
            make_issue()
            make_reports()
            yield


@pytest.fixture(scope="package")
def address(database: None) -> Iterator[str]:
    if CHROMIUM is None:
        reason = "NOT TESTED IN A BROWSER: install the package chromium-headless-shell or chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    server = LiveServer("localhost")
    with modify_settings(ALLOWED_HOSTS={"append": "localhost"}):
        yield server.url
    server.stop()


@pytest.fixture(scope="package")
def error_pages() -> dict[str, str]:
    return {
        kind: render_to_string(template, context)
        for kind, (template, context) in pages.ERROR_PAGES.items()
    }


@pytest.fixture(scope="package")
def browser(address: str) -> Iterator[Browser]:
    """Debian's Chromium.

    It starts after the server and stops before it: Playwright keeps an event loop in this thread,
    and Django keeps one database connection outside of such a loop and another one inside.
    """
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(scope="package")
def windows(browser: Browser, address: str) -> Windows:
    return Windows(browser, address)


@pytest.fixture(scope="module")
def shared_site(windows: Windows, error_pages: dict[str, str]) -> Iterator[Site]:
    """Opens pages in windows that a whole file of tests may share."""
    shared = Site(windows, error_pages)
    yield shared
    shared.close()


@pytest.fixture(scope="module")
def window(shared_site: Site) -> Page:
    """One window for a whole file of tests that do not depend on each other."""
    return shared_site.window(reduced_motion="reduce")


@pytest.fixture
def site(windows: Windows, error_pages: dict[str, str]) -> Iterator[Site]:
    """Opens pages in windows that only this test uses."""
    own = Site(windows, error_pages)
    yield own
    own.close()


@pytest.fixture
def light(site: Site) -> Page:
    return site.window(color_scheme="light")


@pytest.fixture
def paused(site: Site) -> Iterator[Page]:
    """A desktop window whose timers run only in `run_timers`: text is typed quickly enough."""
    page = site.window(color_scheme="light", clock=True)
    pause_timers(page)
    yield page
    page.clock.resume()


@pytest.fixture
def no_votes(address: str) -> Iterator[None]:
    from_database(delete_visitor_data)
    yield
    from_database(delete_visitor_data)


@pytest.fixture
def page(site: Site) -> Page:
    """The comparison page, with what belongs to its visitor on it."""
    return opened(site.window(reduced_motion="reduce"))
