"""`tidy_newsletter`: delete expired data and retry unsent confirmation mails."""

from django.core.management.base import BaseCommand
from django.utils import timezone

from shipskip.newsletter.subscribers import confirmations, rate_limit, subscription


class Command(BaseCommand):
    """Delete addresses and networks when they expire; run it hourly, at least daily."""

    help = (
        "Deletes addresses that were not confirmed for 14 days and networks older than 48 hours, "
        "and sends the confirmation mails of the last day that no mail server accepted."
    )

    def handle(self, *args: object, **options: object) -> None:
        """Run all three and print the totals. Safe to run at any time, also twice at once."""
        now = timezone.now()
        unconfirmed = subscription.delete_unconfirmed(now)
        subscription.delete_old_confirmations(now)
        salts, networks = rate_limit.destroy_old_networks(now)
        sent, failed = confirmations.send_unsent(now)
        self.stdout.write(
            f"Deleted {unconfirmed} unconfirmed addresses, {salts} salts and the counts of "
            f"{networks} networks. Sent {sent} late confirmation mails; {failed} failed again."
        )
