"""Two senders as processes at once."""

from shipskip.newsletter.delivery import claims
from shipskip.newsletter.models import Delivery, DeliveryState, Issue
from tests import factories as make
from tests.newsletter.killing_server import killing_server
from tests.newsletter.sending_site import (  # noqa: F401
    command,
    database_url,
    subscribers,
)

READERS = 100


def test_two_senders_at_once_share_the_work_and_duplicate_nothing(database_url: str):  # noqa: F811
    everybody = {row.address for row in subscribers(READERS)}
    make.issue(scheduled_at=make.PUBLISHED)
    with killing_server() as server:
        senders = [command(database_url, server.port, "send_newsletter") for _ in range(2)]
        outputs = [sender.communicate(timeout=600) for sender in senders]
        assert [sender.returncode for sender in senders] == [0, 0], outputs
        assert set(server.accepted) == everybody
        assert max(server.accepted.values()) == 1
    names = set(Delivery.objects.values_list("claimed_by", flat=True))
    assert "" not in names
    assert set(Delivery.objects.values_list("state", flat=True)) == {DeliveryState.SENT}
    assert Issue.objects.get().accepted == READERS
    assert claims.active_senders() == set()
