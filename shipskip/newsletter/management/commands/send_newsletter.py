"""`send_newsletter`: sends the issues that are due, each mail once."""

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
from shipskip.newsletter.delivery.refusals import Fate
from shipskip.newsletter.delivery.transport import NoServerError, Outcome
from shipskip.newsletter.issues.contents import facts_of
from shipskip.newsletter.issues.snapshot import freeze
from shipskip.newsletter.models import Delivery, DeliveryState, Issue, Subscriber

LONGEST_WAIT = timedelta(minutes=5)
SHORTEST_WAIT = timedelta(seconds=5)


class Command(BaseCommand):
    """Freeze what is due, and send it; any number may run at once and share the work."""

    help = "Sends the issues whose moment has come. Safe to run from cron, and to kill."

    def add_arguments(self, parser: CommandParser) -> None:
        """How long to go on, and whether to send at all."""
        parser.add_argument(
            "--once",
            action="store_true",
            help="send what is due now and leave what has to wait to the next run, as from cron",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="only tell what would be sent, and to how many"
        )

    def handle(self, *args: object, once: bool, dry_run: bool, **options: object) -> None:
        """Send, and end with what was done; exit status 1 when somebody has to look."""
        if dry_run:
            self._tell_plan()
            return
        stop = Event()
        handed_in = self._listen(stop)
        self._counts = dict.fromkeys(Fate, 0)
        self._end_abandoned()
        if len(claims.senders()) >= claims.MOST_SENDERS:
            self.stdout.write(f"{claims.MOST_SENDERS} senders are at work already.")
            return
        try:
            self._work(claims.new_name(), stop, once=once)
        finally:
            for give_back in handed_in:
                give_back()
            self._tell_counts(stopped=stop.is_set())

    def _listen(self, stop: Event) -> list[Callable[[], object]]:
        """Let SIGTERM and Ctrl-C stop the work after the mail in hand; what sets them back."""

        def on_signal(_number: int, _frame: FrameType | None) -> None:
            stop.set()

        undo: list[Callable[[], object]] = []
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(ValueError):  # not in the main thread, where nobody signals
                undo.append(partial(signal.signal, number, signal.signal(number, on_signal)))
        return undo

    def _work(self, name: str, stop: Event, *, once: bool) -> None:
        """Send until nothing is left, or nothing that is due now."""
        wait, going_on = SHORTEST_WAIT, True
        while going_on and not stop.is_set():
            self._freeze_due()
            issues = list(Issue.objects.sending())
            try:
                for issue in issues:
                    self._send(issue, name, stop)
                wait = SHORTEST_WAIT
            except sending.StopError as fault:
                raise CommandError(f"Stopped; the rest stays waiting: {fault}") from None
            except NoServerError as fault:
                if once or fault.lasting:
                    raise CommandError(f"No mail server; the rest stays waiting: {fault}") from None
                self.stderr.write(f"No mail server ({fault}); again in {wait.seconds} seconds.")
                going_on = self._rest(name, stop, wait)
                wait = min(2 * wait, LONGEST_WAIT)
            else:
                self._end_abandoned()
                due = any(sending.due(issue, timezone.now()) for issue in issues)
                going_on = due or (not once and self._rest(name, stop, timedelta(seconds=1)))

    def _rest(self, name: str, stop: Event, least: timedelta) -> bool:
        """Wait for the next mail to be due, with a claim on it by which others know of this sender.

        False when there is none, or each has a sender that waits for it.
        """
        now = timezone.now()
        mails = Delivery.objects.filter(issue__in=Issue.objects.sending())
        rows = claims.claim(name, mails, 1, now)
        if not rows and not mails.waiting(now).exists():
            return False
        pause = max([least, *((row.next_at or now) - now for row in rows)])
        stop.wait(min(pause, LONGEST_WAIT).total_seconds())
        claims.release(name)
        return True

    def _freeze_due(self) -> None:
        """Fix what is due; an issue that has nothing to tell any more is cancelled."""
        for pk in Issue.objects.due(timezone.now()).order_by("scheduled_at").values_list("pk"):
            issue = freeze(pk[0], timezone.now())
            if issue and issue.cancelled_at:
                self.stdout.write(f"{issue} has nothing to tell any more: cancelled, none sent.")
            elif issue:
                self.stdout.write(f"{issue} goes to {issue.recipients:,} subscribers.")

    def _send(self, issue: Issue, name: str, stop: Event) -> None:
        """Send one issue, with a bar where somebody watches."""
        todo = Delivery.objects.filter(issue=issue, state=DeliveryState.WAITING).count()
        with tqdm(total=todo, unit="mail", disable=not sys.stderr.isatty()) as bar:

            def tell(outcome: Outcome) -> None:
                self._counts[outcome.fate] += 1
                bar.update(1)

            rate = settings.MAILS_PER_SECOND
            sending.Sender(name, rate=rate, stop=stop, tell=tell).send(issue)
        if sending.finish(issue, timezone.now()):
            self.stdout.write(f"{issue} is sent.")

    def _end_abandoned(self) -> None:
        """Report the mails that a sender left behind when it died."""
        if unknown := claims.end_abandoned(timezone.now()):
            self.stderr.write(
                f"A sender died: {unknown} of its mails may or may not have gone, and will not "
                "be sent again. See: manage.py resolve_deliveries"
            )

    def _tell_counts(self, *, stopped: bool) -> None:
        """What was done, in a line."""
        counts = self._counts
        refused = counts[Fate.NOT_THIS] + counts[Fate.NEVER]
        self.stdout.write(
            f"{'Stopped. ' if stopped else ''}Sent {counts[Fate.TAKEN]:,}, to be tried again "
            f"{counts[Fate.LATER]:,}, refused {refused:,}, unknown {counts[Fate.UNKNOWN]:,}."
        )

    def _tell_plan(self) -> None:
        """What a run would do now; it changes nothing."""
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
