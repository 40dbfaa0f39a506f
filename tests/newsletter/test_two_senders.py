"""The lock of the one sender, and two senders as processes at once."""

from time import monotonic, sleep

import pytest
from django.db import connection

from shipskip.jobs.lock import LockLostError, job_lock
from shipskip.jobs.timetable import NEWSLETTER
from shipskip.newsletter.models import Delivery, DeliveryState, Issue
from tests import factories as make
from tests.newsletter.killing_server import killing_server
from tests.newsletter.sending_site import (  # noqa: F401
    command,
    database_url,
    run,
    subscribers,
)

pytestmark = pytest.mark.both_databases

READERS = 100


def test_of_two_senders_at_once_one_sends_and_the_other_says_so(database_url: str):  # noqa: F811
    everybody = {row.address for row in subscribers(READERS)}
    make.issue(scheduled_at=make.PUBLISHED)
    with killing_server() as server:
        senders = [command(database_url, server.port, "newsletter") for _ in range(2)]
        outputs = [sender.communicate(timeout=600) for sender in senders]
        assert [sender.returncode for sender in senders] == [0, 0], outputs
        assert set(server.accepted) == everybody
        assert max(server.accepted.values()) == 1
        with job_lock(NEWSLETTER) as check_lock:
            assert check_lock
            check_lock()
            output = run(database_url, server.port, "newsletter")
            assert output == "Another process is sending: this one leaves the work to it.\n"
        assert "Sent 0," in run(database_url, server.port, "newsletter")
    assert set(Delivery.objects.values_list("state", flat=True)) == {DeliveryState.SENT}
    assert Issue.objects.get().accepted == READERS


def test_with_its_connection_a_sender_loses_the_lock(database_url: str):  # noqa: F811
    if connection.vendor != "postgresql":
        pytest.skip("beside SQLite the lock is a file's: only the process itself can lose it")
    with job_lock(NEWSLETTER) as check_lock:
        assert check_lock
        connection.connection.close()
        connection.close()  # back to the pool, which discards it
        with pytest.raises(LockLostError):
            check_lock()
        # The server frees the lock once it has noticed that the connection is closed.
        end = monotonic() + 60
        while not (is_free := _is_lock_free()) and monotonic() < end:
            sleep(0.05)
        assert is_free


def _is_lock_free() -> bool:
    with job_lock(NEWSLETTER) as check_lock:
        return check_lock is not None
