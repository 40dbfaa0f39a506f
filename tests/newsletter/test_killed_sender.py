"""The sender is killed at every point around acceptance: no address gets an issue twice.

`KILLS=30` kills more often.
"""

import os
import re
from itertools import cycle, islice

from django.db import connection

from shipskip.jobs.timetable import NEWSLETTER
from shipskip.newsletter.models import Delivery, Issue
from tests import factories as make
from tests.newsletter.sender_processes import Sender, database_url, subscribers  # noqa: F401
from tests.newsletter.smtp_server import POINTS, running

KILLS = int(os.environ.get("KILLS", 12))
BETWEEN = 32
READERS = BETWEEN * (KILLS + 1)


def states() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for state, address in Delivery.objects.values_list("state", "subscriber__address"):
        found.setdefault(state, set()).add(address)
    return found


def test_killed_senders_duplicate_no_mail_and_lose_none(database_url: str):  # noqa: F811
    everybody = {row.address for row in subscribers(READERS)}
    make.issue(scheduled_at=make.PUBLISHED)
    points = list(islice(cycle(POINTS), KILLS))
    assert set(points) == set(POINTS)
    with running() as server:

        def output(*words: str) -> str:
            return Sender(database_url, server.port).start(*words).output()

        for number, point in enumerate(points):
            _wait_for_the_lock()
            server.kill_at = (server.received + BETWEEN - number % 3, point)
            sender = Sender(database_url, server.port)
            sender.start("newsletter", "--once", on_start=server.set_client)
            assert sender.exit_status() == -9, f"it should be killed at {point}"
        assert server.received < READERS
        _wait_for_the_lock()
        output("newsletter", "--once")
        after_all = states()
        listed = output("resolve_deliveries")
        assert "Sent 0," in output("newsletter", "--once")
        once = set(server.accepted)
        assert max(server.accepted.values()) == 1
        assert set(after_all) <= {"sent", "unknown"}
        unknown = after_all.get("unknown", set())
        assert after_all["sent"] | unknown == everybody
        assert after_all["sent"] <= once
        assert everybody - once <= unknown
        # A mail whose sender was killed before acceptance is always unknown; after it, usually.
        before = sum(point in POINTS[:4] for point in points)
        assert before <= len(unknown) <= KILLS
        assert f"{len(unknown)} unknown." in listed
        assert len(re.findall("^[0-9]+  ", listed, re.M)) == len(unknown)
        assert Issue.objects.get().state == "sent"
        print(
            f"\n{KILLS} kills, {READERS} readers: {len(after_all['sent'])} sent, "
            f"{len(unknown)} unknown ({len(unknown & once)} of them accepted), none twice"
        )

        # An operator marks as sent what is in the server's log, and sends the others again.
        accepted = Delivery.objects.unknown().filter(subscriber__address__in=once)
        if numbers := [str(pk) for pk in accepted.values_list("pk", flat=True)]:
            output("resolve_deliveries", "--sent", *numbers)
        output("resolve_deliveries", "--again", "--all")
        output("newsletter", "--once")
        assert set(states()) == {"sent"}
        assert set(server.accepted) == everybody
        assert max(server.accepted.values()) == 1


def _wait_for_the_lock() -> None:
    """Wait until PostgreSQL has ended the session of the killed sender, which held the lock."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [NEWSLETTER.lock_number])
            cursor.execute("SELECT pg_advisory_unlock(%s)", [NEWSLETTER.lock_number])
