"""The look-up of the content version: in the background, and without a database."""

import logging
from collections.abc import Iterator
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from shipskip.page_cache import content_version
from shipskip.page_cache.content_version import CurrentVersion, Shown, current_version
from shipskip.page_cache.middleware import PageCache
from tests import addresses
from tests import factories as make
from tests.page_cache.cached_pages import age_cached_pages, is_hit
from tests.reviews.voters import database_error
from tests.waiting import WAIT, wait_until
from tools.models import Tool

PAIR = "/compare/alpha-vs-beta/"


@pytest.fixture
def in_background(database: None, page_cache: PageCache) -> Iterator[None]:
    """The version is looked up as in production."""
    addresses.sample_site()
    current_version.in_background = True
    yield
    current_version.stop()
    current_version.in_background = False


@pytest.mark.both_databases
@pytest.mark.usefixtures("in_background")
def test_a_cached_page_runs_no_query_and_a_change_is_seen(client, django_assert_num_queries):
    # The first look-up may last longer than a request waits.
    wait_until(lambda: is_hit(client, PAIR))
    with django_assert_num_queries(0):
        for _ in range(5):
            assert client.get(PAIR).status_code == 200
    Tool.objects.filter(slug="alpha").update(name="Renamed")
    wait_until(lambda: b"Renamed" in client.get(PAIR).content)


@pytest.mark.both_databases
def test_cached_pages_are_served_while_the_database_does_not_answer(
    client, calm_client, page_cache, caplog
):
    addresses.sample_site()
    page = client.get(PAIR).content
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE web_contentversion RENAME TO out_of_reach")
    try:
        caplog.clear()
        assert client.get(PAIR).content == page
        assert [row.levelno for row in caplog.records] == [logging.WARNING]
        assert "pages stay" in caplog.text
        current_version.reset()
        assert calm_client.get(PAIR).status_code == 503, "no version is known, so no page is used"
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE out_of_reach RENAME TO web_contentversion")
    assert client.get(PAIR).content == page


def test_an_expired_page_is_served_while_it_cannot_be_rendered_again(calm_client, page_cache):
    addresses.sample_site()
    page = calm_client.get(PAIR).content
    age_cached_pages(4_000)
    with database_error("gone"):
        for _ in range(2):
            answer = calm_client.get(PAIR)
            assert (answer.status_code, answer.content) == (200, page)
        assert calm_client.get("/tools/").status_code == 503
    make.tool(slug="zeta")
    assert calm_client.get("/tools/").status_code == 200


class SlowVersion(CurrentVersion):
    """A version whose look-up ends only when the test allows it."""

    def reset(self) -> None:
        super().reset()
        self.reads, self.may_end = 0, Event()

    def _read(self) -> None:
        self.reads += 1
        self.may_end.wait(WAIT)
        now = timezone.now()
        self._shown = Shown("1-0", 1, now, now + timedelta(days=1), None)


@pytest.fixture
def slow_version(db) -> Iterator[SlowVersion]:
    """A version whose thread ends with the test."""
    version = SlowVersion()
    yield version
    version.may_end.set()
    version.stop()


def test_a_request_does_not_wait_until_a_look_up_that_hangs_ends(slow_version):
    assert slow_version.get() is None
    slow_version.may_end.set()
    slow_version.stop()
    assert slow_version.get().version == "1-0"


def test_a_request_waits_for_the_first_look_up(slow_version, monkeypatch):
    monkeypatch.setattr(content_version, "LOOK_UP_WAIT", WAIT)
    wait = slow_version._wait

    def end_look_up_and_wait(*how: Any) -> None:
        slow_version.may_end.set()  # the look-up needs the lock that `wait` gives back
        wait(*how)

    monkeypatch.setattr(slow_version, "_wait", end_look_up_and_wait)
    assert slow_version.get().version == "1-0"
