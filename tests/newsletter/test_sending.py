"""Sending an issue through a real mail server that accepts, rejects, stalls and drops."""

import logging
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from itertools import pairwise
from threading import Event
from unittest.mock import Mock

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from shipskip.jobs.lock import LockLostError
from shipskip.newsletter.delivery import sending
from shipskip.newsletter.issues.scheduling import cancel
from shipskip.newsletter.management.commands.newsletter import Command
from shipskip.newsletter.models import Delivery, DeliveryState, Issue, Subscriber
from tests import factories as make
from tests.newsletter.readers import SITE
from tests.newsletter.smtp_server import (
    LOOKS_LIKE_SPAM,
    MAILBOX_BUSY,
    NO_SUCH_USER,
    RELAY_DENIED,
    TAKEN,
)
from tests.shared_database import at_once

pytestmark = pytest.mark.django_db
both_databases = pytest.mark.both_databases

NOW = make.PUBLISHED + timedelta(days=6)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def issue(db, settings, clock) -> Issue:
    """A due issue, which is sent without pauses."""
    settings.MAILS_PER_SECOND = 0
    clock(NOW)
    return make.issue(scheduled_at=NOW - MINUTE)


def subscribers(number: int) -> list[Subscriber]:
    return [make.subscriber() for _ in range(number)]


def send(*words: str) -> None:
    call_command("newsletter", "--once", *words)


def states() -> dict[str, str]:
    return dict(Delivery.objects.values_list("subscriber__address", "state"))


def recipients(mail_server) -> list[str]:
    return sorted(to for to, _ in mail_server.accepted_mails)


def sender_that(acts: Callable[[], object], *, rate: float = 0, stop: Event | None = None):
    return sending.Sender(
        lambda: None, rate=rate, stop=stop or Event(), on_result=lambda _: acts() and None
    )


@both_databases
def test_every_confirmed_reader_gets_it_once_with_their_own_link_to_unsubscribe(
    issue, mail_server, capsys, monkeypatch
):
    monkeypatch.setattr("shipskip.newsletter.delivery.transport.MAILS_PER_CONNECTION", 2)
    readers, waiting = subscribers(5), make.subscriber(state="waiting")
    send("--dry-run")
    assert "1 entries, 5 mails" in capsys.readouterr().out
    assert (mail_server.accepted_mails, Issue.objects.get().state) == ([], "scheduled")
    send()
    send()
    assert recipients(mail_server) == sorted(row.address for row in readers)
    for to, mail in mail_server.accepted_mails:
        reader = Subscriber.objects.get(address=to)
        others = [row.key for row in [*readers, waiting] if row != reader]
        assert not [key for key in others if key in mail.as_string()]
        assert mail["To"] == to
        kinds = {part.get_content_type() for part in mail.iter_parts()}
        assert kinds == {"text/plain", "text/html"}
        link = mail["List-Unsubscribe"].strip(" <>").removeprefix(SITE)
        stranger = Client(enforce_csrf_checks=True)
        assert stranger.post(link, {"List-Unsubscribe": "One-Click"}).status_code == 200
        reader.refresh_from_db()
        assert reader.state == "left"
    issue.refresh_from_db()
    assert (issue.state, issue.recipients, issue.accepted) == ("sent", 5, 5)


def test_only_an_unknown_user_ends_the_subscription_and_no_log_shows_an_address(
    issue, mail_server, capsys, caplog
):
    replies = {
        "no-such-user": (NO_SUCH_USER, TAKEN, "refused", "refused"),
        "relay-denied": (RELAY_DENIED, TAKEN, "refused", "confirmed"),
        "spam": (TAKEN, LOOKS_LIKE_SPAM, "refused", "confirmed"),
        "busy": (MAILBOX_BUSY, TAKEN, "waiting", "confirmed"),
        "well": (TAKEN, TAKEN, "sent", "confirmed"),
    }
    for name, (to_recipient, to_body, *_) in replies.items():
        address = make.subscriber(address=f"{name}@example.org").address
        mail_server.to_recipients[address] = to_recipient
        mail_server.to_bodies[address] = to_body
    with caplog.at_level(logging.DEBUG, logger="shipskip"):
        send()
    rows = {row.subscriber.address: row for row in Delivery.objects.select_related("subscriber")}
    output = capsys.readouterr()
    for name, (*_, mail, subscription) in replies.items():
        row = rows[f"{name}@example.org"]
        assert (row.state, row.subscriber.state) == (mail, subscription), name
        assert ("550 5.1.1" in row.subscriber.ended_why) == (subscription == "refused")
        texts = (row.reason, row.subscriber.ended_why, output.out, output.err, caplog.text)
        assert f"{name}@" not in "".join(texts)


