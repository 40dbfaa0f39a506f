"""Confirmation mails with a real mail server that accepts, rejects, stalls and drops."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from shipskip.jobs.models import JobRun
from shipskip.newsletter.models import Confirmation, Subscriber
from shipskip.newsletter.subscribers import confirmations, subscription
from tests import factories as make
from tests.newsletter.readers import ADDRESS, join, links
from tests.newsletter.smtp_server import LOOKS_LIKE_SPAM, MAILBOX_BUSY, NO_SUCH_USER
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


@pytest.mark.parametrize("answer", [LOOKS_LIKE_SPAM, NO_SUCH_USER, "drop"])
def test_what_is_not_taken_is_tried_again_unless_there_is_no_such_user(mail_server, answer):
    """The reader sees no error. Each kind of refusal: test_sending.py."""
    now, state = timezone.now(), "refused" if answer == NO_SUCH_USER else "waiting"
    mail_server.drop = answer == "drop"
    replies = mail_server.to_recipients if answer == NO_SUCH_USER else mail_server.to_bodies
    replies[ADDRESS] = answer
    assert join().status_code == 303
    subscriber, row = Subscriber.objects.get(), Confirmation.objects.get()
    assert (subscriber.state, row.sent_at) == (state, None)
    assert "ada" not in subscriber.ended_why
    mail_server.drop = False
    replies.clear()
    sent = [confirmations.send_unsent(now + minutes * MINUTE).sent for minutes in (1, 6, 12)]
    assert sent == [0, int(state == "waiting"), 0]
    assert len(mail_server.accepted_mails) == sum(sent)


def test_a_mail_is_tried_for_two_days_and_a_run_in_which_all_failed_is_a_failure(
    mail_server, settings, tmp_path
):
    settings.VAR_DIR = tmp_path
    now = timezone.now()
    for hours in (49, 47):
        make.confirmation(asked_at=now - hours * HOUR)
    assert confirmations.unsent_counts(now) == {"waiting": 1, "given up": 1}
    mail_server.to_recipients["*"] = MAILBOX_BUSY
    with pytest.raises(CommandError, match="1 are waiting, 1 are given up"):
        call_command("work")
    assert "confirmation mail" in JobRun.objects.get(job="work").failure
    mail_server.to_recipients = {}
    call_command("work")
    assert confirmations.unsent_counts(now) == {"waiting": 0, "given up": 1}
    assert len(mail_server.accepted_mails) == 1


def test_a_mail_server_that_is_down_is_not_asked_for_every_mail(mail_server):
    now, most = timezone.now(), confirmations.MAX_FAILURES_IN_A_ROW
    for _ in range(most + 2):
        make.confirmation(asked_at=now)
    mail_server.to_recipients["*"] = MAILBOX_BUSY
    attempts = confirmations.send_unsent(now + 6 * MINUTE)
    assert attempts == confirmations.Attempts(sent=0, failed=most)
    assert len(mail_server.offered) == most


@pytest.mark.both_databases
def test_two_senders_send_one_mail_and_none_to_who_was_forgotten_meanwhile(mail_server):
    row, forgotten = make.confirmation(), make.confirmation()
    assert [confirmations.send(row.pk), confirmations.send(row.pk)] == [True, False]
    subscription.forget(forgotten.subscriber, timezone.now())
    assert not confirmations.send(forgotten.pk)
    assert len(mail_server.accepted_mails) == 1


@pytest.mark.both_databases
def test_no_reader_waits_for_a_mail_server_that_stalls(
    database, mail_server, settings, monkeypatch
):
    monkeypatch.setattr(confirmations, "in_background", True)
    mail_server.stall, settings.EMAIL_TIMEOUT = True, 300
    assert join().status_code == 303  # the reader has the answer, and the server is still silent
    assert not mail_server.accepted_mails
    mail_server.stall = False
    wait_until(lambda: mail_server.accepted_mails)
    assert len(mail_server.accepted_mails) == 1


def test_a_full_queue_accepts_no_mail_and_the_next_run_sends_it(mail_server, monkeypatch):
    monkeypatch.setattr(confirmations, "in_background", True)
    acquired = [confirmations._queue.acquire(blocking=False) for _ in range(60)]
    try:
        assert join().status_code == 303
        assert Confirmation.objects.get().sent_at is None
    finally:
        for _ in range(sum(acquired)):
            confirmations._queue.release()
    assert sum(acquired) == confirmations.MAX_QUEUED
    assert confirmations.send_unsent(timezone.now() + 6 * MINUTE).sent == 1


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
