"""Confirmation mails: their content, and sending them in threads so that no reader waits."""

import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import cache
from threading import BoundedSemaphore

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import connection
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from shipskip.newsletter.delivery.mail_refusals import Outcome, refusal_from
from shipskip.newsletter.subscribers import subscription
from shipskip.newsletter.subscribers.models import Confirmation, SubscriberState

logger = logging.getLogger(__name__)

MAX_QUEUED = 50
"""Mails queued for one process's threads; the others wait for `tidy`."""

_queue = BoundedSemaphore(MAX_QUEUED)

RETRY_AFTER = timedelta(minutes=5)
RETRY_UNTIL = timedelta(days=1)


def dispatch(confirmation: Confirmation) -> None:
    """Send a confirmation mail in a thread, or immediately if MAIL_THREADS is 0.

    With threads, the response time is the same whether or not an address gets a mail (no timing
    attack), and a slow mail server delays no reader. `send_unsent` retries failed mails.
    """
    if not settings.MAIL_THREADS:
        send(confirmation.pk)
    elif _queue.acquire(blocking=False):
        _threads().submit(_send_in_thread, confirmation.pk)


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


def send_unsent(now: datetime) -> tuple[int, int]:
    """Retry the unsent mails of the last day; returns how many were sent and how many failed."""
    late = Confirmation.objects.unsent().requested_after(now - RETRY_UNTIL)
    sent = [send(row.pk) for row in late.requested_until(now - RETRY_AFTER)]
    return sent.count(True), sent.count(False)


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


@cache
def _threads() -> ThreadPoolExecutor:
    """The thread pool of this process, created with the first mail; exit waits for it."""
    return ThreadPoolExecutor(settings.MAIL_THREADS, thread_name_prefix="confirmations")


def _send_in_thread(pk: int) -> None:
    """Send in a thread, then close the thread's database connection."""
    try:
        send(pk)
    except Exception as error:
        logger.warning("A confirmation mail was not sent: %s", type(error).__name__)
    finally:
        _queue.release()
        connection.close()
