"""Sending an issue: each mail once, whoever is killed in between.

A row that the sender has claimed goes from *waiting* to *sending* before the mail server is spoken
to, and from *sending* to *sent* after it has accepted. Both are committed at once and alone, and
both change a row only while it bears the sender's own name. What lies between is never tried again
by itself.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Event
from time import monotonic

from django.db.models import F, QuerySet
from django.utils import timezone

from shipskip.newsletter.delivery import claims
from shipskip.newsletter.delivery.messages import message_id, message_to
from shipskip.newsletter.delivery.refusals import Fate
from shipskip.newsletter.delivery.transport import Carrier, NoServerError, Outcome
from shipskip.newsletter.models import Delivery, DeliveryState, Issue, SubscriberState
from shipskip.newsletter.subscribers.subscription import refuse

CLAIMED = 50
"""Rows a sender claims at once, so that two rarely reach for the same one."""
CLAIMED_SECONDS = 10
"""A slow sender claims no more than it sends in so long; how many share the rate is asked then."""
PAUSES = [timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 180, 360, 720, 1440)]
"""Before each new attempt at an address that was refused for the time being."""
MOST_IN_A_ROW = {Fate.UNKNOWN: 5, Fate.NEVER: 20, Fate.NOT_THIS: 20, Fate.LATER: 20}
"""So many of a kind one after another are the server's fault or ours, not the addresses'."""
_STATES = {
    Fate.TAKEN: DeliveryState.SENT,
    Fate.UNKNOWN: DeliveryState.UNKNOWN,
    Fate.NOT_THIS: DeliveryState.REFUSED,
    Fate.NEVER: DeliveryState.REFUSED,
}
LEFT_MEANWHILE = "the subscription ended before the mail went"


class StopError(Exception):
    """The run cannot go on until somebody sets something right; the rest stays waiting."""


class Sender:
    """One process that sends; its claims bear its `name`.

    `rate` is in mails a second for all senders together (0: as fast as it goes); `stop` ends the
    work after the mail in hand; `tell` hears of each mail that was dealt with.
    """

    def __init__(
        self, name: str, *, rate: float, stop: Event, tell: Callable[[Outcome], None]
    ) -> None:
        self.name, self.rate, self.stop, self.tell = name, rate, stop, tell
        self.carrier = Carrier()
        self._sharing = 1
        self._slot = 0.0
        self._row: tuple[Fate | None, int] = (None, 0)

    def send(self, issue: Issue) -> None:
        """Send all that is due of a frozen issue; returns when nothing is, or when told to stop.

        Raises StopError and NoServerError; whatever happens, what was not begun is free again.
        """
        try:
            while not self.stop.is_set() and (rows := self._claim(issue)):
                for row in rows:
                    self._one(row, issue)
                    if self.stop.is_set():
                        break
        finally:
            self.carrier.close()
            claims.release(self.name)

    def _claim(self, issue: Issue) -> list[Delivery]:
        """The next rows, for this sender alone; and how many senders share the rate from now on."""
        now = timezone.now()
        most = min(CLAIMED, int(self.rate * CLAIMED_SECONDS) or 1) if self.rate > 0 else CLAIMED
        due = Delivery.objects.filter(issue=issue, next_at__lte=now)
        rows = claims.claim(self.name, due, most, now)
        self._sharing = len(claims.senders() | {self.name})
        return rows

    def _one(self, row: Delivery, issue: Issue) -> None:
        """One mail, from *waiting* to what became of it."""
        self.carrier.open()
        self._pace()
        if self.stop.is_set() or not self._begin(row):
            return
        outcome = self.carrier.carry(message_to(row, issue))
        self._record(row, outcome)
        self.tell(outcome)
        self._watch(outcome)

    def _begin(self, row: Delivery) -> bool:
        """Mark a row as *sending*; False when it is not ours any more, or its reader left."""
        own = Delivery.objects.filter(pk=row.pk, state=DeliveryState.WAITING, claimed_by=self.name)
        row.message_id = row.message_id or message_id(row)
        going = own.filter(
            subscriber__state=SubscriberState.CONFIRMED, issue__cancelled_at=None
        ).update(
            state=DeliveryState.SENDING,
            started_at=timezone.now(),
            attempts=F("attempts") + 1,
            message_id=row.message_id,
        )
        row.attempts += going
        if not going:
            gone = own.exclude(subscriber__state=SubscriberState.CONFIRMED)
            gone.update(
                state=DeliveryState.SKIPPED, finished_at=timezone.now(), reason=LEFT_MEANWHILE
            )
        return bool(going)

    def _record(self, row: Delivery, outcome: Outcome) -> None:
        """Write down what became of a mail. Its row may have been taken for a dead sender's
        meanwhile; an answer is better than *unknown*.
        """
        now = timezone.now()
        own = Delivery.objects.filter(
            pk=row.pk,
            claimed_by=self.name,
            state__in=(DeliveryState.SENDING, DeliveryState.UNKNOWN),
        )
        if outcome.fate in (Fate.LATER, Fate.STOP):
            self._put_back(own, row.attempts, outcome, now)
            return
        own.update(
            state=_STATES[outcome.fate],
            finished_at=now,
            reason=outcome.reason,
            message_id=outcome.message_id or row.message_id,
        )
        if outcome.fate is Fate.NEVER:
            refuse(row.subscriber, outcome.reason, now)

    def _put_back(
        self, own: QuerySet[Delivery], attempts: int, outcome: Outcome, now: datetime
    ) -> None:
        """Let a mail wait for its next attempt; after the last one it is refused."""
        if outcome.fate is Fate.LATER and attempts > len(PAUSES):
            reason = f"given up after {attempts} attempts: {outcome.reason}"[:300]
            own.update(state=DeliveryState.REFUSED, finished_at=now, reason=reason)
            return
        pause = PAUSES[attempts - 1] if outcome.fate is Fate.LATER else timedelta(0)
        own.update(
            state=DeliveryState.WAITING, claimed_by="", next_at=now + pause, reason=outcome.reason
        )

    def _watch(self, outcome: Outcome) -> None:
        """Stop at what no further mail would mend."""
        if outcome.fate is Fate.STOP:
            raise StopError(f"the mail server refuses what we send: {outcome.reason}")
        last, number = self._row
        self._row = (outcome.fate, number + 1 if outcome.fate is last else 1)
        if outcome.fate in MOST_IN_A_ROW and self._row[1] >= MOST_IN_A_ROW[outcome.fate]:
            said = f"{self._row[1]} mails in a row: {outcome.fate.value} ({outcome.reason})"
            self._row = (None, 0)
            if outcome.fate is Fate.LATER:
                raise NoServerError(said, lasting=False)
            raise StopError(said)

    def _pace(self) -> None:
        """Wait for this mail's turn."""
        if self.rate > 0:
            pause = self._sharing / self.rate
            self._slot = max(self._slot + pause, monotonic())
            self.stop.wait(max(0.0, self._slot - monotonic()))


def finish(issue: Issue, now: datetime) -> bool:
    """Mark an issue as sent once each of its mails was dealt with; whether it was."""
    issue.recount()
    if issue.deliveries.filter(state__in=(DeliveryState.WAITING, DeliveryState.SENDING)).exists():
        return False
    own = Issue.objects.filter(pk=issue.pk, sent_at=None, cancelled_at=None)
    return bool(own.update(sent_at=now))


def due(issue: Issue, now: datetime) -> bool:
    """Whether mails of an issue are to be sent at `now` that no sender has claimed."""
    return Delivery.objects.waiting(now).filter(issue=issue, claimed_by="").exists()
