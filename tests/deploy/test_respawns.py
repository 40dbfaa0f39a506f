"""When a server gives up replacing a worker."""

from shipskip import granian_server
from shipskip.granian_server import MAX_DEATHS, WINDOW_SECONDS, Respawns


def test_a_place_may_lose_its_worker_a_few_times_a_minute_and_each_place_counts_apart(monkeypatch):
    now = 1_000.0
    monkeypatch.setattr(granian_server, "monotonic", lambda: now)
    respawns = Respawns()

    def is_loop(place: int) -> bool:
        return now - respawns.get(place, 0) <= 5.5

    for _ in range(MAX_DEATHS - 1):
        now += 1
        assert not is_loop(0)
        assert not is_loop(1)
        respawns.clear()
        respawns[0] = now
    assert is_loop(0)
    now += WINDOW_SECONDS + 1
    assert not is_loop(1)
