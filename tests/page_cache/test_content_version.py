"""The look-up of the content version: in the background, and without a database."""

import logging
from collections.abc import Iterator
from threading import Event
from time import monotonic, sleep

import pytest
from django.db import connection

from reviews import figures
from shipskip.page_cache import response_counts
from shipskip.page_cache.content_version import LOOK_UP_WAIT, CurrentVersion, current_version
from shipskip.page_cache.middleware import PageCache
from tests import addresses
from tests import factories as make
from tests.page_cache.test_freshness import age_cached_pages
from tests.reviews.voters import database_error
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


@pytest.mark.usefixtures("in_background")
def test_a_cached_page_runs_no_query_and_a_change_is_seen_within_a_second(
    client, django_assert_num_queries
):
    client.get(PAIR)
    with django_assert_num_queries(0):
        for _ in range(5):
            assert client.get(PAIR).status_code == 200
    Tool.objects.filter(slug="alpha").update(name="Renamed")
    end = monotonic() + 1
    while b"Renamed" not in client.get(PAIR).content:
        assert monotonic() < end
        sleep(0.01)


def test_a_comparison_that_is_not_cached_runs_few_queries(
    client, page_cache, django_assert_num_queries
):
    addresses.sample_site()
    figures.count_all_marked()
    current_version.get()
    with django_assert_num_queries(8):  # one of them for the version
        client.get(PAIR)


def test_cached_pages_are_served_while_the_database_does_not_answer(client, page_cache, caplog):
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
        before = response_counts["miss"]
        assert client.get(PAIR).status_code == 200
        assert response_counts["miss"] == before + 1, "no version is known, so no page is used"
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
        assert self.may_end.wait(5)
        self._version = "1-0"


@pytest.mark.django_db
def test_a_look_up_that_hangs_delays_no_request_for_long():
    version = SlowVersion()
    try:
        start = monotonic()
        assert version.get() is None
        assert LOOK_UP_WAIT / 2 < monotonic() - start < 4 * LOOK_UP_WAIT
        version.may_end.set()
        version.stop()
        assert version.get() == "1-0"
    finally:
        version.may_end.set()
        version.stop()


@pytest.mark.parametrize("size", [0, 16])
def test_without_memory_each_page_is_rendered_and_still_revalidates(
    client, page_cache, settings, size
):
    settings.PAGE_MEMORY_MB = size
    addresses.sample_site()
    tag = client.get(PAIR)["ETag"]
    before = response_counts["not_modified"]
    assert client.get(PAIR, headers={"if-none-match": tag}).status_code == 304
    assert response_counts["not_modified"] == before + bool(size)
