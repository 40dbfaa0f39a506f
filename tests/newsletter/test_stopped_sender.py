"""A sender as a process that a signal stops."""

import signal
import time

from shipskip.newsletter.models import Delivery, DeliveryState
from tests import factories as make
from tests.newsletter.killing_server import killing_server
from tests.newsletter.sending_site import (  # noqa: F401
    command,
    database_url,
    run,
    subscribers,
)

READERS = 100


def test_sigterm_stops_a_sender_after_the_current_mail(database_url: str):  # noqa: F811
    subscribers(READERS)
    make.issue(scheduled_at=make.PUBLISHED)
    with killing_server() as server:
        sender = command(database_url, server.port, "newsletter", MAILS_PER_SECOND="20")
        deadline = time.monotonic() + 300
        while len(server.accepted) < 3 and time.monotonic() < deadline:
            time.sleep(0.02)
        sender.send_signal(signal.SIGTERM)
        output, errors = sender.communicate(timeout=600)
        assert sender.returncode == 0, errors
        sent = len(server.accepted)
        assert 3 <= sent < READERS
        assert f"Stopped. Sent {sent}," in output
        states = Delivery.objects.values_list("state", flat=True)
        assert sorted(set(states)) == ["sent", "waiting"]
        assert Delivery.objects.filter(state=DeliveryState.SENT).count() == sent
        run(database_url, server.port, "newsletter", "--once")
        assert len(server.accepted) == READERS
        assert max(server.accepted.values()) == 1
