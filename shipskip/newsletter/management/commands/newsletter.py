"""`newsletter`: make the week's draft on its day, and send what is due, each mail once."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from threading import Event
from types import FrameType

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Min
from django.utils import timezone
from tqdm import tqdm

from shipskip.jobs import runs
from shipskip.jobs.timetable import NEWSLETTER
from shipskip.newsletter.delivery import sending
from shipskip.newsletter.delivery.transport import NoServerError
from shipskip.newsletter.issues import composing
from shipskip.newsletter.issues.entry_facts import facts_of
from shipskip.newsletter.issues.snapshot import create_snapshot
from shipskip.newsletter.models import Delivery, DeliveryState, Issue, Subscriber
from shipskip.web.mail_refusals import Outcome, SendResult

MAX_WAIT = timedelta(minutes=5)
MIN_WAIT = timedelta(seconds=5)


class Command(BaseCommand):
    """Everything of the newsletter that happens at its time; one process at a time sends."""

    help = (
        "Makes the week's draft on its day and sends due issues. Safe to run from cron and to kill."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the options: how long to run, and whether to send."""
        parser.add_argument(
            "--once",
            action="store_true",
            help="send what is due now and leave later mails to the next run, for cron",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="only print what would be sent, and to how many"
        )

    def handle(self, *args: object, once: bool, dry_run: bool, **options: object) -> None:
        """Make the draft, send, and print the totals; exit status 1 if an operator has to act."""
        if dry_run:
            self._print_due()
            return
        self._counts = dict.fromkeys(Outcome, 0)
        with runs.run(NEWSLETTER) as check_lock, _stopped_by_signals() as stop:
            if check_lock is None:
                self.stdout.write("Another process is sending: this one leaves the work to it.")
                return
            self._sender = sending.Sender(
                check_lock,
                rate=settings.MAILS_PER_SECOND,
                stop=stop,
                on_result=self._count,
                on_round=self._snapshot_due,
            )
            self._end_abandoned()
            self._make_draft()
            try:
                self._work(stop, once=once)
            finally:
                self._print_counts(stopped=stop.is_set())

    def _make_draft(self) -> None:
        """Make the week's issue if it is the day, and print what became of it."""
        now = timezone.now()
        if not composing.is_draft_due(now):
            return
        try:
            issue = composing.compose(now)
        except composing.NoIssueError as error:
            self.stdout.write(f"No draft is made. {error}")
        else:
            self.stdout.write(f"{issue} is a draft: an editor schedules it in the admin.")

    def _work(self, stop: Event, *, once: bool) -> None:
        """Send until no mail is left, or with `once` no mail is due."""
        pause = MIN_WAIT
        while not stop.is_set():
            self._snapshot_due()
            try:
                for issue in Issue.objects.sending():
                    self._send(issue)
                pause = MIN_WAIT
            except sending.SendingStoppedError as error:
                raise CommandError(f"Stopped; the other mails stay waiting: {error}") from None
            except NoServerError as error:
                if once or error.lasting:
                    raise CommandError(
                        f"No mail server; the other mails stay waiting: {error}"
                    ) from None
                self.stderr.write(
                    f"No mail server ({error}); next attempt in {pause.seconds} seconds."
                )
                stop.wait(pause.total_seconds())
                pause = min(2 * pause, MAX_WAIT)
                continue
            waiting = Delivery.objects.filter(
                issue__in=Issue.objects.sending(), state=DeliveryState.WAITING
            )
            next_at, now = waiting.aggregate(at=Min("next_at"))["at"], timezone.now()
            if next_at is None or (once and next_at > now):
                return
            stop.wait(min(max(next_at - now, timedelta(0)), MAX_WAIT).total_seconds())

    def _snapshot_due(self) -> None:
        """Snapshot the due issues; an issue without any entry left is cancelled."""
        for pk in Issue.objects.due(timezone.now()).order_by("scheduled_at").values_list("pk"):
            issue = create_snapshot(pk[0], timezone.now())
            if issue and issue.cancelled_at:
                self.stdout.write(f"{issue} has no entries left: cancelled, nothing sent.")
            elif issue:
                self.stdout.write(f"{issue} is sent to {issue.recipients:,} subscribers.")

    def _send(self, issue: Issue) -> None:
        """Send one issue, with a progress bar on a terminal."""
        todo = Delivery.objects.filter(issue=issue, state=DeliveryState.WAITING).count()
        with tqdm(total=todo, unit="mail", disable=not sys.stderr.isatty()) as self._bar:
            self._sender.send(issue)
        if sending.finish_if_done(issue, timezone.now()):
            self.stdout.write(f"{issue} is sent.")

    def _count(self, result: SendResult) -> None:
        self._counts[result.outcome] += 1
        self._bar.update(1)

    def _end_abandoned(self) -> None:
        """End what a killed sender had begun, and report it."""
        if unknown := sending.end_abandoned(timezone.now()):
            self.stderr.write(
                f"A sender died: {unknown} of its mails may or may not have been sent, and are not "
                "sent again. See: manage.py resolve_deliveries"
            )

    def _print_counts(self, *, stopped: bool) -> None:
        """Print the totals in one line."""
        counts = self._counts
        refused = counts[Outcome.MAIL_REJECTED] + counts[Outcome.ADDRESS_REJECTED]
        self.stdout.write(
            f"{'Stopped. ' if stopped else ''}Sent {counts[Outcome.ACCEPTED]:,}, to be tried again "
            f"{counts[Outcome.RETRY]:,}, refused {refused:,}, unknown {counts[Outcome.UNKNOWN]:,}."
        )

    def _print_due(self) -> None:
        """Print what a run would do now; changes nothing."""
        now = timezone.now()
        due, sending_now = list(Issue.objects.due(now)), list(Issue.objects.sending())
        for issue in sending_now:
            left = Delivery.objects.filter(issue=issue, state=DeliveryState.WAITING).count()
            self.stdout.write(f"{issue}: {left:,} of {issue.recipients:,} mails are waiting.")
        for issue in due:
            parts, readers = len(facts_of(issue)), Subscriber.objects.confirmed().count()
            self.stdout.write(f"{issue}, “{issue.subject}”: {parts} entries, {readers:,} mails.")
        if not due and not sending_now:
            self.stdout.write("No issue is due.")
        self.stdout.write("This was a dry run: nothing was sent.")


@contextmanager
def _stopped_by_signals() -> Iterator[Event]:
    """An event that SIGTERM and Ctrl-C set, so that the sender stops after the current mail."""
    stop = Event()

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    before = {}
    with suppress(ValueError):  # not in the main thread: only that one gets signals
        for number in (signal.SIGTERM, signal.SIGINT):
            before[number] = signal.signal(number, on_signal)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
