"""`send_newsletter`: send the due issues, each mail once."""

import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from threading import Event
from types import FrameType

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from tqdm import tqdm

from shipskip.newsletter.delivery import claims, sending
from shipskip.newsletter.delivery.mail_refusals import Outcome
from shipskip.newsletter.delivery.transport import NoServerError, SendResult
from shipskip.newsletter.issues.entry_facts import facts_of
from shipskip.newsletter.issues.snapshot import create_snapshot
from shipskip.newsletter.models import Delivery, DeliveryState, Issue, Subscriber

MAX_WAIT = timedelta(minutes=5)
MIN_WAIT = timedelta(seconds=5)


class Command(BaseCommand):
    """Snapshot the due issues and send them; several processes can share the work."""

    help = "Sends the due issues. Safe to run from cron and to kill."

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
        """Send, and print the totals; exit status 1 if an operator has to act."""
        if dry_run:
            self._print_due()
            return
        stop = Event()
        restore_handlers = self._handle_signals(stop)
        self._counts = dict.fromkeys(Outcome, 0)
        self._end_abandoned_claims()
        if len(claims.active_senders()) >= claims.MAX_SENDERS:
            self.stdout.write(f"{claims.MAX_SENDERS} senders are running already.")
            return
        try:
            self._work(claims.new_sender_name(), stop, once=once)
        finally:
            for restore in restore_handlers:
                restore()
            self._print_counts(stopped=stop.is_set())

    def _handle_signals(self, stop: Event) -> list[Callable[[], object]]:
        """Make SIGTERM and Ctrl-C stop after the current mail; returns functions that undo it."""

        def on_signal(_number: int, _frame: FrameType | None) -> None:
            stop.set()

        undo: list[Callable[[], object]] = []
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(ValueError):  # not in the main thread: only that one gets signals
                undo.append(partial(signal.signal, number, signal.signal(number, on_signal)))
        return undo

    def _work(self, name: str, stop: Event, *, once: bool) -> None:
        """Send until no mail is left, or with `once` no mail is due."""
        wait, more_to_send = MIN_WAIT, True
        while more_to_send and not stop.is_set():
            self._snapshot_due()
            issues = list(Issue.objects.sending())
            try:
                for issue in issues:
                    self._send(issue, name, stop)
                wait = MIN_WAIT
            except sending.SendingStoppedError as error:
                raise CommandError(f"Stopped; the other mails stay waiting: {error}") from None
            except NoServerError as error:
                if once or error.lasting:
                    raise CommandError(
                        f"No mail server; the other mails stay waiting: {error}"
                    ) from None
                self.stderr.write(
                    f"No mail server ({error}); next attempt in {wait.seconds} seconds."
                )
                more_to_send = self._wait_for_next(name, stop, wait)
                wait = min(2 * wait, MAX_WAIT)
            else:
                self._end_abandoned_claims()
                due = any(sending.has_due_mails(issue, timezone.now()) for issue in issues)
                more_to_send = due or (
                    not once and self._wait_for_next(name, stop, timedelta(seconds=1))
                )

    def _wait_for_next(self, name: str, stop: Event, least: timedelta) -> bool:
        """Wait until the next mail is due, with a claim on it so that other senders see this one.

        False if no mail is left, or other senders have claimed them all.
        """
        now = timezone.now()
        mails = Delivery.objects.filter(issue__in=Issue.objects.sending())
        rows = claims.claim(name, mails, 1, now)
        if not rows and not mails.waiting(now).exists():
            return False
        pause = max([least, *((row.next_at or now) - now for row in rows)])
        stop.wait(min(pause, MAX_WAIT).total_seconds())
        claims.release(name)
        return True

    def _snapshot_due(self) -> None:
        """Snapshot the due issues; an issue without any entry left is cancelled."""
        for pk in Issue.objects.due(timezone.now()).order_by("scheduled_at").values_list("pk"):
            issue = create_snapshot(pk[0], timezone.now())
            if issue and issue.cancelled_at:
                self.stdout.write(f"{issue} has no entries left: cancelled, nothing sent.")
            elif issue:
                self.stdout.write(f"{issue} is sent to {issue.recipients:,} subscribers.")

    def _send(self, issue: Issue, name: str, stop: Event) -> None:
        """Send one issue, with a progress bar on a terminal."""
        todo = Delivery.objects.filter(issue=issue, state=DeliveryState.WAITING).count()
        with tqdm(total=todo, unit="mail", disable=not sys.stderr.isatty()) as bar:

            def on_result(result: SendResult) -> None:
                self._counts[result.outcome] += 1
                bar.update(1)

            rate = settings.MAILS_PER_SECOND
            sending.Sender(name, rate=rate, stop=stop, on_result=on_result).send(issue)
        if sending.finish_if_done(issue, timezone.now()):
            self.stdout.write(f"{issue} is sent.")

    def _end_abandoned_claims(self) -> None:
        """End the claims of dead senders and report their unknown mails."""
        if unknown := claims.end_abandoned_claims(timezone.now()):
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
            parts, readers = len(facts_of(issue, now)), Subscriber.objects.confirmed().count()
            self.stdout.write(f"{issue}, “{issue.subject}”: {parts} entries, {readers:,} mails.")
        if not due and not sending_now:
            self.stdout.write("No issue is due.")
        self.stdout.write("This was a dry run: nothing was sent.")
