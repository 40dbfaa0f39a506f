"""`tidy_newsletter`: deletes what is kept no longer, and tries unsent confirmation mails again."""

from django.core.management.base import BaseCommand
from django.utils import timezone

from shipskip.newsletter.subscribers import confirmations, rate_limit, subscription


class Command(BaseCommand):
    """Keep no address and no network longer than we say; to be run every hour, at least daily."""

    help = (
        "Deletes addresses that were not confirmed for 14 days and networks older than 48 hours, "
        "and sends the confirmation mails of the last day that no mail server took."
    )

    def handle(self, *args: object, **options: object) -> None:
        """Do all three, and say what was done. Safe to run at any time, and twice at once."""
        now = timezone.now()
        unconfirmed = subscription.delete_unconfirmed(now)
        subscription.delete_old_confirmations(now)
        salts, networks = rate_limit.destroy_old_networks(now)
        sent, failed = confirmations.send_unsent(now)
        self.stdout.write(
            f"Deleted {unconfirmed} unconfirmed addresses, {salts} salts and the counts of "
            f"{networks} networks. Sent {sent} late confirmation mails; {failed} failed again."
        )
