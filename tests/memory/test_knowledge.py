"""The look: once a second, by one thread, and calm while the database does not answer."""

import logging
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from time import sleep

import pytest
from django.db import connection

from shipskip.web.memory import counts, knowledge
from shipskip.web.memory.knowledge import known
from shipskip.web.memory.middleware import memory
from shipskip.web.memory.turns import Turns
from tests.reviews.voters import cast
from tests.site import addresses
from tools.models import Tool

PAIR = "/compare/alpha-vs-beta/"


def test_a_process_looks_at_most_once_a_second(client, page_memory, django_assert_num_queries):
    addresses.world()
    client.get(PAIR)
    known.interval = 1000
    known.look_at = 0
    with django_assert_num_queries(2):  # the version, and which tallies joined
        client.get(PAIR)
    with django_assert_num_queries(0):
        for _ in range(5):
            assert client.get(PAIR).status_code == 200


def test_a_comparison_that_is_not_at_hand_asks_four_times(
    client, page_memory, django_assert_num_queries
):
    addresses.world()
    known.interval = 1000
    known.look()
    with django_assert_num_queries(4):
        client.get(PAIR)


def test_within_a_second_a_change_is_seen(client, page_memory):
    addresses.world()
    known.interval = 1
    client.get(PAIR)
    Tool.objects.filter(slug="alpha").update(name="Renamed")
    sleep(1)
    assert b"Renamed" in client.get(PAIR).content


def test_while_the_database_does_not_answer_pages_stay_as_known(client, page_memory, caplog):
    addresses.world()
    page = client.get(PAIR).content
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE web_contentversion RENAME TO out_of_reach")
    try:
        caplog.clear()
        assert client.get(PAIR).content == page
        assert [row.levelno for row in caplog.records] == [logging.WARNING]
        assert "pages stay as known" in caplog.text
        known.forget()
        before = counts["miss"]
        assert client.get(PAIR).status_code == 200
        assert counts["miss"] == before + 1, "nothing is known, so nothing is believed"
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE out_of_reach RENAME TO web_contentversion")
    assert client.get(PAIR).content == page


def test_when_too_many_tallies_joined_every_page_with_tallies_is_made_anew(
    client, page_memory, monkeypatch
):
    addresses.world()
    monkeypatch.setattr(knowledge, "MOST", 1)
    client.get("/tools/gamma/")
    client.get("/tools/")
    for slug in ("alpha", "beta"):
        cast(Tool.objects.get(slug=slug), "ship")
    before = counts["miss"]
    client.get("/tools/")
    assert counts["miss"] == before
    client.get("/tools/gamma/")
    assert counts["miss"] == before + 1


def test_one_renders_and_the_others_wait_for_it():
    turns, ready, made = Turns(), Barrier(8), []

    def ask(_: int) -> bool:
        ready.wait()
        with turns.taken("/") as ours:
            if ours:
                sleep(0.2)
                made.append("page")
            else:
                assert made == ["page"]
            return ours

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(8)))
    assert sum(found) == 1


def test_who_waits_too_long_renders_too(monkeypatch):
    from shipskip.web.memory import turns as module

    monkeypatch.setattr(module, "PATIENCE", 0.01)
    turns = Turns()
    with turns.taken("/") as first, turns.taken("/") as second, turns.taken("/other/") as third:
        assert (first, second, third) == (True, False, True)


def test_a_renderer_that_fails_gives_its_turn_back():
    turns = Turns()
    with pytest.raises(ZeroDivisionError), turns.taken("/"):
        1 / 0  # noqa: B018
    with turns.taken("/") as ours:
        assert ours


def test_with_no_memory_each_page_is_rendered_and_still_revalidates(client, page_memory, settings):
    settings.PAGE_MEMORY_MB = 0
    memory.set_up()
    addresses.world()
    tag = client.get(PAIR)["ETag"]
    before = counts["hit"]
    assert client.get(PAIR, headers={"if-none-match": tag}).status_code == 304
    assert counts["hit"] == before
    assert len(memory.plain) == 0
