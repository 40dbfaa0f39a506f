"""Senders as processes: two at once, one that a signal stops, and one that loses the lock."""

import signal
from collections import Counter

import pytest
from django.db import connection

from shipskip.jobs.lock import LockLostError, job_lock
from shipskip.jobs.timetable import NEWSLETTER
from shipskip.newsletter.models import Delivery, Issue
from tests import factories as make
from tests.newsletter.sender_processes import Sender, database_url, subscribers  # noqa: F401
from tests.newsletter.smtp_server import running
from tests.waiting import wait_until

pytestmark = pytest.mark.both_databases

READERS = 30


def test_of_two_senders_at_once_one_sends_and_the_other_says_so(database_url: str):  # noqa: F811
    everybody = {row.address for row in subscribers(READERS)}
    make.issue(scheduled_at=make.PUBLISHED)
    with running() as server:
        senders = [Sender(database_url, server.port).start("newsletter") for _ in range(2)]
        assert all(sender.output() for sender in senders)
        assert set(server.accepted) == everybody
        assert max(server.accepted.values()) == 1
        with job_lock(NEWSLETTER) as check_lock:
            assert check_lock
            check_lock()
            output = Sender(database_url, server.port).start("newsletter").output()
            assert output == "Another process is sending: this one leaves the work to it.\n"
    assert set(Delivery.objects.values_list("state", flat=True)) == {"sent"}
    assert Issue.objects.get().accepted == READERS


def test_sigterm_stops_a_sender_after_the_current_mail(database_url: str):  # noqa: F811
    subscribers(5)
    make.issue(scheduled_at=make.PUBLISHED)
    with running() as server:
        server.kill_at, server.signal = (3, "accepted"), signal.SIGTERM
        sender = Sender(database_url, server.port)
        assert "Stopped. Sent 3," in sender.start("newsletter", on_start=server.set_client).output()
        assert len(server.accepted) == 3
        states = Counter(Delivery.objects.values_list("state", flat=True))
        assert states == {"sent": 3, "waiting": 2}


def test_with_its_connection_a_sender_loses_the_lock(database_url: str):  # noqa: F811
    if connection.vendor != "postgresql":
        pytest.skip("beside SQLite the lock is a file's: only the process itself can lose it")
    with job_lock(NEWSLETTER) as check_lock:
        assert check_lock
        connection.connection.close()
        connection.close()  # back to the pool, which discards it
        with pytest.raises(LockLostError):
            check_lock()

        def is_free() -> bool:
            with job_lock(NEWSLETTER) as check_lock:
                return check_lock is not None

        wait_until(is_free)  # the server frees it once it has noticed that the connection is closed