def test_a_temporary_refusal_is_retried_after_growing_pauses(
    issue, mail_server, clock, monkeypatch
):
    monkeypatch.setattr(sending, "RETRY_DELAYS", [MINUTE, 5 * MINUTE])
    reader, soon_well = subscribers(2)
    clock(NOW - 2 * MINUTE)
    send()
    assert mail_server.offered == [], "it is not due yet"
    mail_server.to_recipients |= {reader.address: MAILBOX_BUSY, soon_well.address: MAILBOX_BUSY}
    pauses, now = [], NOW
    for _ in sending.RETRY_DELAYS:
        clock(now)
        send()
        row = Delivery.objects.get(subscriber=reader)
        assert row.state == "waiting"
        assert row.next_at
        pauses.append(row.next_at - now)
        clock(row.next_at - timedelta(seconds=1))
        send()
        assert Delivery.objects.get(subscriber=reader).attempts == len(pauses)
        now = row.next_at
        mail_server.to_recipients.pop(soon_well.address, None)
    assert pauses == [MINUTE, 5 * MINUTE]
    clock(now)
    send()
    row = Delivery.objects.get(subscriber=reader)
    assert (row.state, row.attempts) == ("refused", 3)
    assert "given up after 3 attempts: 450" in row.reason
    assert set(Subscriber.objects.values_list("state", flat=True)) == {"confirmed"}
    assert recipients(mail_server) == [soon_well.address]
    assert Issue.objects.get().state == "sent"


@pytest.mark.parametrize(
    ("answer", "error", "mails", "ended"),
    [
        pytest.param(NO_SUCH_USER, "3 mails in a row", "refused", 3, id="no"),
        pytest.param(MAILBOX_BUSY, "No mail server", "waiting", 0, id="busy"),
        pytest.param("drop", "3 mails in a row", "unknown", 0, id="dropped"),
    ],
)
def test_a_server_that_accepts_nothing_stops_the_run(
    issue, mail_server, monkeypatch, answer, error, mails, ended
):
    monkeypatch.setattr(sending, "MAX_IN_A_ROW", dict.fromkeys(sending.MAX_IN_A_ROW, 3))
    subscribers(5)
    mail_server.drop = answer == "drop"
    mail_server.to_recipients["*"] = TAKEN if mail_server.drop else answer
    with pytest.raises(CommandError, match=error):
        send()
    untried = Delivery.objects.filter(attempts=0, state="waiting")
    assert untried.count() == 2
    assert set(Delivery.objects.exclude(pk__in=untried).values_list("state", flat=True)) == {mails}
    assert Subscriber.objects.filter(state="refused").count() == ended


def test_a_connection_dropped_before_a_body_leaves_the_mail_waiting(issue, mail_server):
    subscribers(2)
    mail_server.drop_at_recipient = 2  # the body of the first mail went over this connection
    send()
    assert sorted(states().values()) == ["sent", "waiting"]


def test_without_a_server_everything_stays_waiting(issue, mail_server, settings):
    make.subscriber()
    settings.EMAIL_HOST_PASSWORD = "wrong"
    for name, value in (("EMAIL_HOST_USER", "me"), ("EMAIL_PORT", 1)):
        setattr(settings, name, value)
        with pytest.raises(CommandError, match="No mail server"):
            send()
        row = Delivery.objects.get()
        assert (row.state, row.attempts) == ("waiting", 0), name


@both_databases
@pytest.mark.parametrize("end", ["cancelled", "sent elsewhere"])
def test_a_sender_ends_after_the_current_mail(issue, mail_server, end):
    """One that a signal stops: test_two_senders.py."""
    subscribers(4)
    frozen = make.frozen(issue, NOW)
    act, others = {
        "cancelled": (lambda: cancel(frozen, NOW), "skipped"),
        "sent elsewhere": (lambda: Delivery.objects.update(state="sent"), "sent"),
    }[end]
    sender_that(act).send(frozen)
    assert Counter(states().values()) == Counter(["sent", others, others, others])
    send()
    assert len(mail_server.accepted_mails) == 1


