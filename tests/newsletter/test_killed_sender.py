"""The sender is killed at every point around acceptance: no address gets an issue twice."""

import re
from itertools import cycle, islice

from django.db import connection

from shipskip.jobs.timetable import NEWSLETTER
from shipskip.newsletter.models import Delivery, Issue
from tests import factories as make
from tests.newsletter.fork_server import ForkServer
from tests.newsletter.killing_server import POINTS, killing_server
from tests.newsletter.sending_site import (  # noqa: F401
    database_url,
    subscribers,
)

READERS = 1_000
KILLS = 30
BETWEEN = READERS // (KILLS + 1)


def states() -> dict[str, set[str]]:
    """The addresses by the state of their delivery."""
    found: dict[str, set[str]] = {}
    for state, address in Delivery.objects.values_list("state", "subscriber__address"):
        found.setdefault(state, set()).add(address)
    return found


def test_thirty_killed_senders_duplicate_no_mail_and_lose_none(database_url: str):  # noqa: F811
    """Every mail is accepted at most once, unknown mails are listed, and the others are sent."""
    everybody = {row.address for row in subscribers(READERS)}
    make.issue(scheduled_at=make.PUBLISHED)
    with killing_server() as server, ForkServer(database_url, server.port) as fork_server:
        for number, point in enumerate(islice(cycle(POINTS), KILLS)):
            _wait_for_the_lock()
            server.kill_at = (server.received + BETWEEN - number % 3, point)
            status = fork_server.run("newsletter --once", server.set_client)
            assert status == -9, f"it should be killed at {point}"
        assert server.received < READERS
        _wait_for_the_lock()
        fork_server.output("newsletter", "--once")
        after_all = states()
        listed = fork_server.output("resolve_deliveries")
        output_of_run = fork_server.output("newsletter", "--once")
        once = set(server.accepted)

        assert max(server.accepted.values()) == 1
        assert set(after_all) <= {"sent", "unknown"}
        unknown = after_all.get("unknown", set())
        assert after_all["sent"] | unknown == everybody
        assert after_all["sent"] <= once
        assert everybody - once <= unknown
        # A mail whose sender was killed before acceptance is always unknown; after it, usually.
        before = sum(point in POINTS[:4] for point in islice(cycle(POINTS), KILLS))
        assert before <= len(unknown) <= KILLS
        assert f"{len(unknown)} unknown." in listed
        assert len(re.findall("^[0-9]+  ", listed, re.M)) == len(unknown)
        assert "Sent 0," in output_of_run
        assert Issue.objects.get().state == "sent"
        print(
            f"\n{KILLS} kills, {READERS} readers: {len(after_all['sent'])} sent, "
            f"{len(unknown)} unknown ({len(unknown & once)} of them accepted), none twice"
        )

        _resolve_with_the_server_s_log(fork_server, once)
        assert set(server.accepted) == everybody
        assert max(server.accepted.values()) == 1


def _wait_for_the_lock() -> None:
    """Wait until PostgreSQL has ended the session of the killed sender, which held the lock."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [NEWSLETTER.lock_number])
            cursor.execute("SELECT pg_advisory_unlock(%s)", [NEWSLETTER.lock_number])


def _resolve_with_the_server_s_log(fork_server: ForkServer, once: set[str]) -> None:
    """Do what an operator does: mark as sent what is in the server's log, send the others again."""
    unknown = Delivery.objects.unknown()
    accepted = unknown.filter(subscriber__address__in=once).values_list("pk", flat=True)
    numbers = [str(pk) for pk in accepted]
    if numbers:
        fork_server.output("resolve_deliveries", "--sent", *numbers)
    fork_server.output("resolve_deliveries", "--again", "--all")
    fork_server.output("newsletter", "--once")
    assert set(states()) == {"sent"}
