"""What every test gets: no request loads rows one by one unnoticed, and a clock to turn."""

from collections.abc import Callable, Iterator
from datetime import datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django.fixtures import Settings
from zeal.apps import ZealConfig

from shipskip.web.memory.knowledge import LOOK_EVERY, known
from shipskip.web.memory.middleware import Memory, memory
from tests.shared_database import database, sqlite_file

__all__ = ["database", "sqlite_file"]
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


@pytest.fixture(autouse=True)
def _nothing_from_memory(settings: Settings) -> None:
    """Each page is rendered each time, so that a test sees and counts what rendering does.

    On PostgreSQL the content version rises when a transaction ends, and most tests never end
    theirs: tests of the memory ask for `page_memory`.
    """
    settings.PAGE_MEMORY_MB, settings.CACHE_URL = 0, ""
    memory.forget()


@pytest.fixture
def page_memory(settings: Settings, transactional_db: None) -> Iterator[Memory]:
    """Pages come from memory as in production, but each request looks whether they are true."""
    settings.PAGE_MEMORY_MB = 16
    known.interval = 0
    memory.set_up()
    yield memory
    known.interval = LOOK_EVERY
    memory.forget()


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
