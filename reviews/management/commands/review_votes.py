"""`review_votes`: voids old held votes without a decision, and stores daily numbers of votes."""

from django.core.management.base import BaseCommand
from django.utils import timezone

from reviews import held_groups


class Command(BaseCommand):
    """Do the daily work on votes; releases nothing, since that is for editors."""

    help = (
        "Voids held votes that nobody decided on within 14 days, and stores the numbers of "
        "finished days for /methodology/."
    )

    def handle(self, *args: object, **options: object) -> None:
        """Void the votes, store the numbers, and print how many votes were voided. Idempotent."""
        now = timezone.now()
        void = held_groups.void_undecided(now)
        held_groups.store_finished_days(now)
        self.stdout.write(f"Voided {void} held votes.")
