"""Send an issue with at-most-once delivery, even if the sender is killed.

One process sends at a time (`job_lock`). A row changes from *waiting* to *sending* before the
sender contacts the mail server, over the connection that holds the lock, and from *sending* to
*sent* after the server accepted the mail. Each change is committed immediately on its own. A row
left in *sending* becomes *unknown* when the next sender starts, and is never resent automatically.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Event
from time import monotonic

from django.db.models import F, QuerySet
from django.utils import timezone

from shipskip.newsletter.delivery.messages import message_to, new_message_id
from shipskip.newsletter.delivery.transport import NoServerError, Transport
from shipskip.newsletter.models import Delivery, DeliveryState, Issue, SubscriberState
from shipskip.newsletter.subscribers.subscription import refuse
from shipskip.web.mail_refusals import Outcome, SendResult

MAILS_PER_ROUND = 500
"""A sender loads at most so many mails, or those of a minute, before it looks for other work."""
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
SENDER_DIED = "the sender stopped after it began to hand the mail over"


class SendingStoppedError(Exception):
    """The run cannot continue until an operator fixes the cause; the other mails stay waiting."""


class Sender:
    """The process that sends mails.

    `check_lock` raises an error if another process may be the sender; `rate` is in mails per second
    (0: no limit); `stop` ends the work after the current mail; `on_result` is called with the
    result of each mail, `on_round` after each round of mails.
    """

    def __init__(
        self,
        check_lock: Callable[[], None],
        *,
        rate: float,
        stop: Event,
        on_result: Callable[[SendResult], None],
        on_round: Callable[[], None] = lambda: None,
    ) -> None:
        self.check_lock, self.rate, self.stop = check_lock, rate, stop
        self.on_result, self.on_round = on_result, on_round
        self.transport = Transport()
        self._next_slot = 0.0
        self._streak: tuple[Outcome | None, int] = (None, 0)

    def send(self, issue: Issue) -> None:
        """Send the due mails of an issue that has its snapshot, until none is due or `stop` is set.

        Raises SendingStoppedError, NoServerError and LockLostError.
        """
        a_minute = int(self.rate * 60) or 1 if self.rate > 0 else MAILS_PER_ROUND
        try:
            while not self.stop.is_set():
                due = Delivery.objects.waiting(timezone.now()).filter(issue=issue)
                due = due.select_related("subscriber").order_by("next_at")
                rows = list(due[: min(a_minute, MAILS_PER_ROUND)])
                for row in rows:
                    self._send_one(row, issue)
                    if self.stop.is_set():
                        break
                if not rows:
                    break
                issue.recount()
                self.on_round()
        finally:
            self.transport.close()

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
        """Mark a row as *sending*; False if the issue was cancelled or the reader has left."""
        own = Delivery.objects.filter(pk=row.pk, state=DeliveryState.WAITING)
        # The same in every attempt, so that a mail program that gets the mail twice shows it once.
        row.message_id = row.message_id or new_message_id()
        self.check_lock()
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
        """Save the result of a mail."""
        now = timezone.now()
        own = Delivery.objects.filter(pk=row.pk, state=DeliveryState.SENDING)
        self.check_lock()
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
        own.update(state=DeliveryState.WAITING, next_at=now + pause, reason=result.reason)

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
            self._next_slot = max(self._next_slot + 1 / self.rate, monotonic())
            self.stop.wait(max(0.0, self._next_slot - monotonic()))


def end_abandoned(now: datetime) -> int:
    """Make the mails that a dead sender had begun *unknown*; only the sender calls this."""
    unfinished = Issue.objects.filter(frozen_at__isnull=False, sent_at=None)
    begun = Delivery.objects.filter(issue__in=unfinished, state=DeliveryState.SENDING)
    return begun.update(state=DeliveryState.UNKNOWN, finished_at=now, reason=SENDER_DIED)


def finish_if_done(issue: Issue, now: datetime) -> bool:
    """Mark an issue as sent if no mail is waiting or being sent; return whether it was marked."""
    issue.recount()
    if issue.deliveries.filter(state__in=(DeliveryState.WAITING, DeliveryState.SENDING)).exists():
        return False
    own = Issue.objects.filter(pk=issue.pk, sent_at=None, cancelled_at=None)
    return bool(own.update(sent_at=now))
