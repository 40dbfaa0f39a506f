"""Confirmation mails: their content, and sending them in a thread so that no reader waits."""

import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import BoundedSemaphore

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import connection
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from shipskip.newsletter.models import Confirmation, SubscriberState
from shipskip.newsletter.subscribers import subscription
from shipskip.web.mail_refusals import Outcome, refusal_from

logger = logging.getLogger(__name__)

MAX_QUEUED = 50
"""Mails that wait for the thread of one process; further ones wait for `manage.py work`."""
MAX_FAILURES_IN_A_ROW = 3
RETRY_AFTER = timedelta(minutes=2)
RETRY_UNTIL = timedelta(days=2)

in_background = True
"""Whether `dispatch` uses a thread; in tests without one it sends at once."""
_queue = BoundedSemaphore(MAX_QUEUED)
_thread = ThreadPoolExecutor(1, thread_name_prefix="confirmations")
"""The thread of this process that sends; it starts with the first mail. Exit waits for it."""


def dispatch(confirmation: Confirmation) -> None:
    """Try to send a confirmation mail once, in this process's thread.

    So the response time is the same whether or not an address gets a mail (no timing attack), and a
    slow mail server delays no reader. `send_unsent` retries failed mails.
    """
    if not in_background:
        send(confirmation.pk)
    elif _queue.acquire(blocking=False):
        _thread.submit(_send_in_thread, confirmation.pk)


def send(pk: int) -> bool:
    """Send one confirmation mail; return whether it was accepted. A permanent rejection ends the
    request to join.

    Errors are logged with their class and the server's code, never with the address.
    """
    # Claim the mail before sending it, so that two concurrent processes send one mail. If the
    # process dies in between, none is sent, and the reader has to enter the address again.
    if not Confirmation.objects.unclaimed().filter(pk=pk).update(sent_at=timezone.now()):
        return False
    confirmation = Confirmation.objects.select_related("subscriber").get(pk=pk)
    try:
        build_mail(confirmation).send()
    except Exception as error:
        refusal = refusal_from(error)
        logger.warning("A confirmation mail was not accepted: %s", refusal.reason)
        Confirmation.objects.filter(pk=pk).update(sent_at=None)
        if refusal.outcome is Outcome.ADDRESS_REJECTED:
            subscription.refuse(confirmation.subscriber, refusal.reason, timezone.now())
        return False
    return True


@dataclass
class Attempts:
    """The confirmation mails of one run: how many were sent, and how many were not."""

    sent: int = 0
    failed: int = 0


def send_unsent(now: datetime) -> Attempts:
    """Retry the unsent mails of the last two days.

    A few failures in a row end the run, so that a mail server that is down is not asked for each
    mail. The order is random, so that no mail keeps the others waiting for ever.
    """
    attempts, failures_in_a_row = Attempts(), 0
    late = Confirmation.objects.unsent().requested_after(now - RETRY_UNTIL)
    for pk in late.requested_until(now - RETRY_AFTER).order_by("?").values_list("pk", flat=True):
        if send(pk):
            attempts.sent += 1
            failures_in_a_row = 0
        else:
            attempts.failed += 1
            failures_in_a_row += 1
        if failures_in_a_row == MAX_FAILURES_IN_A_ROW:
            break
    return attempts


def unsent_counts(now: datetime) -> dict[str, int]:
    """How many mails wait for the next run, and how many are given up until `tidy` deletes them."""
    unsent, oldest = Confirmation.objects.unsent(), now - RETRY_UNTIL
    return {
        "waiting": unsent.requested_after(oldest).count(),
        "given up": unsent.requested_until(oldest).count(),
    }


def build_mail(confirmation: Confirmation) -> EmailMessage:
    """The mail, in plain text only: it is short and needs no formatting."""
    subscriber = confirmation.subscriber
    confirmed = subscriber.state == SubscriberState.CONFIRMED
    context = {
        "confirm": _absolute("newsletter:confirm", confirmation.key),
        "leave": _absolute("newsletter:leave", subscriber.key),
        "forget": _absolute("newsletter:forget", subscriber.key),
        "site": settings.SITE_URL,
    }
    name = "already_subscribed" if confirmed else "confirm"
    return EmailMessage(
        subject="You already get the weekly verdicts" if confirmed else "Confirm: weekly verdicts",
        body=render_to_string(f"emails/{name}.txt", context),
        from_email=settings.MAIL_FROM,
        to=[subscriber.delivery_address],
        headers={"Auto-Submitted": "auto-generated"},
    )


def _absolute(name: str, key: str) -> str:
    """An absolute link on SITE_URL, independent of the request's host."""
    return f"{settings.SITE_URL}{reverse(name, args=[key])}"


def _send_in_thread(pk: int) -> None:
    """Send in a thread, then close the thread's database connection."""
    try:
        send(pk)
    except Exception as error:
        logger.warning("A confirmation mail was not sent: %s", type(error).__name__)
    finally:
        _queue.release()
        connection.close()
