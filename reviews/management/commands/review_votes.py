"""`review_votes`: voids what nobody decided, stores the days' numbers, erases network hashes."""

from django.core.management.base import BaseCommand
from django.utils import timezone

from reviews import daily_hashes, held_groups, network_limits


class Command(BaseCommand):
    """Do the daily work on votes; releases nothing, since that is for editors."""

    help = (
        "Voids votes that nobody decided about within 14 days, stores the numbers of finished "
        "days for /methodology/, and erases salts and hashes of networks after 48 hours."
    )

    def handle(self, *args: object, **options: object) -> None:
        """Do it and print the counts; a second run changes nothing."""
        now = timezone.now()
        void = held_groups.void_undecided(now)
        held_groups.store_finished_days(now)
        salts = daily_hashes.destroy_old_salts(now)
        hashes = network_limits.erase_old_network_hashes(now)
        self.stdout.write(
            f"Voided {void} held votes. "
            f"Destroyed {salts} salts and {hashes} network hashes older than 48 hours."
        )
