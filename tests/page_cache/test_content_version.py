"""The look-up of the content version: once a second, by one thread, and calm without a database."""

import logging
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from time import monotonic, sleep

import pytest
from django.db import connection

from shipskip.page_cache import content_version, counts
from shipskip.page_cache.content_version import CurrentVersion, current
from tests import addresses
from tools.models import Tool

PAIR = "/compare/alpha-vs-beta/"


def test_a_process_looks_up_the_version_at_most_once_a_second(
    client, page_cache, django_assert_num_queries
):
    addresses.sample_site()
    client.get(PAIR)
    current.interval = 1000
    current.expire()
    with django_assert_num_queries(1):
        client.get(PAIR)
    with django_assert_num_queries(0):
        for _ in range(5):
            assert client.get(PAIR).status_code == 200


def test_a_comparison_that_is_not_cached_asks_four_times(
    client, page_cache, django_assert_num_queries
):
    addresses.sample_site()
    current.interval = 1000
    current.get()
    with django_assert_num_queries(4):
        client.get(PAIR)


def test_a_change_is_seen_within_a_second(client, page_cache):
    addresses.sample_site()
    current.interval = 1
    client.get(PAIR)
    Tool.objects.filter(slug="alpha").update(name="Renamed")
    sleep(1)
    assert b"Renamed" in client.get(PAIR).content


def test_while_the_database_does_not_answer_pages_stay(client, page_cache, caplog):
    addresses.sample_site()
    page = client.get(PAIR).content
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE web_contentversion RENAME TO out_of_reach")
    try:
        caplog.clear()
        assert client.get(PAIR).content == page
        assert [row.levelno for row in caplog.records] == [logging.WARNING]
        assert "pages stay" in caplog.text
        current.reset()
        before = counts["miss"]
        assert client.get(PAIR).status_code == 200
        assert counts["miss"] == before + 1, "no version is known, so no page is used"
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE out_of_reach RENAME TO web_contentversion")
    assert client.get(PAIR).content == page


class SlowVersion(CurrentVersion):
    """A version whose look-up lasts until it is allowed to end."""

    def reset(self) -> None:
        super().reset()
        self.reads, self.may_end = 0, Event()

    def _read(self) -> None:
        self.reads += 1
        assert self.may_end.wait(5)
        self._version = "1-0"


def test_one_thread_looks_up_and_the_others_wait_after_a_pause():
    version, ready = SlowVersion(), Barrier(4)

    def ask(_: int) -> str | None:
        ready.wait()
        return version.get()

    with ThreadPoolExecutor(4) as pool:
        found = pool.map(ask, range(4))
        sleep(0.05)
        version.may_end.set()
        assert list(found) == ["1-0"] * 4
    assert version.reads == 1


def test_a_database_that_hangs_makes_one_thread_wait_and_the_others_shortly(monkeypatch):
    monkeypatch.setattr(content_version, "WAIT", 0.1)
    version = SlowVersion()
    with ThreadPoolExecutor(2) as pool:
        hanging = pool.submit(version.get)
        while not version.reads:
            sleep(0.01)
        start = monotonic()
        assert version.get() is None
        assert monotonic() - start < 1
        version.may_end.set()
        assert hanging.result() == "1-0"


@pytest.mark.parametrize("size", [0, 16])
def test_without_memory_each_page_is_rendered_and_still_revalidates(
    client, page_cache, settings, size
):
    settings.PAGE_MEMORY_MB = size
    addresses.sample_site()
    tag = client.get(PAIR)["ETag"]
    before = counts["not_modified"]
    assert client.get(PAIR, headers={"if-none-match": tag}).status_code == 304
    assert counts["not_modified"] == before + bool(size)
