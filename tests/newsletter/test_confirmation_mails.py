"""Confirmation mails with a real mail server that accepts, rejects, stalls and drops."""

import re
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from shipskip.jobs.models import JobRun
from shipskip.newsletter.models import Confirmation, Subscriber
from shipskip.newsletter.subscribers import confirmations, subscription
from tests import factories as make
from tests.newsletter.readers import ADDRESS, join, links
from tests.newsletter.sending_site import database_url  # noqa: F401 - fixtures
from tests.newsletter.smtp_server import LOOKS_LIKE_SPAM, MAILBOX_BUSY, NO_SUCH_USER, RELAY_DENIED

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_join_confirm_and_leave_with_what_stands_in_the_mail_alone(mail_server):
    join("Ada@Bücher.example")
    ((recipient, sent),) = mail_server.accepted_mails
    assert recipient == sent["To"] == "Ada@xn--bcher-kva.example"
    assert sent["Auto-Submitted"] == "auto-generated"
    assert sent.get_content_type() == "text/plain"
    confirm, forget = links(sent.get_content())
    Client().post(confirm)
    assert Subscriber.objects.get().state == "confirmed"
    Client().post(forget)
    assert not Subscriber.objects.exists()


@pytest.mark.parametrize(
    ("to_recipients", "to_bodies", "state"),
    [
        ({ADDRESS: MAILBOX_BUSY}, {}, "waiting"),
        ({ADDRESS: RELAY_DENIED}, {}, "waiting"),
        ({ADDRESS: "552 5.2.2 mailbox full"}, {}, "waiting"),
        ({}, {ADDRESS: LOOKS_LIKE_SPAM}, "waiting"),
        ({}, {ADDRESS: "451 try later"}, "waiting"),
        ({ADDRESS: NO_SUCH_USER}, {}, "refused"),
    ],
    ids=["busy", "relay denied", "full", "spam", "later", "no such user"],
)
def test_what_is_not_taken_is_tried_again_unless_there_is_no_such_user(
    mail_server, clock, to_recipients, to_bodies, state
):
    now = timezone.now()
    mail_server.to_recipients, mail_server.to_bodies = to_recipients, to_bodies
    assert join().status_code == 303
    assert Subscriber.objects.get().state == state
    assert "ada" not in Subscriber.objects.get().ended_why
    mail_server.to_recipients, mail_server.to_bodies = {}, {}
    assert confirmations.send_unsent(now + timedelta(minutes=1)).sent == 0
    assert not mail_server.accepted_mails
    retried = int(state == "waiting")
    assert confirmations.send_unsent(now + timedelta(minutes=6)).sent == retried
    assert confirmations.send_unsent(now + timedelta(minutes=12)).sent == 0
    assert len(mail_server.accepted_mails) == retried


@pytest.mark.parametrize("failure", ["drop", "stall", "closed"])
def test_if_the_mail_server_fails_the_request_is_stored_and_the_reader_sees_no_error(
    mail_server, settings, failure
):
    mail_server.drop, mail_server.stall = failure == "drop", failure == "stall"
    if failure == "stall":
        settings.EMAIL_TIMEOUT = 0.5
    if failure == "closed":
        settings.EMAIL_PORT = 1
    assert join().status_code == 303
    row = Confirmation.objects.get()
    assert (row.sent_at, row.ended_at) == (None, None)
    assert not mail_server.accepted_mails


def test_a_mail_is_tried_for_two_days_and_counted(mail_server):
    now = timezone.now()
    make.confirmation(asked_at=now - timedelta(hours=49))
    make.confirmation(asked_at=now - timedelta(hours=47))
    assert confirmations.unsent_counts(now) == {"waiting": 1, "given up": 1}
    assert confirmations.send_unsent(now) == confirmations.Attempts(sent=1, failed=0)
    assert confirmations.unsent_counts(now) == {"waiting": 0, "given up": 1}


