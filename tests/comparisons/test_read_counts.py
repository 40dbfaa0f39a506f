"""Which comparisons are read: who counts, how often, and what is written."""

import threading
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import DatabaseError
from django.test import Client

from comparisons import read_counts as module
from comparisons.models import DayReads, RecentReads, recent_reads, tools_key
from comparisons.models.reads import DayReadsQuerySet
from comparisons.read_counts import ReadCounts, read_counts
from tests import factories as make
from tools.models import Tool

pytestmark = pytest.mark.django_db
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _today(clock: Callable[[datetime], None]) -> None:
    clock(NOW)
    read_counts.reset()


@pytest.fixture
def pair() -> tuple[Tool, Tool]:
    return make.tool(slug="alpha"), make.tool(slug="beta")


def read(
    path: str = "/compare/alpha-vs-beta/", *, network: int = 1, name: str = BROWSER, **headers: str
) -> int:
    known = {"user-agent": name} | {key.replace("_", "-"): text for key, text in headers.items()}
    return Client().get(path, headers=known, REMOTE_ADDR=f"192.0.{network}.7").status_code


def stored() -> dict[str, int]:
    """The written reads of today, by `tools_key`."""
    read_counts.write()
    return dict(DayReads.objects.filter(day=NOW.date()).values_list("tools_key", "reads"))


ROBOTS = ["", "  ", "curl/8.5.0", "Mozilla/5.0 (compatible; Googlebot/2.1)"]


def test_a_comparison_s_own_page_counts_in_a_browser_that_shows_it(pair):
    for name in ROBOTS:
        assert read(name=name) == 200
        assert stored() == {}, name
    purpose = "prefetch;prerender"
    assert read(sec_purpose=purpose) == read(network=2, purpose=purpose) == 200
    paths = ["/compare/", "/tools/alpha/", "/compare/beta-vs-alpha/", "/compare/alpha-vs-unknown/"]
    assert [read(path) for path in paths] == [200, 200, 301, 404]
    Client().head("/compare/alpha-vs-beta/", headers={"user-agent": BROWSER})
    assert stored() == {}
    gamma = make.tool(slug="gamma")
    make.comparison(tools=pair)
    for slugs in ("alpha-vs-beta/?rows=differing", "alpha-vs-gamma/", "alpha-vs-beta-vs-gamma/"):
        assert read(f"/compare/{slugs}") == 200
    alpha, beta = pair
    sets = [(alpha, beta), (alpha, gamma), (alpha, beta, gamma)]
    assert stored() == {tools_key(tool.pk for tool in row): 1 for row in sets}


@pytest.mark.both_databases
def test_one_network_counts_once_a_comparison_and_day(pair, clock, settings):
    for network in (1, 1, 2, 1):
        read(network=network)
    key = tools_key(tool.pk for tool in pair)
    assert stored() == {key: 2}
    clock(NOW + timedelta(days=1))
    read()
    read_counts.write()
    assert DayReads.objects.get(day=date(2026, 11, 23)).reads == 1
    assert set(RecentReads.objects.values_list("tool", "tools_key", "reads")) == {
        (tool.pk, key, 3) for tool in pair
    }
    clock(NOW)
    settings.TRUSTED_PROXIES = ["192.0.1.7"]
    for address in ("198.51.100.1", "198.51.100.2"):
        read(x_forwarded_for=address)
    assert stored() == {key: 3}, "behind a trusted proxy the reader's network counts"


@pytest.mark.django_db(transaction=True)
def test_a_cached_page_and_its_revalidation_count_without_a_query(
    pair, page_cache, django_assert_num_queries
):
    path, name = "/compare/alpha-vs-beta/", {"user-agent": BROWSER}
    etag = Client().get(path, headers=name)["ETag"]
    with django_assert_num_queries(2):  # the content version, which each request looks up in tests
        assert read(network=2) == 200
        assert read(network=3, if_none_match=etag) == 304
    assert list(stored().values()) == [3]


