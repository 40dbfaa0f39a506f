"""Sending an issue through a real mail server that accepts, rejects, stalls and drops."""

import logging
import smtplib
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from threading import Event

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client

from shipskip.jobs.lock import LockLostError
from shipskip.newsletter.delivery import sending
from shipskip.newsletter.issues.scheduling import cancel
from shipskip.newsletter.management.commands.newsletter import Command
from shipskip.newsletter.models import Delivery, DeliveryState, Issue, Subscriber
from shipskip.web.mail_refusals import Outcome
from tests import factories as make
from tests.newsletter.deliveries import MINUTE, NOW, send, states
from tests.newsletter.smtp_server import (
    LOOKS_LIKE_SPAM,
    MAILBOX_BUSY,
    NO_SUCH_USER,
    RELAY_DENIED,
)

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("full_speed"),
    pytest.mark.both_databases,
]


def sender_that(acts: Callable[[], object], *, rate: float = 0, stop: Event | None = None):
    """A sender that acts after each mail."""
    return sending.Sender(
        lambda: None, rate=rate, stop=stop or Event(), on_result=lambda _: acts() and None
    )


def test_every_confirmed_reader_gets_it_once_with_their_own_link(issue, mail_server):
    readers = [make.subscriber() for _ in range(5)]
    waiting = make.subscriber(state="waiting")
    send()
    send()
    assert sorted(to for to, _ in mail_server.accepted_mails) == sorted(
        row.address for row in readers
    )
    for to, mail in mail_server.accepted_mails:
        own = Subscriber.objects.get(address=to).key
        others = [row.key for row in [*readers, waiting] if row.key != own]
        whole = mail.as_string()
        assert own in mail["List-Unsubscribe"]
        assert not [key for key in others if key in whole]
        assert mail["To"] == to
        assert {part.get_content_type() for part in mail.iter_parts()} == {
            "text/plain",
            "text/html",
        }
    issue.refresh_from_db()
    assert (issue.state, issue.recipients, issue.accepted) == ("sent", 5, 5)


