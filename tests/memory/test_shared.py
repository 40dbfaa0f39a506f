"""Redis behind the memory: pages made once for all processes, and never needed."""

from time import monotonic

import pytest

from shipskip.web.caching import Notes
from shipskip.web.memory import counts
from shipskip.web.memory.kept import Page
from shipskip.web.memory.knowledge import known
from shipskip.web.memory.middleware import Memory, memory
from shipskip.web.memory.shared import LEFT_ALONE, decode, encode
from tests.memory.conftest import OwnRedis
from tests.reviews.voters import cast
from tests.site import addresses
from tools.models import Tool

PAIR = "/compare/alpha-vs-beta/"


@pytest.fixture
def shared(page_memory: Memory, settings, own_redis: OwnRedis) -> OwnRedis:
    """Pages come from memory, with a Redis behind it."""
    settings.CACHE_URL = own_redis.url
    page_memory.set_up()
    addresses.world()
    return own_redis


def in_another_process() -> None:
    """What follows is asked of a process that has just started."""
    memory.forget()
    memory.set_up()


def outcome(client, path: str) -> str:
    """How a page came about."""
    before = dict(counts)
    assert client.get(path).status_code == 200
    changed = [key for key in counts if counts[key] != before.get(key, 0) and key != "stale"]
    return changed[0]


def test_a_page_is_rendered_once_for_all_processes(client, shared, django_assert_num_queries):
    for path in (PAIR, "/", "/tools/", "/sitemap.xml", "/compare/beta-vs-alpha/"):
        in_another_process()
        made = client.get(path, headers={"accept-encoding": "gzip"})
        in_another_process()
        known.look()
        with django_assert_num_queries(2 + (path == PAIR)):  # a look, and whether tallies joined
            found = client.get(path, headers={"accept-encoding": "gzip"})
        assert found.headers == made.headers
        assert (found.status_code, found.content) == (made.status_code, made.content)
        assert counts["shared"] > 0


def test_a_change_is_seen_by_the_others(client, shared):
    assert outcome(client, PAIR) == "miss"
    in_another_process()
    Tool.objects.filter(slug="alpha").update(name="Renamed")
    assert outcome(client, PAIR) == "miss"
    assert b"Renamed" in client.get(PAIR).content


def test_a_vote_is_seen_by_the_others(client, shared):
    assert outcome(client, PAIR) == "miss"
    cast(Tool.objects.get(slug="alpha"), "ship")
    in_another_process()
    assert outcome(client, PAIR) == "miss"
    assert b"1 ship / 0 skip" in client.get(PAIR).content


def test_another_release_or_another_setting_shares_nothing(client, shared, settings):
    assert outcome(client, PAIR) == "miss"
    settings.SITE_URL = "https://other.example"
    in_another_process()
    assert outcome(client, PAIR) == "miss"


def test_queries_and_numbers_of_all_votes_are_not_shared(client, shared):
    for path in ("/tools/?sort=name", "/methodology/"):
        assert outcome(client, path) == "miss"
        in_another_process()
        assert outcome(client, path) == "miss"
    kept = [key for key in shared.client.keys("*") if not key.endswith(b":turn")]
    assert kept == []


def test_what_was_not_found_makes_nobody_wait(client, shared):
    client.get("/tools/unknown/")
    assert shared.client.keys("*:turn") == []


def test_a_page_of_another_process_is_waited_for_but_not_for_ever(client, shared):
    known.look()
    client.get(PAIR)
    name = next(key for key in shared.client.keys("*") if not key.endswith(b":turn"))
    shared.client.delete(name)
    in_another_process()
    shared.client.set(name + b":turn", b"", px=2_000)
    assert outcome(client, PAIR) == "miss"


@pytest.mark.parametrize("junk", [b"", b"{}", b"junk\n", b'{"status": 200}\n', b"\xff\n\x00"])
def test_junk_in_redis_is_a_miss(client, shared, junk):
    client.get(PAIR)
    for key in shared.client.keys("*"):
        shared.client.set(key, junk)
    in_another_process()
    assert outcome(client, PAIR) == "miss"


def turn_into_lists(server: OwnRedis) -> None:
    for key in server.client.keys("*"):
        server.client.delete(key)
        server.client.lpush(key, "x")


FAULTS = {
    "dead": lambda server: server.kill(),
    "frozen": lambda server: server.freeze(),
    "paused": lambda server: server.client.execute_command("CLIENT", "PAUSE", 10_000, "ALL"),
    "full": lambda server: server.client.config_set("maxmemory", "1"),
    "locked": lambda server: server.client.config_set("requirepass", "x"),
    "holding lists": turn_into_lists,
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_redis_in_trouble_is_a_miss_and_a_line_in_the_log(
    client, shared, fault, caplog, monkeypatch
):
    monkeypatch.setattr("shipskip.web.memory.shared.LEFT_ALONE", 1000)
    client.get(PAIR)
    fault(shared)
    in_another_process()
    # A full one still gives what it holds.
    assert outcome(client, PAIR) == ("shared" if fault is FAULTS["full"] else "miss")
    assert outcome(client, PAIR) == "hit"
    for path in ("/", "/tools/", "/reviewers/"):
        assert outcome(client, path) == "miss"
    lines = [row for row in caplog.records if "Redis is left alone" in row.getMessage()]
    assert len(lines) == 1
    assert memory.shared._again > monotonic(), "nobody waits for it again"


def test_a_redis_that_comes_back_is_used_again(client, shared):
    shared.kill()
    assert outcome(client, PAIR) == "miss"
    shared.start()
    memory.shared._again -= LEFT_ALONE
    assert outcome(client, "/tools/") == "miss"
    in_another_process()
    assert outcome(client, "/tools/") == "shared"


def test_a_page_goes_to_bytes_and_back():
    page = Page(200, {"x-a": ("X-A", "é")}, b"<p>\xc3\xa9</p>" * 90, Notes(tallies={3, 1}))
    page.began = 5.5
    back = decode(encode(page))
    assert back
    for name in ("status", "headers", "body", "etag", "began", "notes"):
        assert getattr(back, name) == getattr(page, name)