def test_a_tool_renamed_before_the_numbers_are_written_is_left_out(pair):
    make.tool(slug="gamma")
    for path in ("/compare/alpha-vs-beta/", "/compare/beta-vs-gamma/"):
        assert read(path) == 200
    pair[0].rename("omega")
    assert len(stored()) == 1


def test_while_the_database_fails_pages_work_and_numbers_wait(pair, monkeypatch, caplog):
    def fails(*args: object) -> None:
        raise DatabaseError("gone")

    with monkeypatch.context() as broken:
        broken.setattr(DayReadsQuerySet, "add", fails)
        for network in (1, 2):
            assert read(network=network) == 200
            read_counts.write()
    assert caplog.text.count("were not written") == 1
    assert list(stored().values()) == [2]


def test_memory_and_the_reads_of_one_network_are_limited(pair, monkeypatch):
    for slug in ("b", "c", "d", "gamma"):
        make.tool(slug=slug)
    with monkeypatch.context() as limits:
        limits.setattr(module, "MAX_UNWRITTEN", 1)
        read("/compare/alpha-vs-gamma/")
        read()
        read("/compare/alpha-vs-gamma/", network=2)
        assert list(stored().values()) == [2]
        limits.setattr(module, "MAX_READER_HASHES", 2)
        read("/compare/alpha-vs-gamma/", network=2)
        assert list(stored().values()) == [3], "forgotten networks count again"
    DayReads.objects.all().delete()
    read_counts.reset()
    monkeypatch.setattr(module, "MAX_PER_NETWORK", 2)
    for slug in ("b", "c", "d"):
        read(f"/compare/alpha-vs-{slug}/")
        read(f"/compare/alpha-vs-{slug}/", network=2)
    assert sorted(stored().values()) == [2, 2]


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_the_thread_writes_the_counted_reads(pair, rf):
    counts = ReadCounts()
    for address in ("192.0.1.7", "192.0.2.7"):
        sent = {"headers": {"user-agent": BROWSER}, "REMOTE_ADDR": address}
        counts.count(rf.get("/compare/alpha-vs-beta/", **sent))
    assert [thread.name for thread in threading.enumerate()].count("read-counts") == 1
    counts.stop()
    assert DayReads.objects.get().reads == 2


@pytest.mark.both_databases
def test_recent_sums_lose_the_days_that_are_no_longer_recent(pair):
    key = tools_key(tool.pk for tool in pair)
    other = str(make.tool().pk)
    today = NOW.date()
    days = {(today, key): 2, (today - timedelta(days=90), key): 5}
    DayReads.objects.add(days | {(today - timedelta(days=91), key): 7})
    DayReads.objects.add({(today - timedelta(days=300), other): 4})
    assert DayReads.objects.delete_old(NOW) == 0
    assert set(RecentReads.objects.values_list("tools_key", "reads")) == {(key, 7)}
    assert DayReads.objects.delete_old(NOW + timedelta(days=101)) == 1
    assert not RecentReads.objects.exists()


@pytest.mark.both_databases
def test_the_most_read_comparisons_of_a_tool_or_of_all_tools_come_first(pair):
    (alpha, beta), gamma = pair, make.tool()
    numbers = {(alpha, beta): 5, (alpha, gamma): 9, (beta, gamma): 7, (alpha, beta, gamma): 2}
    today = NOW.date()
    DayReads.objects.add(
        {(today, tools_key(tool.pk for tool in row)): number for row, number in numbers.items()}
    )
    most = recent_reads.most_read
    assert list(most([alpha.pk]).values()) == [9, 5], "two reads are no habit"
    assert list(most([]).values()) == [9, 7, 5]
    assert list(most([tool.pk for tool in pair]).values()) == [9, 7, 5]
    [read] = RecentReads.objects.most_read([alpha.pk], 1).values()
    assert list(read.values()) == [9]