def test_the_header_of_the_mail_is_enough_to_unsubscribe(issue, mail_server):
    reader = make.subscriber()
    send()
    link = (
        mail_server.last()["List-Unsubscribe"]
        .strip(" <>")
        .removeprefix("https://shiporskip.example")
    )
    stranger = Client(enforce_csrf_checks=True)
    assert stranger.get(link).status_code == 200
    reader.refresh_from_db()
    assert reader.state == "confirmed"
    answer = stranger.post(link, {"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200
    reader.refresh_from_db()
    assert reader.state == "left"


def test_a_dry_run_sends_nothing_and_changes_nothing(issue, mail_server, capsys):
    make.subscriber()
    send("--dry-run")
    assert "1 entries, 1 mails" in capsys.readouterr().out
    assert mail_server.accepted_mails == []
    issue.refresh_from_db()
    assert issue.state == "scheduled"


def test_an_issue_that_is_not_due_is_not_sent(mail_server, clock):
    make.subscriber()
    make.issue(scheduled_at=NOW + MINUTE)
    send()
    assert mail_server.accepted_mails == []
    clock(NOW + 2 * MINUTE)
    send()
    assert len(mail_server.accepted_mails) == 1


def test_a_temporary_refusal_is_retried_after_growing_pauses(issue, mail_server, clock):
    reader = make.subscriber()
    mail_server.to_recipients[reader.address] = MAILBOX_BUSY
    pauses, now = [], NOW
    for _ in sending.RETRY_DELAYS:
        clock(now)
        send()
        row = Delivery.objects.get()
        assert row.state == DeliveryState.WAITING
        assert row.next_at
        pauses.append(row.next_at - now)
        clock(row.next_at - timedelta(seconds=1))
        send()
        assert Delivery.objects.get().attempts == len(pauses)
        now = row.next_at
    assert pauses == sending.RETRY_DELAYS == sorted(sending.RETRY_DELAYS)
    clock(now)
    send()
    row = Delivery.objects.get()
    assert (row.state, row.attempts) == (DeliveryState.REFUSED, len(pauses) + 1)
    assert "given up after 9 attempts: 450" in row.reason
    reader.refresh_from_db()
    assert reader.state == "confirmed"
    assert Issue.objects.get().state == "sent"


def test_a_busy_mailbox_gets_the_mail_at_the_next_attempt(issue, mail_server, clock):
    reader = make.subscriber()
    mail_server.to_recipients[reader.address] = MAILBOX_BUSY
    send()
    mail_server.to_recipients.clear()
    clock(NOW + 2 * MINUTE)
    send()
    assert [to for to, _ in mail_server.accepted_mails] == [reader.address]
    assert Issue.objects.get().state == "sent"


def test_a_permanent_refusal_ends_the_subscription_with_its_reason(issue, mail_server):
    forgotten, other = make.subscriber(address="gone@example.org"), make.subscriber()
    mail_server.to_recipients[forgotten.address] = NO_SUCH_USER
    send()
    forgotten.refresh_from_db()
    assert forgotten.state == "refused"
    assert "550 5.1.1" in forgotten.ended_why
    row = Delivery.objects.get(subscriber=forgotten)
    assert row.state == DeliveryState.REFUSED
    assert "gone@" not in forgotten.ended_why + row.reason
    assert states()[other.address] == DeliveryState.SENT


@pytest.mark.parametrize("answer", [RELAY_DENIED, LOOKS_LIKE_SPAM])
def test_a_refusal_because_of_the_sender_ends_no_subscription(issue, mail_server, answer):
    reader = make.subscriber()
    where = mail_server.to_recipients if answer == RELAY_DENIED else mail_server.to_bodies
    where["*"] = answer
    send()
    assert states() == {reader.address: DeliveryState.REFUSED}
    reader.refresh_from_db()
    assert reader.state == "confirmed"


def test_a_server_that_refuses_every_address_ends_few_subscriptions(issue, mail_server):
    most = sending.MAX_IN_A_ROW[Outcome.ADDRESS_REJECTED]
    for _ in range(most + 10):
        make.subscriber()
    mail_server.to_recipients["*"] = NO_SUCH_USER
    with pytest.raises(CommandError, match="20 mails in a row"):
        send()
    assert Subscriber.objects.filter(state="refused").count() == most
    assert Delivery.objects.filter(state=DeliveryState.WAITING).count() == 10


def test_a_server_that_is_busy_for_all_recipients_gets_few_attempts(issue, mail_server):
    for _ in range(30):
        make.subscriber()
    mail_server.to_recipients["*"] = MAILBOX_BUSY
    with pytest.raises(CommandError, match="No mail server"):
        send()
    assert Delivery.objects.filter(attempts=0).count() == 10


def test_a_connection_dropped_during_a_body_leaves_the_mail_unknown_and_it_is_not_retried(
    issue, mail_server, capsys
):
    reader = make.subscriber()
    mail_server.drop = True
    send()
    mail_server.drop = False
    send()
    assert states() == {reader.address: DeliveryState.UNKNOWN}
    assert mail_server.accepted_mails == []
    call_command("resolve_deliveries")
    output = capsys.readouterr().out
    assert "1 unknown." in output
    assert reader.address not in output
    assert reader.masked in output


def test_a_connection_dropped_before_a_body_leaves_the_mail_waiting(issue, mail_server):
    for _ in range(2):
        make.subscriber()
    mail_server.drop_at_recipient = 2  # the body of the first mail went over this connection
    send()
    assert sorted(states().values()) == [DeliveryState.SENT, DeliveryState.WAITING]


def test_a_server_that_stalls_on_a_body_leaves_it_unknown(issue, mail_server, monkeypatch):
    make.subscriber()
    send_all = smtplib.SMTP.send

    def send_impatiently(self: smtplib.SMTP, s: bytes | str) -> None:
        """Shorten only the wait after a body: on a busy machine a well server is slow too."""
        send_all(self, s)
        if isinstance(s, bytes) and self.sock:
            assert self.sock.gettimeout() == settings.EMAIL_TIMEOUT
            self.sock.settimeout(0.1)

    monkeypatch.setattr(smtplib.SMTP, "send", send_impatiently)
    mail_server.stall = True
    send()
    assert set(states().values()) == {DeliveryState.UNKNOWN}


def test_connections_dropped_during_every_body_stop_the_run(issue, mail_server):
    for _ in range(9):
        make.subscriber()
    mail_server.drop = True
    with pytest.raises(CommandError, match="5 mails in a row"):
        send()
    assert sorted(states().values()) == ["unknown"] * 5 + ["waiting"] * 4


def test_no_server_leaves_everything_waiting(issue, settings):
    make.subscriber()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    with pytest.raises(CommandError, match="No mail server"):
        send()
    row = Delivery.objects.get()
    assert (row.state, row.attempts) == (DeliveryState.WAITING, 0)


def test_a_reader_who_unsubscribes_between_snapshot_and_sending_gets_no_mail(issue, mail_server):
    reader, other = make.subscriber(), make.subscriber()
    make.frozen(issue, NOW)
    Subscriber.objects.filter(pk=reader.pk).update(state="left")
    send()
    assert [to for to, _ in mail_server.accepted_mails] == [other.address]
    assert states()[reader.address] == DeliveryState.SKIPPED


def test_a_cancelled_issue_stops_after_the_current_mail(issue, mail_server):
    for _ in range(4):
        make.subscriber()
    frozen = make.frozen(issue, NOW)
    sender_that(lambda: cancel(frozen, NOW)).send(frozen)
    assert sorted(states().values()) == ["sent", "skipped", "skipped", "skipped"]
    assert len(mail_server.accepted_mails) == 1


def test_a_stopped_sender_finishes_the_current_mail_and_leaves_the_rest(issue, mail_server):
    for _ in range(4):
        make.subscriber()
    stop = Event()
    sender_that(stop.set, stop=stop).send(make.frozen(issue, NOW))
    assert sorted(states().values()) == ["sent", "waiting", "waiting", "waiting"]
    send()
    assert len({to for to, _ in mail_server.accepted_mails}) == len(mail_server.accepted_mails) == 4


def test_what_a_dead_sender_had_begun_is_unknown_and_the_rest_is_sent(issue, mail_server, capsys):
    begun, waiting = make.subscriber(), make.subscriber()
    make.frozen(issue, NOW)
    Delivery.objects.filter(subscriber=begun).update(state="sending", started_at=NOW)
    send()
    assert states() == {begun.address: "unknown", waiting.address: "sent"}
    assert Delivery.objects.get(subscriber=begun).reason == sending.SENDER_DIED
    assert "A sender died: 1 of its mails" in capsys.readouterr().err


def test_a_sender_that_lost_its_lock_writes_and_sends_nothing(issue, mail_server):
    make.subscriber()
    frozen = make.frozen(issue, NOW)

    def check_lock():
        raise LockLostError

    sender = sending.Sender(check_lock, rate=0, stop=Event(), on_result=lambda _: None)
    with pytest.raises(LockLostError):
        sender.send(frozen)
    assert set(states().values()) == {"waiting"}
    assert mail_server.accepted_mails == []


def test_a_sender_keeps_to_its_mails_a_second(issue, mail_server, monkeypatch):
    for _ in range(6):
        make.subscriber()

    class Clock(Event):
        """Time passes only while the sender waits, and a little in each mail."""

        now = 100.0

        def wait(self, timeout=None):
            self.now += timeout or 0
            return False

    clock, moments = Clock(), list[float]()

    def pass_mail():
        moments.append(clock.now)
        clock.now += 0.05

    monkeypatch.setattr(sending, "monotonic", lambda: clock.now)
    sender_that(pass_mail, rate=5, stop=clock).send(make.frozen(issue, NOW))
    pauses = [after - before for before, after in pairwise(moments)]
    assert pauses == pytest.approx([0.2] * 5)


def test_between_the_mails_of_an_issue_another_that_is_due_is_not_forgotten(
    issue, mail_server, monkeypatch, capsys
):
    monkeypatch.setattr(sending, "MAILS_PER_ROUND", 2)
    for _ in range(4):
        make.subscriber()
    make.frozen(issue, NOW)
    other = make.issue(until=make.PUBLISHED + timedelta(days=13))
    found = []

    def schedule(result: object) -> None:
        found.append(Issue.objects.get(pk=other.pk).state)
        Issue.objects.filter(pk=other.pk, frozen_at=None).update(scheduled_at=NOW)

    monkeypatch.setattr(Command, "_count", lambda self, result: schedule(result))
    send()
    assert found[:4] == ["draft", "scheduled", "sending", "sending"]


def test_more_mails_than_one_connection_carries_go_over_several(issue, mail_server, monkeypatch):
    monkeypatch.setattr("shipskip.newsletter.delivery.transport.MAILS_PER_CONNECTION", 2)
    for _ in range(5):
        make.subscriber()
    send()
    assert set(states().values()) == {DeliveryState.SENT}


def test_an_operator_resolves_unknown_mails(issue, mail_server, capsys):
    readers = [make.subscriber() for _ in range(3)]
    mail_server.drop = True
    send()
    mail_server.drop = False
    keys = list(Delivery.objects.unknown().order_by("pk").values_list("pk", flat=True))
    assert len(keys) == 3
    call_command("resolve_deliveries", str(keys[0]), "--sent")
    call_command("resolve_deliveries", str(keys[1]), "--drop")
    call_command("resolve_deliveries", "--all", "--again")
    assert Issue.objects.get().state == "sending"
    send()
    found = dict(Delivery.objects.values_list("pk", "state"))
    assert found == dict(zip(keys, ["sent", "skipped", "sent"], strict=True))
    assert [to for to, _ in mail_server.accepted_mails] == [readers[2].address]
    assert Issue.objects.get().accepted == 2
    with pytest.raises(CommandError, match="are not mails in state unknown"):
        call_command("resolve_deliveries", str(keys[0]), "--again")
    with pytest.raises(CommandError, match="Give the numbers"):
        call_command("resolve_deliveries", "--sent")


def test_no_address_is_in_the_output_or_a_log(issue, mail_server, capsys, caplog):
    reader = make.subscriber(address="secret.person@example.org")
    mail_server.to_recipients[reader.address] = NO_SUCH_USER
    with caplog.at_level(logging.DEBUG, logger="shipskip"):
        send()
    output = capsys.readouterr()
    assert "secret.person" not in output.out + output.err + caplog.text


def test_after_a_refused_login_the_mails_stay_waiting(issue, mail_server, settings):
    make.subscriber()
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "me", "wrong"
    with pytest.raises(CommandError, match="No mail server"):
        send()
    assert set(states().values()) == {DeliveryState.WAITING}
