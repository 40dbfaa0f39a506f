"""A page is of one content version, and changes when the content does."""

import logging
from collections.abc import Iterator
from datetime import timedelta
from threading import Event, Semaphore
from typing import Any
from unittest.mock import Mock

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from comparisons.models import recent_reads
from reviews.models import Take
from shipskip.content import current
from shipskip.content.content import Content, VersionChangedError
from shipskip.content.current import from_content
from shipskip.operations.observability import health
from shipskip.page_cache.content_version import current_version
from shipskip.page_cache.middleware import PageCache
from tests import addresses
from tests import factories as make
from tests.markup import read
from tests.waiting import WAIT
from tools.models import Tool

PAIR = "/compare/alpha-vs-beta/"


def kept_content() -> Content:
    return from_content(lambda content: content)


@pytest.fixture
def site(page_cache: PageCache) -> PageCache:
    """The sample site, whose content is kept."""
    addresses.sample_site()
    return page_cache


@pytest.mark.both_databases
def test_a_tool_is_read_in_full_once_and_of_no_later_version(site):
    make.attribute(kind="yes-no")
    content = kept_content()
    with CaptureQueriesContext(connection) as first:
        alpha, beta = content.full([content.by_slug["alpha"], content.by_slug["beta"]])
    with CaptureQueriesContext(connection) as second:
        assert content.full([content.by_slug["beta"]]) == [beta]
    # The version, then texts, takes, facts, plans and three kinds of changes.
    read = [row for row in first if row["sql"].startswith("SELECT")]
    assert (len(read), len(second)) == (8, 0)
    assert alpha.takes[0].body
    Tool.objects.filter(slug="gamma").update(description="New words")
    with pytest.raises(VersionChangedError):
        content.full([content.by_slug["gamma"]])
    with pytest.raises(VersionChangedError):
        content.fact_columns(content.attributes)


@pytest.mark.both_databases
@pytest.mark.parametrize("is_always", [False, True], ids=["once", "as at fifty writes a second"])
def test_a_page_during_which_the_content_changes_is_made_again_of_one_version(
    site, client, monkeypatch, is_always
):
    """The first attempt has the old name, and reads the tool in full after it was renamed. A page
    that never meets its version is made from a snapshot and not kept.
    """
    original = Content.full
    renamed: list[str] = []

    def rename_before(self: Content, tools):
        if not renamed or (is_always and self.number is not None):
            renamed.append(f"Renamed {len(renamed)}")
            Tool.objects.filter(slug="alpha").update(name=renamed[-1])
        return original(self, tools)

    monkeypatch.setattr(Content, "full", rename_before)
    monkeypatch.setattr(current, "PATIENCE", 0.01)
    page = read(client.get(PAIR))
    assert page.heading == f"{renamed[-1]} vs Beta"
    for name in ("card__name", "strip__name"):
        assert page.texts("p", class_=name) == [renamed[-1], "Beta"]
    assert len(renamed) > 1 or not is_always
    assert bool(site.others.pages or site.pages.pages) is not is_always
    monkeypatch.undo()
    with CaptureQueriesContext(connection) as found:
        client.get(PAIR)
    assert (len(found) == 1) is not is_always, "kept under the number that it shows"


def test_pages_whose_tools_are_in_memory_run_at_most_two_queries(site, client):
    """One for the tallies, one for recent reads that have expired, and in tests one that looks the
    version up.
    """
    for tool in Tool.objects.all():
        make.panel(on=tool, ship=2, skip=1)
    # The archive is no content; searches and names on a 404 page are searched.
    others = ("/search/", "/newsletter")
    paths = [path for path in addresses.PUBLIC.values() if not path.startswith(others)]
    paths += ["/tools/?entry=free&verdict=ship", f"{PAIR}?weigh-builder=3"]
    for path in paths:
        client.get(path)
    for path in paths:
        site.reset()
        recent_reads.reset()
        with CaptureQueriesContext(connection) as found:
            client.get(path)
        statements = [row["sql"] for row in found if "web_contentversion" not in row["sql"]]
        queries = [sql for sql in statements if sql.startswith("SELECT")]
        assert len(queries) <= 2, (path, queries)


def test_a_page_of_ten_full_tools_runs_as_many_queries_as_one_of_two(site, client):
    tools = [make.tool(slug=f"t-{number}") for number in range(10)]
    attributes = [make.attribute(kind="yes-no") for _ in range(6)]
    for number, tool in enumerate(tools):
        make.panel(on=tool, ship=1 if number < 2 else 4)
        for attribute in attributes[: 2 if number < 2 else 6]:
            make.fact(True, on=tool, to=attribute)
    queries = []
    for number in (2, 10):
        path = f"/compare/{'-vs-'.join(tool.slug for tool in tools[:number])}/"
        client.get(path)
        site.reset()
        with CaptureQueriesContext(connection) as found:
            assert client.get(path).status_code == 200
        queries.append(len(found))
    assert queries[0] == queries[1] <= 3


def names(client: Client) -> list[str]:
    """The names in the list of all tools, sorted."""
    return read(client.get("/tools/?sort=name")).texts("p", class_="tool-row__name")


