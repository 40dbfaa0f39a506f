"""What every test gets: no request loads rows one by one unnoticed, and a clock to turn."""

from collections.abc import Callable, Iterator
from datetime import datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django.fixtures import Settings
from zeal.apps import ZealConfig

from shipskip.page_cache.content_version import current
from shipskip.page_cache.keys import view_at
from shipskip.page_cache.middleware import PageCache, cache
from shipskip.page_cache.release import release
from tests.shared_database import database, migrated_file, sqlite_file

__all__ = ["database", "migrated_file", "sqlite_file"]
current.in_background = False
N_PLUS_ONE_WATCH = "zeal.middleware.zeal_middleware"


@pytest.fixture(scope="session", autouse=True)
def _no_n_plus_one(django_test_environment: None) -> None:
    """Every request that loads rows one by one raises NPlusOneError.

    Each request is watched by itself: a test that opens a page twice loads a row twice, and that
    is no fault of the page.
    """
    import zeal
    from django.conf import settings

    ZealConfig("zeal", zeal).ready()
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, N_PLUS_ONE_WATCH]


@pytest.fixture(scope="session", autouse=True)
def _quick_passwords(django_test_environment: None) -> None:
    """A login takes no tenth of a second; that the site's own hash is slow is Django's to test."""
    from django.conf import settings

    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.MD5PasswordHasher",
        *settings.PASSWORD_HASHERS,
    ]


def start_process() -> None:
    """What follows is asked of a process that has just started."""
    current.reset()
    cache.reset()
    view_at.cache_clear()
    release.cache_clear()


@pytest.fixture(autouse=True)
def _nothing_cached(settings: Settings) -> None:
    """Each page is rendered each time, so that a test sees and counts what rendering does.

    On PostgreSQL the content version rises when a transaction ends, and most tests never end
    theirs: tests of the page cache ask for `page_cache`.
    """
    settings.PAGE_MEMORY_MB = 0
    settings.CACHES = {"default": settings.CACHES["default"]}
    start_process()


@pytest.fixture
def page_cache(settings: Settings, transactional_db: None) -> Iterator[PageCache]:
    """Pages are cached as in production, but each request looks up the content version."""
    settings.PAGE_MEMORY_MB = 16
    start_process()
    yield cache
    start_process()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[datetime], None]:
    """Call it with a moment, and that is what time it is."""

    def turn(moment: datetime) -> None:
        monkeypatch.setattr("django.utils.timezone.now", lambda: moment)

    return turn


@pytest.fixture
def editor_client(db: None) -> Client:
    """A browser in which an editor is logged in."""
    client = Client()
    client.force_login(User.objects.create_superuser("editor"))
    return client


@pytest.fixture
def calm_client() -> Client:
    """A browser that gets the page of a fault, as readers do, instead of the exception."""
    return Client(raise_request_exception=False)
