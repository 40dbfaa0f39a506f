"""`work`: what is to be done every few minutes: late confirmation mails, tidying, and once an hour
the files of the public catalogue.
"""

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from shipskip.catalogue import public_files
from shipskip.jobs import runs
from shipskip.jobs.timetable import WORK
from shipskip.newsletter.subscribers import confirmations
from shipskip.operations import tidying


class Command(BaseCommand):
    """`manage.py work`; of two runs at once the second one does nothing."""

    help = (
        "Sends late confirmation mails, deletes what has expired, and makes the files of /data/. "
        "For a timer."
    )

    def handle(self, *args: object, **options: object) -> None:
        """Print what was sent, deleted and made; exit status 1 if no mail could be sent."""
        with runs.run(WORK) as check_lock:
            if check_lock is None:
                self.stdout.write("Another process does this work: this one leaves it to it.")
                return
            now = timezone.now()
            for deleted in tidying.tidy(now):
                if deleted.rows:
                    self.stdout.write(f"Deleted {deleted.rows:,} {deleted.what}.")
            try:
                self._send_confirmations()
            finally:  # last, because they may take a minute
                self._make_files()

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

    def _make_files(self) -> None:
        now, before = timezone.now(), public_files.current_edition()
        try:
            made = public_files.edition_of(now, public_files.LIFETIME)
        except public_files.BusyError:
            return  # a download makes them
        if not before or made.version != before.version:
            self.stdout.write(f"Made the files of /data/, version {made.version}.")