@pytest.mark.both_databases
def test_each_kind_of_change_shows_at_once_in_lists_and_on_pages(site, client):
    tool, now = Tool.objects.get(slug="alpha"), timezone.now()
    for act, shown in (
        (list, ("Alpha", 200)),
        (lambda: Tool.objects.filter(pk=tool.pk).update(name="Alphabet"), ("Alphabet", 200)),
        (lambda: tool.withdraw(now), ("Beta", 404)),
        (lambda: tool.publish(now), ("Alphabet", 200)),
        (lambda: tool.remove(now), ("Beta", 404)),
        (tool.bring_back, ("Beta", 404)),
        (lambda: tool.publish(now), ("Alphabet", 200)),
    ):
        act()
        assert (names(client)[0], client.get("/tools/alpha/").status_code) == shown
    take = Take.objects.filter(tool__slug="alpha").first()
    assert take
    before = client.get("/tools/alpha/").content
    total = len(kept_content().by_slug["alpha"].takes)
    take.remove(now)
    assert client.get("/tools/alpha/").content != before
    assert len(kept_content().by_slug["alpha"].takes) == total - 1


@pytest.mark.both_databases
def test_in_a_transaction_the_content_is_its_own_and_not_kept(site, client):
    with transaction.atomic():
        make.tool(name="Only here")
        assert "Only here" in read(client.get("/tools/")).text
        transaction.set_rollback(True)
    assert "Only here" not in read(client.get("/tools/")).text


def test_if_building_fails_the_old_content_stays_and_ready_says_so_after_ten_seconds(
    site, monkeypatch, caplog
):
    client = Client(raise_request_exception=False)
    page = client.get(PAIR).content
    build = Mock(side_effect=RuntimeError("broken"))
    monkeypatch.setattr(current_version, "build", build)
    Tool.objects.filter(slug="alpha").update(name="Renamed")
    for _ in range(3):
        assert client.get(PAIR).content == page
    assert names(client)[0] == "Alpha", "a list that was not kept is made of the old content"
    unread = client.get("/compare/alpha-vs-gamma/")
    assert unread.status_code == 503, "what is read on demand would be of another version"
    assert build.call_count >= 3, "each request of a process without threads tries again"
    errors = [row for row in caplog.records if "No new content" in row.message]
    assert [row.levelno for row in errors] == [logging.ERROR], "logged once"
    ready = client.get("/readyz")
    assert (ready.status_code, ready.json()["content"]) == (200, "ok")
    monkeypatch.setattr(health, "MAX_BEHIND", -1)
    ready = client.get("/readyz")
    assert (ready.status_code, ready.json()["content"]) == (503, "outdated")
    build.side_effect = Content
    assert b"Renamed" in client.get(PAIR).content
    monkeypatch.undo()
    assert client.get("/readyz").json()["content"] == "ok"


class SlowBuild(Event):
    """A builder whose builds, after the first, wait until this event is set."""

    def __init__(self) -> None:
        super().__init__()
        self.builds, self.second_began = 0, Event()

    def __call__(self, *arguments: Any) -> Content:
        self.builds += 1
        if self.builds > 1:
            self.second_began.set()
            self.wait(WAIT)
        return Content(*arguments)


@pytest.fixture
def slow_build(database: None, site: PageCache, monkeypatch) -> Iterator[SlowBuild]:
    """In the background as in production."""
    may_end = SlowBuild()
    monkeypatch.setattr(current_version, "build", may_end)
    current_version.reset()
    current_version.in_background = True
    yield may_end
    may_end.set()
    current_version.stop()
    current_version.in_background = False


@pytest.fixture
def look_ups(monkeypatch) -> Semaphore:
    """Released after each look-up; the work that releases it fails."""
    ended = Semaphore(0)

    def fail() -> None:
        ended.release()
        raise ValueError("not of the database")

    monkeypatch.setattr(current_version, "_also", [fail])
    return ended


def wait_for_rename(client: Client, look_ups: Semaphore) -> None:
    for _ in range(WAIT):
        if b"Renamed" in client.get(PAIR).content:
            return
        assert look_ups.acquire(timeout=WAIT)
    raise AssertionError("no new content")


@pytest.mark.both_databases
def test_readers_see_the_old_page_while_the_next_content_is_built(slow_build, site, look_ups):
    """The look-up goes on after an error of other work in the background."""
    client = Client()
    assert b"Alpha" in client.get(PAIR).content
    Tool.objects.filter(slug="alpha").update(name="Renamed")
    assert slow_build.second_began.wait(WAIT)
    site.reset()
    assert b"Renamed" not in client.get(PAIR).content, "its tools are in memory"
    assert names(client) == ["Alpha", "Beta", "Gamma"], "a list too, with its version"
    slow_build.set()
    wait_for_rename(client, look_ups)
    assert names(client) == ["Beta", "Gamma", "Renamed"]
    while look_ups.acquire(blocking=False):
        pass
    for _ in range(2):
        assert look_ups.acquire(timeout=WAIT)
    assert slow_build.builds == 2, "look-ups during a build do not ask for another"


def test_each_day_is_a_version_because_pages_tell_ages_in_days(site, client, clock):
    tool = Tool.objects.get(slug="alpha")
    today = timezone.now()
    kind = make.attribute(kind="yes-no")
    make.fact(True, on=tool, to=kind, source="https://a.example/", checked_on=today.date())
    assert "months ago" not in client.get("/tools/alpha/").content.decode()
    clock(today + timedelta(days=400))
    assert "13 months ago" in client.get("/tools/alpha/").content.decode()
