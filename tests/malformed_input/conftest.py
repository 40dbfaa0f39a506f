"""Fixtures of the tests with malformed input: the site, a client that sends any bytes."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from pytest_django.fixtures import Settings

from shipskip.content.content import Content
from tests.malformed_input import sample_site as site_module
from tests.malformed_input.sample_site import SampleSite
from tests.malformed_input.sender import Sender
from tests.settings import N_PLUS_ONE_WATCH

JUNK = re.compile(r"\\x00|\ufffd|\\ud[89a-f]|\b\d{19,}\b|<junk")
"""What only a value that was sent contains."""


@pytest.fixture
def reaches_no_query(sample_site: SampleSite) -> Iterator[None]:
    """Fail where malformed input is a value in a query: a form should have refused it. A test
    without this fixture is marked `both_databases`, because one of them may refuse it.
    """

    def refuse_junk(execute: Any, sql: str, params: Any, *rest: Any) -> Any:
        assert not JUNK.search(repr(params)), (sql, params)
        return execute(sql, params, *rest)

    with connection.execute_wrapper(refuse_junk):
        yield


@pytest.fixture(autouse=True)
def _without_limits(settings: Settings) -> None:
    """Switch off query logging and rate limits."""
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if name != N_PLUS_ONE_WATCH]
    for name in dir(site_settings):
        if re.search("_PER_(NETWORK|VISITOR)|AXES_FAILURE_LIMIT", name):
            setattr(settings, name, 10**6)


@pytest.fixture
def sample_site(db: None, keep_content: Callable[[], Content]) -> SampleSite:
    """The site with content for every address, two visitors and a subscriber. Readers' pages show
    one content throughout: building it for each of a thousand requests would take a minute.
    """
    site = site_module.build()
    keep_content()
    return site


@pytest.fixture
def sender() -> Sender:
    """A client of the site that sends any bytes."""
    return Sender()


@pytest.fixture
def mine(sample_site: SampleSite) -> dict[str, bytes]:
    """The cookies of the visitor who sends malformed input."""
    return {"visitor": sample_site.mine.cookie}


@pytest.fixture
def editor(sample_site: SampleSite) -> dict[str, bytes]:
    """The cookies of an editor with all rights."""
    client = Client()
    client.force_login(User.objects.create_superuser("editor"))
    return {name: morsel.value.encode() for name, morsel in client.cookies.items()}