def test_a_mail_server_that_is_down_is_not_asked_for_every_mail(mail_server, settings):
    now = timezone.now()
    for _ in range(confirmations.MAX_FAILURES_IN_A_ROW + 2):
        make.confirmation(asked_at=now)
    mail_server.to_recipients["*"] = MAILBOX_BUSY
    attempts = confirmations.send_unsent(now + timedelta(minutes=6))
    assert attempts == confirmations.Attempts(sent=0, failed=confirmations.MAX_FAILURES_IN_A_ROW)
    assert len(mail_server.offered) == confirmations.MAX_FAILURES_IN_A_ROW


def test_two_senders_at_the_same_time_send_one_mail(mail_server):
    row = make.confirmation()
    assert [confirmations.send(row.pk), confirmations.send(row.pk)] == [True, False]
    assert len(mail_server.accepted_mails) == 1


def test_a_mail_to_who_was_forgotten_meanwhile_is_not_sent(mail_server):
    row = make.confirmation()
    subscription.forget(row.subscriber, timezone.now())
    assert not confirmations.send(row.pk)
    assert not mail_server.accepted_mails


def test_no_reader_waits_for_a_mail_server_that_stalls(
    database_url,  # noqa: F811
    mail_server,
    settings,
    monkeypatch,
):
    monkeypatch.setattr(confirmations, "in_background", True)
    mail_server.stall, settings.EMAIL_TIMEOUT = True, 300
    assert join().status_code == 303  # the reader has the answer, and the server is still silent
    assert not mail_server.accepted_mails
    mail_server.stall = False
    limit = time.monotonic() + 300
    while not mail_server.accepted_mails and time.monotonic() < limit:
        time.sleep(0.05)
    assert len(mail_server.accepted_mails) == 1


def test_a_full_queue_accepts_no_mail_and_the_next_run_sends_it(
    database_url,  # noqa: F811
    mail_server,
    monkeypatch,
):
    monkeypatch.setattr(confirmations, "in_background", True)
    acquired = [confirmations._queue.acquire(blocking=False) for _ in range(60)]
    try:
        assert join().status_code == 303
        assert Confirmation.objects.get().sent_at is None
    finally:
        for _ in range(sum(acquired)):
            confirmations._queue.release()
    assert sum(acquired) == confirmations.MAX_QUEUED
    assert confirmations.send_unsent(timezone.now() + timedelta(minutes=6)).sent == 1


def test_without_a_mail_server_a_mail_is_a_file_and_its_path_is_printed(settings, tmp_path, capsys):
    settings.EMAIL_BACKEND = "shipskip.newsletter.delivery.mail_files.EmailBackend"
    settings.EMAIL_FILE_PATH = tmp_path / "mail"
    join()
    printed = re.fullmatch(r"Mail written to (\S+)\n", capsys.readouterr().out)
    assert printed
    path = Path(printed[1])
    assert path.stat().st_mode & 0o077 == 0
    (confirm, _) = links(path.read_text())
    assert Client().post(confirm).status_code == 303
    assert list(path.parent.iterdir()) == [path]


def test_the_timer_s_command_sends_late_mails():
    make.confirmation(asked_at=timezone.now() - timedelta(hours=1))
    call_command("work")
    assert Confirmation.objects.unsent().count() == 0
    assert len(mail.outbox) == 1


def test_a_run_in_which_every_confirmation_mail_failed_is_a_failure(
    mail_server, settings, tmp_path
):
    settings.VAR_DIR = tmp_path
    now = timezone.now()
    make.confirmation(asked_at=now - timedelta(hours=1))
    make.confirmation(asked_at=now - timedelta(hours=49))
    mail_server.to_recipients["*"] = MAILBOX_BUSY
    with pytest.raises(CommandError, match="1 are waiting, 1 are given up"):
        call_command("work")
    assert JobRun.objects.get(job="work").failure.startswith("No confirmation mail could be sent")
    mail_server.to_recipients = {}
    call_command("work")
    assert len(mail_server.accepted_mails) == 1
    assert Confirmation.objects.unsent().count() == 1