@both_databases
def test_what_a_dead_sender_had_begun_is_unknown_and_who_left_gets_no_mail(
    issue, mail_server, capsys
):
    begun, waiting, left = subscribers(3)
    make.frozen(issue, NOW)
    Delivery.objects.filter(subscriber=begun).update(state="sending", started_at=NOW)
    Subscriber.objects.filter(pk=left.pk).update(state="left")
    send()
    expected = {begun.address: "unknown", waiting.address: "sent", left.address: "skipped"}
    assert states() == expected
    assert recipients(mail_server) == [waiting.address]
    assert Delivery.objects.get(subscriber=begun).reason == sending.SENDER_DIED
    assert "1 of its mails" in capsys.readouterr().err


@both_databases
def test_a_sender_that_lost_its_lock_writes_and_sends_nothing(issue, mail_server):
    make.subscriber()
    check_lock = Mock(side_effect=LockLostError)
    sender = sending.Sender(check_lock, rate=0, stop=Event(), on_result=Mock())
    with pytest.raises(LockLostError):
        sender.send(make.frozen(issue, NOW))
    assert set(states().values()) == {"waiting"}
    assert mail_server.accepted_mails == []


def test_a_sender_keeps_to_its_mails_a_second(issue, mail_server, monkeypatch):
    subscribers(6)

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


@both_databases
def test_between_the_mails_of_an_issue_another_that_is_due_is_not_forgotten(
    issue, mail_server, monkeypatch
):
    monkeypatch.setattr(sending, "MAILS_PER_ROUND", 2)
    subscribers(4)
    make.frozen(issue, NOW)
    other = make.issue(until=make.PUBLISHED + timedelta(days=13))
    found = []

    def schedule(*_: object) -> None:
        found.append(Issue.objects.get(pk=other.pk).state)
        Issue.objects.filter(pk=other.pk, frozen_at=None).update(scheduled_at=NOW)

    monkeypatch.setattr(Command, "_count", schedule)
    send()
    assert found[:4] == ["draft", "scheduled", "sending", "sending"]


@both_databases
def test_a_mail_whose_connection_was_dropped_during_its_body_waits_for_an_operator(
    issue, mail_server, capsys
):
    readers = subscribers(3)
    mail_server.drop = True
    send()
    mail_server.drop = False
    send()
    assert states() == {row.address: "unknown" for row in readers}
    assert mail_server.accepted_mails == []
    capsys.readouterr()
    call_command("resolve_deliveries")
    output = capsys.readouterr().out
    assert "3 unknown." in output
    assert all(row.masked in output and row.address not in output for row in readers)
    keys = [str(pk) for pk in Delivery.objects.order_by("pk").values_list("pk", flat=True)]
    call_command("resolve_deliveries", keys[0], "--sent")
    call_command("resolve_deliveries", keys[1], "--drop")
    call_command("resolve_deliveries", "--all", "--again")
    assert Issue.objects.get().state == "sending"
    send()
    found = Delivery.objects.order_by("pk").values_list("state", flat=True)
    assert list(found) == ["sent", "skipped", "sent"]
    assert recipients(mail_server) == [readers[2].address]
    assert Issue.objects.get().accepted == 2
    with pytest.raises(CommandError, match="not mails in state unknown"):
        call_command("resolve_deliveries", keys[0], "--again")
    with pytest.raises(CommandError, match="Give the numbers"):
        call_command("resolve_deliveries", "--sent")


@both_databases
def test_of_two_operators_at_once_one_decides(database):
    make.subscriber()
    make.frozen(make.issue(scheduled_at=NOW), NOW)
    decisions = [DeliveryState.SENT, DeliveryState.SKIPPED]
    for _ in range(3):
        Delivery.objects.update(state="unknown")
        resolve = Delivery.objects.all().resolve
        assert sum(at_once(*(partial(resolve, state, "", NOW) for state in decisions))) == 1
