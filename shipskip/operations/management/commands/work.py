"""`work`: what is to be done every few minutes: late confirmation mails, and tidying."""

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from shipskip.jobs import runs
from shipskip.jobs.timetable import WORK
from shipskip.newsletter.subscribers import confirmations
from shipskip.operations import tidying


class Command(BaseCommand):
    """`manage.py work`; of two runs at once the second one does nothing."""

    help = "Sends late confirmation mails and deletes what has expired. For a timer."

    def handle(self, *args: object, **options: object) -> None:
        """Print what was sent and deleted; exit status 1 if no mail could be sent."""
        with runs.run(WORK) as check_lock:
            if check_lock is None:
                self.stdout.write("Another process does this work: this one leaves it to it.")
                return
            now = timezone.now()
            for deleted in tidying.tidy(now):
                if deleted.rows:
                    self.stdout.write(f"Deleted {deleted.rows:,} {deleted.what}.")
            self._send_confirmations()

    def _send_confirmations(self) -> None:
        now = timezone.now()
        attempts, left = confirmations.send_unsent(now), confirmations.unsent_counts(now)
        if attempts.failed and not attempts.sent:
            raise CommandError(
                f"No confirmation mail could be sent: {left['waiting']:,} are waiting, "
                f"{left['given up']:,} are given up. `manage.py doctor` checks the mail server."
            )
        if attempts.sent:
            self.stdout.write(f"Sent {attempts.sent:,} late confirmation mails.")
