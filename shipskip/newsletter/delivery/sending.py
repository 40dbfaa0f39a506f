"""Send an issue with at-most-once delivery, even if a sender is killed.

A claimed row changes from *waiting* to *sending* before the sender contacts the mail server, and
from *sending* to *sent* after the server accepted the mail. Each change is committed immediately
on its own, and only while the row is claimed by this sender. A row left in *sending* is never
resent automatically.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Event
from time import monotonic

from django.db.models import F, QuerySet
from django.utils import timezone

from shipskip.newsletter.delivery import claims
from shipskip.newsletter.delivery.mail_refusals import Outcome
from shipskip.newsletter.delivery.messages import message_id, message_to
from shipskip.newsletter.delivery.transport import NoServerError, SendResult, Transport
from shipskip.newsletter.models import Delivery, DeliveryState, Issue, SubscriberState
from shipskip.newsletter.subscribers.subscription import refuse

CLAIM_SIZE = 50
"""Rows a sender claims at once, so that two senders rarely compete for the same row."""
CLAIM_SECONDS = 10
"""A slow sender claims the mails that it can send in this time, then counts the senders again."""
RETRY_DELAYS = [timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 180, 360, 720, 1440)]
"""The delay before each new attempt after a temporary rejection."""
MAX_IN_A_ROW = {
    Outcome.UNKNOWN: 5,
    Outcome.ADDRESS_REJECTED: 20,
    Outcome.MAIL_REJECTED: 20,
    Outcome.RETRY: 20,
}
"""After this many equal outcomes in a row the cause is the server or our setup, no address."""
_STATES = {
    Outcome.ACCEPTED: DeliveryState.SENT,
    Outcome.UNKNOWN: DeliveryState.UNKNOWN,
    Outcome.MAIL_REJECTED: DeliveryState.REFUSED,
    Outcome.ADDRESS_REJECTED: DeliveryState.REFUSED,
}
LEFT_BEFORE_SENDING = "the subscription ended before the mail went"


class SendingStoppedError(Exception):
    """The run cannot continue until an operator fixes the cause; the other mails stay waiting."""


class Sender:
    """One process that sends mails; `name` is stored in its claims.

    `rate` is in mails per second for all senders together (0: no limit); `stop` ends the work
    after the current mail; `on_result` is called with the result of each mail.
    """

    def __init__(
        self, name: str, *, rate: float, stop: Event, on_result: Callable[[SendResult], None]
    ) -> None:
        self.name, self.rate, self.stop, self.on_result = name, rate, stop, on_result
        self.transport = Transport()
        self._sender_count = 1
        self._next_slot = 0.0
        self._streak: tuple[Outcome | None, int] = (None, 0)

    def send(self, issue: Issue) -> None:
        """Send the due mails of an issue that has its snapshot, until none is due or `stop` is set.

        Raises SendingStoppedError and NoServerError. Claims on mails not started are released.
        """
        try:
            while not self.stop.is_set() and (rows := self._claim(issue)):
                for row in rows:
                    self._send_one(row, issue)
                    if self.stop.is_set():
                        break
        finally:
            self.transport.close()
            claims.release(self.name)

    def _claim(self, issue: Issue) -> list[Delivery]:
        """Claim the next rows, and count the senders that share the rate."""
        now = timezone.now()
        most = min(CLAIM_SIZE, int(self.rate * CLAIM_SECONDS) or 1) if self.rate > 0 else CLAIM_SIZE
        due = Delivery.objects.filter(issue=issue, next_at__lte=now)
        rows = claims.claim(self.name, due, most, now)
        self._sender_count = len(claims.active_senders() | {self.name})
        return rows

    def _send_one(self, row: Delivery, issue: Issue) -> None:
        """Send one mail and save its result."""
        self.transport.open()
        self._pace()
        if self.stop.is_set() or not self._mark_sending(row):
            return
        result = self.transport.send(message_to(row, issue))
        self._save_result(row, result)
        self.on_result(result)
        self._check_streak(result)

    def _mark_sending(self, row: Delivery) -> bool:
        """Mark a row as *sending*; False if the claim was lost or the reader has left."""
        own = Delivery.objects.filter(pk=row.pk, state=DeliveryState.WAITING, claimed_by=self.name)
        row.message_id = row.message_id or message_id(row)
        started = own.filter(
            subscriber__state=SubscriberState.CONFIRMED, issue__cancelled_at=None
        ).update(
            state=DeliveryState.SENDING,
            started_at=timezone.now(),
            attempts=F("attempts") + 1,
            message_id=row.message_id,
        )
        row.attempts += started
        if not started:
            unsubscribed = own.exclude(subscriber__state=SubscriberState.CONFIRMED)
            unsubscribed.update(
                state=DeliveryState.SKIPPED, finished_at=timezone.now(), reason=LEFT_BEFORE_SENDING
            )
        return bool(started)

    def _save_result(self, row: Delivery, result: SendResult) -> None:
        """Save the result of a mail, even if the row became *unknown* meanwhile because this sender
        seemed to be dead: the server's reply is more reliable.
        """
        now = timezone.now()
        own = Delivery.objects.filter(
            pk=row.pk,
            claimed_by=self.name,
            state__in=(DeliveryState.SENDING, DeliveryState.UNKNOWN),
        )
        if result.outcome in (Outcome.RETRY, Outcome.SETUP_ERROR):
            self._schedule_retry(own, row.attempts, result, now)
            return
        own.update(
            state=_STATES[result.outcome],
            finished_at=now,
            reason=result.reason,
            message_id=result.message_id or row.message_id,
        )
        if result.outcome is Outcome.ADDRESS_REJECTED:
            refuse(row.subscriber, result.reason, now)

    def _schedule_retry(
        self, own: QuerySet[Delivery], attempts: int, result: SendResult, now: datetime
    ) -> None:
        """Set a mail to wait for its next attempt; after the last one it is *refused*."""
        if result.outcome is Outcome.RETRY and attempts > len(RETRY_DELAYS):
            reason = f"given up after {attempts} attempts: {result.reason}"[:300]
            own.update(state=DeliveryState.REFUSED, finished_at=now, reason=reason)
            return
        pause = RETRY_DELAYS[attempts - 1] if result.outcome is Outcome.RETRY else timedelta(0)
        own.update(
            state=DeliveryState.WAITING, claimed_by="", next_at=now + pause, reason=result.reason
        )

    def _check_streak(self, result: SendResult) -> None:
        """Raise on errors that every further mail would hit too."""
        if result.outcome is Outcome.SETUP_ERROR:
            raise SendingStoppedError(f"the mail server rejects our mails: {result.reason}")
        last, number = self._streak
        self._streak = (result.outcome, number + 1 if result.outcome is last else 1)
        if result.outcome in MAX_IN_A_ROW and self._streak[1] >= MAX_IN_A_ROW[result.outcome]:
            message = f"{self._streak[1]} mails in a row: {result.outcome.value} ({result.reason})"
            self._streak = (None, 0)
            if result.outcome is Outcome.RETRY:
                raise NoServerError(message, lasting=False)
            raise SendingStoppedError(message)

    def _pace(self) -> None:
        """Wait as long as the rate requires."""
        if self.rate > 0:
            pause = self._sender_count / self.rate
            self._next_slot = max(self._next_slot + pause, monotonic())
            self.stop.wait(max(0.0, self._next_slot - monotonic()))


def finish_if_done(issue: Issue, now: datetime) -> bool:
    """Mark an issue as sent if no mail is waiting or being sent; return whether it was marked."""
    issue.recount()
    if issue.deliveries.filter(state__in=(DeliveryState.WAITING, DeliveryState.SENDING)).exists():
        return False
    own = Issue.objects.filter(pk=issue.pk, sent_at=None, cancelled_at=None)
    return bool(own.update(sent_at=now))


def has_due_mails(issue: Issue, now: datetime) -> bool:
    """Whether an issue has unclaimed mails due at `now`."""
    return Delivery.objects.waiting(now).filter(issue=issue, claimed_by="").exists()
