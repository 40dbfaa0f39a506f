"""The claims of senders on mails, and what happens to the mails of a killed sender."""

import socket
from datetime import timedelta
from itertools import pairwise
from threading import Event

import pytest
from django.core.management import call_command

from shipskip.newsletter.delivery import claims, sending
from shipskip.newsletter.models import Delivery, DeliveryState
from tests import factories as make
from tests.newsletter.deliveries import NOW, send, states
from tests.newsletter.smtp_server import (
    MAILBOX_BUSY,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("full_speed")]


def test_a_stopped_sender_finishes_the_current_mail_and_frees_the_rest(issue, mail_server):
    for _ in range(4):
        make.subscriber()
    stop = Event()
    sender = sending.Sender("here:1:a", rate=0, stop=stop, on_result=lambda _: stop.set())
    sender.send(make.frozen(issue, NOW))
    assert sorted(states().values()) == ["sent", "waiting", "waiting", "waiting"]
    assert not Delivery.objects.filter(state=DeliveryState.WAITING).exclude(claimed_by="").exists()
    send()
    assert len({to for to, _ in mail_server.accepted_mails}) == len(mail_server.accepted_mails) == 4


def claimed(name: str, *states: str) -> list[int]:
    """Mails that a sender claimed at NOW, one in each of these states."""
    keys = list(Delivery.objects.order_by("pk").values_list("pk", flat=True))[: len(states)]
    for key, state in zip(keys, states, strict=True):
        Delivery.objects.filter(pk=key).update(state=state, claimed_by=name, started_at=NOW)
    return keys


def test_a_running_sender_keeps_its_claims_and_a_dead_one_loses_them(issue):
    for _ in range(4):
        make.subscriber()
    make.frozen(issue, NOW)
    begun, reserved = claimed("elsewhere:1:a", "sending", "waiting")
    assert claims.end_abandoned_claims(NOW + claims.CLAIM_TIMEOUT) == 0
    assert claims.active_senders() == {"elsewhere:1:a"}
    assert claims.end_abandoned_claims(NOW + claims.CLAIM_TIMEOUT + timedelta(seconds=1)) == 1
    rows = {row.pk: row for row in Delivery.objects.all()}
    assert (rows[begun].state, rows[begun].reason) == (DeliveryState.UNKNOWN, claims.SENDER_DIED)
    assert (rows[reserved].state, rows[reserved].claimed_by) == (DeliveryState.WAITING, "")
    assert claims.active_senders() == set()


def test_a_sender_on_this_machine_without_a_process_has_no_claims(issue):
    for _ in range(2):
        make.subscriber()
    make.frozen(issue, NOW)
    claimed(f"{socket.gethostname()[:80]}:{2**22 + 1}:a", "sending", "waiting")
    assert claims.end_abandoned_claims(NOW) == 1
    assert sorted(states().values()) == [DeliveryState.UNKNOWN, DeliveryState.WAITING]
    assert claims.active_senders() == set()


def test_mails_claimed_on_another_machine_are_free_when_the_claim_expires(
    issue, mail_server, clock
):
    for _ in range(3):
        make.subscriber()
    make.frozen(issue, NOW)
    claimed("elsewhere:1:a", "waiting", "waiting")
    send()
    assert len(mail_server.accepted_mails) == 1
    clock(NOW + claims.CLAIM_TIMEOUT + timedelta(seconds=1))
    send()
    assert len({to for to, _ in mail_server.accepted_mails}) == len(mail_server.accepted_mails) == 3


def test_a_sender_that_lost_a_claim_does_not_send_the_mail(issue, mail_server):
    for _ in range(3):
        make.subscriber()
    frozen, last = make.frozen(issue, NOW), Delivery.objects.order_by("-pk")[0]

    def lose_claim(_):
        Delivery.objects.filter(pk=last.pk, state="waiting").update(claimed_by="elsewhere:1:a")

    sending.Sender("here:1:a", rate=0, stop=Event(), on_result=lose_claim).send(frozen)
    assert len(mail_server.accepted_mails) == 2
    last.refresh_from_db()
    assert (last.state, last.claimed_by) == (DeliveryState.WAITING, "elsewhere:1:a")


def test_at_most_four_senders_work_at_once(issue, mail_server, capsys):
    for _ in range(claims.MAX_SENDERS + 1):
        make.subscriber()
    make.frozen(issue, NOW)
    keys = Delivery.objects.values_list("pk", flat=True)[: claims.MAX_SENDERS]
    for number, key in enumerate(list(keys)):
        own = Delivery.objects.filter(pk=key)
        own.update(claimed_by=f"elsewhere:{number}:a", started_at=NOW)
    send()
    assert "4 senders are running already" in capsys.readouterr().out
    assert mail_server.accepted_mails == []


def test_a_sender_that_waits_for_a_mail_is_known_by_a_claim_on_it(
    issue, mail_server, monkeypatch, capsys
):
    mail_server.to_recipients[make.subscriber().address] = MAILBOX_BUSY
    seen = []

    class RecordingEvent(Event):
        def wait(self, timeout=None):
            seen.append((len(claims.active_senders()), timeout))
            call_command("send_newsletter")  # the mail is claimed by the sender that waits for it
            self.set()
            return True

    module = "shipskip.newsletter.management.commands.send_newsletter.Event"
    monkeypatch.setattr(module, RecordingEvent)
    call_command("send_newsletter")
    assert seen == [(1, sending.RETRY_DELAYS[0].total_seconds())]
    assert claims.active_senders() == set()


@pytest.mark.parametrize(("senders", "seconds"), [(1, 0.2), (4, 0.8)])
def test_senders_share_the_limit_of_mails_a_second(
    issue, mail_server, monkeypatch, senders, seconds
):
    for _ in range(6):
        make.subscriber()
    frozen = make.frozen(issue, NOW)
    for number in range(senders - 1):
        row = Delivery.objects.filter(claimed_by="").order_by("-pk")[0]
        name = f"elsewhere:{number}:a"
        Delivery.objects.filter(pk=row.pk).update(claimed_by=name, started_at=NOW)

    class Clock(Event):
        """Time passes only while the sender waits, and a little in each mail."""

        now = 100.0

        def wait(self, timeout=None):
            self.now += timeout or 0
            return False

        def pass_mail(self, _):
            moments.append(self.now)
            self.now += 0.05

    clock, moments = Clock(), list[float]()
    monkeypatch.setattr(sending, "monotonic", lambda: clock.now)
    sending.Sender("here:1:a", rate=5, stop=clock, on_result=clock.pass_mail).send(frozen)
    pauses = [after - before for before, after in pairwise(moments)]
    assert pauses == pytest.approx([seconds] * (6 - senders))


def test_an_accepted_mail_is_sent_even_if_its_state_was_unknown_meanwhile(issue, mail_server):
    make.subscriber()
    frozen = make.frozen(issue, NOW)

    class Slow(sending.Sender):
        def _save_result(self, row, result):
            Delivery.objects.update(state=DeliveryState.UNKNOWN)
            super()._save_result(row, result)

    Slow("here:1:a", rate=0, stop=Event(), on_result=lambda _: None).send(frozen)
    assert set(states().values()) == {DeliveryState.SENT}
