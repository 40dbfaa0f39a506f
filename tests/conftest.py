"""Fixtures of every test; its settings are in tests/settings.py."""

import gc
import os
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, Phase
from hypothesis import settings as hypothesis_settings
from pytest_django import DjangoDbBlocker
from pytest_django.fixtures import Settings
from syrupy.assertion import SnapshotAssertion
from zeal import zeal_ignore

from comparisons.models import recent_reads
from comparisons.read_counts import read_counts
from shipskip.content import current
from shipskip.content.content import Content
from shipskip.newsletter.subscribers import confirmations
from shipskip.page_cache.content_version import current_version
from shipskip.page_cache.keys import view_at
from shipskip.page_cache.middleware import PageCache, cache
from shipskip.roles import PUBLISHERS, WRITERS
from shipskip.search.searching import AtOnce
from shipskip.search.vocabulary import vocabulary
from shipskip.web.postgresql import waits
from tests import factories
from tests.desk.editor_clients import desk_of
from tests.kept_content import kept_content
from tests.migrated_database import fill_memory, migrate
from tests.postgres import migrated_template, own_name
from tests.shared_database import database, sqlite_file

__all__ = ["database", "migrate", "sqlite_file"]

# What the site does in threads is done within the request: a thread has a connection of its own.
current_version.in_background = False  # it would not see what the test's transaction has written
read_counts.in_background = False  # it would write what no test takes back
confirmations.in_background = False  # it would find no row to send, and later than a test looks
AtOnce.enabled = True  # a search indexes first: no job does, and no thread loads new words
os.environ["DJANGO_SETTINGS_MODULE"] = "shipskip.settings"  # of programs that tests start

# Examples of one test share its fixtures, however slow the machine is.
hypothesis_settings.register_profile(
    "search",
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
hypothesis_settings.register_profile(
    "ci",
    hypothesis_settings.get_profile("search"),
    max_examples=4,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
)
hypothesis_settings.load_profile("ci")  # unless --hypothesis-profile names the other


def pytest_collection_finish() -> None:
    """Keep what is imported and collected out of the garbage collector, and let it run less often:
    it took a tenth of the suite's processor time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """The tests' database begins migrated: see tests/migrated_database.py and tests/postgres.py."""
    if connection.vendor != "sqlite":
        # A busy machine may take longer than the site lets a request wait for PostgreSQL.
        waits.MAX_WAIT = waits.SILENCE = 300
        options, test = connection.settings_dict["OPTIONS"], connection.settings_dict["TEST"]
        options["connect_timeout"] = options["pool"]["timeout"] = 300
        test["NAME"] = own_name(test["NAME"] or f"test_{connection.settings_dict['NAME']}")
        with django_db_blocker.unblock():
            test["TEMPLATE"] = migrated_template()
        yield
        return
    name = "file:suite?mode=memory&cache=shared"
    connection.settings_dict["TEST"]["NAME"] = name
    with django_db_blocker.unblock():
        database = fill_memory(name)
    yield
    database.close()


@pytest.fixture(scope="session", autouse=True)
def _forms_of_our_own_pages() -> None:
    """A test's client sends its forms as our own pages do, unless it checks tokens too
    (`enforce_csrf_checks`). A fixture with `headers=` would not reach the clients that tests make
    themselves, one for each visitor or editor.
    """
    send = Client.generic

    def generic(self: Client, method: str, *args: Any, **kwargs: Any) -> Any:
        if not self.handler.enforce_csrf_checks:
            kwargs["headers"] = {"sec-fetch-site": "same-origin"} | (kwargs.get("headers") or {})
        return send(self, method, *args, **kwargs)

    Client.generic = generic  # type: ignore[assignment]


@pytest.fixture(scope="session", autouse=True)
def _content_of_one_version() -> Iterator[None]:
    """Pages of one test and version share their content: see tests/kept_content.py."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(current, "Content", kept_content)
        yield


def start_process() -> None:
    """Reset what a process caches, as if it had just started."""
    current_version.reset()
    read_counts.reset()
    cache.reset()
    view_at.cache_clear()
    vocabulary.reset()
    recent_reads.reset()
    kept_content.reset()


@pytest.fixture
def own_var(settings: Settings, tmp_path: Path) -> Path:
    """A folder of this test for drawn pictures and the files of `/data/`, empty at first."""
    settings.VAR_DIR = tmp_path
    return tmp_path


@pytest.fixture(autouse=True)
def _started_process() -> None:
    """Each test begins like a process that has just started."""
    start_process()


@pytest.fixture
def page_cache(settings: Settings, transactional_db: None) -> Iterator[PageCache]:
    """Pages are cached as in production, but each request looks up the content version."""
    settings.PAGE_MEMORY_MB = 16
    start_process()
    yield cache
    start_process()


@pytest.fixture
def keep_content(db: None, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Content]:
    """Return a function that keeps the content as it is now for all later pages, as a process does
    for a version: their queries are then those of the page alone.
    """

    def keep() -> Content:
        content = Content(None, timezone.now())
        monkeypatch.setattr(current, "Content", lambda *_: content)
        return content

    return keep


@pytest.fixture
def snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """syrupy's snapshot; rows without a name of their own are numbered anew, from 1001.

    To accept other texts: `.venv/bin/pytest FILE --snapshot-update`, then read the diff.
    """
    factories.number_from(1001)
    return snapshot


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[datetime], None]:
    """Return a function that sets the current time."""

    def set_clock(moment: datetime) -> None:
        monkeypatch.setattr("django.utils.timezone.now", lambda: moment)

    return set_clock


@pytest.fixture
def editor_client(db: None) -> Client:
    """A browser in which an editor is logged in."""
    client = Client()
    client.force_login(User.objects.create_superuser("editor"))
    return client


@pytest.fixture
def publisher(db: None) -> Client:
    """A browser in which Paula, a publisher, is logged in."""
    return desk_of(PUBLISHERS, name="paula")


@pytest.fixture
def writer(db: None) -> Client:
    """A browser in which Wanda, a writer, is logged in."""
    return desk_of(WRITERS, name="wanda")


@pytest.fixture
def repeated_queries() -> Iterator[None]:
    """Allow queries that repeat: Django's form sets check their rows one by one."""
    with zeal_ignore():
        yield


@pytest.fixture
def calm_client() -> Client:
    """A test client that returns the error page instead of raising the exception."""
    return Client(raise_request_exception=False)
