"""Confirmation mails: what they say, and how they leave without the reader waiting for it."""

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

from shipskip.newsletter.delivery.refusals import Fate, refusal_of
from shipskip.newsletter.subscribers import subscription
from shipskip.newsletter.subscribers.models import Confirmation, SubscriberState

logger = logging.getLogger(__name__)

LONGEST_QUEUE = 50
"""Mails that may wait for one process's threads; more wait for `tidy_newsletter`."""

_queue = BoundedSemaphore(LONGEST_QUEUE)

TRIED_AGAIN_AFTER = timedelta(minutes=5)
TRIED_AGAIN_UNTIL = timedelta(days=1)


def post(confirmation: Confirmation) -> None:
    """Send a confirmation mail, beside the reader (MAIL_THREADS) or while they wait.

    Beside them, the answer takes as long for an address that gets no mail as for one that does,
    and a mail server that stalls holds nobody up. What fails is tried again by `send_unsent`.
    """
    if not settings.MAIL_THREADS:
        send(confirmation.pk)
    elif _queue.acquire(blocking=False):
        _threads().submit(_send_beside, confirmation.pk)


def send(pk: int) -> bool:
    """Send one confirmation mail; whether it was taken. A refusal for good ends the wish to join.

    What goes wrong is logged by its kind and the server's code, never with the address.
    """
    # Claimed before it leaves: two processes that try at once send one mail. One that dies in
    # between sends none, and its reader asks again.
    if not Confirmation.objects.unclaimed().filter(pk=pk).update(sent_at=timezone.now()):
        return False
    confirmation = Confirmation.objects.select_related("subscriber").get(pk=pk)
    try:
        letter(confirmation).send()
    except Exception as fault:
        refusal = refusal_of(fault)
        logger.warning("A confirmation mail was not taken: %s", refusal.reason)
        Confirmation.objects.filter(pk=pk).update(sent_at=None)
        if refusal.fate is Fate.NEVER:
            subscription.refuse(confirmation.subscriber, refusal.reason, timezone.now())
        return False
    return True


def send_unsent(now: datetime) -> tuple[int, int]:
    """Try again the mails of the last day that nobody took; how many went, and how many did not."""
    late = Confirmation.objects.unsent().asked_since(now - TRIED_AGAIN_UNTIL)
    sent = [send(row.pk) for row in late.asked_until(now - TRIED_AGAIN_AFTER)]
    return sent.count(True), sent.count(False)


def letter(confirmation: Confirmation) -> EmailMessage:
    """The mail itself, in plain text: it is short, and nothing in it is to be looked at."""
    subscriber = confirmation.subscriber
    confirmed = subscriber.state == SubscriberState.CONFIRMED
    context = {
        "confirm": _absolute("newsletter:confirm", confirmation.key),
        "leave": _absolute("newsletter:leave", subscriber.key),
        "forget": _absolute("newsletter:forget", subscriber.key),
        "site": settings.SITE_URL,
    }
    name = "already" if confirmed else "confirm"
    return EmailMessage(
        subject="You already get the weekly verdicts" if confirmed else "Confirm: weekly verdicts",
        body=render_to_string(f"emails/{name}.txt", context),
        from_email=settings.MAIL_FROM,
        to=[subscriber.written_to],
        headers={"Auto-Submitted": "auto-generated"},
    )


def _absolute(name: str, key: str) -> str:
    """A link from the setting, whatever host the request named."""
    return f"{settings.SITE_URL}{reverse(name, args=[key])}"


@cache
def _threads() -> ThreadPoolExecutor:
    """The threads of this process, made with the first mail; a process that ends waits for them."""
    return ThreadPoolExecutor(settings.MAIL_THREADS, thread_name_prefix="confirmations")


def _send_beside(pk: int) -> None:
    """Send in a thread, which gives its database connection back."""
    try:
        send(pk)
    except Exception as fault:
        logger.warning("A confirmation mail was not sent: %s", type(fault).__name__)
    finally:
        _queue.release()
        connection.close()
