"""What every test gets: no request loads rows one by one unnoticed, and a clock to turn."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client
from zeal.apps import ZealConfig

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
