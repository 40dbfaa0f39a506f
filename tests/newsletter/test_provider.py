"""Sending through a mail provider: a real server of HTTP answers in Postmark's words."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from shipskip.newsletter.delivery.sending import RETRY_DELAYS
from shipskip.newsletter.models import Delivery
from tests import factories as make
from tests.free_port import free_port
from tests.http_server import Handler, running

pytestmark = pytest.mark.django_db

NOW = make.PUBLISHED + timedelta(days=6)
INACTIVE = "Found inactive addresses: inactive@example.org.\n Inactive recipients are ones that"
ANSWERS: dict[str, tuple[int, dict[str, Any], str, str]] = {
    "well": (200, {"ErrorCode": 0, "Message": "OK", "MessageID": "m-1"}, "sent", "confirmed"),
    "inactive": (422, {"ErrorCode": 406, "Message": INACTIVE}, "refused", "refused"),
    "large": (413, {}, "refused", "confirmed"),
    "often": (429, {}, "waiting", "confirmed"),
    "away": (503, {}, "waiting", "confirmed"),
    "broken": (500, {}, "unknown", "confirmed"),
}
"""By the name in an address: status and body; what becomes of the mail and the subscription."""


@contextmanager
def provider(answers: dict[str, tuple[int, dict[str, Any], str, str]]) -> Iterator[str]:
    """The address of a provider that answers so."""

    class Answers(Handler):
        def do_POST(self) -> None:
            to = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["To"]
            status, values, *_ = answers[to.partition("@")[0]]
            body = json.dumps(values | {"To": to}).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with running(Answers) as server:
        yield f"http://127.0.0.1:{server.server_port}"


@pytest.fixture
def send(settings, clock):
    """Send a due issue through the provider at an address."""
    settings.EMAIL_BACKEND = "anymail.backends.postmark.EmailBackend"
    settings.MAIL_PROVIDER, settings.MAILS_PER_SECOND = "postmark", 0
    clock(NOW)
    make.issue(scheduled_at=NOW - timedelta(minutes=1))

    def send_through(address: str) -> dict[str, Delivery]:
        settings.ANYMAIL = {"POSTMARK_SERVER_TOKEN": "token", "POSTMARK_API_URL": address}
        call_command("newsletter", "--once")
        rows = Delivery.objects.select_related("subscriber")
        return {row.subscriber.address.partition("@")[0]: row for row in rows}

    return send_through


def test_only_an_inactive_address_ends_the_subscription(send):
    for name in ANSWERS:
        make.subscriber(address=f"{name}@example.org")
    with provider(ANSWERS) as address:
        rows = send(address)
    for name, (*_, mail, subscription) in ANSWERS.items():
        row = rows[name]
        assert (row.state, row.subscriber.state) == (mail, subscription), name
        assert f"{name}@" not in row.reason + row.subscriber.ended_why
    assert rows["well"].message_id == "m-1"


def test_mails_wait_while_the_provider_is_away_or_refuses_the_login(send, clock):
    make.subscriber(address="ada@example.org")
    row = send(f"http://127.0.0.1:{free_port()}")["ada"]
    assert (row.state, row.next_at) == ("waiting", NOW + RETRY_DELAYS[0])
    clock(row.next_at)
    with (
        provider({"ada": (401, {}, "", "")}) as address,
        pytest.raises(CommandError, match="rejects our mails"),
    ):
        send(address)
    assert Delivery.objects.get().state == "waiting"
