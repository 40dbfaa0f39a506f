"""`tidy`: deletes what is no longer needed, by hand; the job `work` does so every few minutes."""

from django.core.management.base import BaseCommand
from django.utils import timezone

from shipskip.operations import tidying


class Command(BaseCommand):
    """`manage.py tidy`."""

    help = "Deletes what is older than its stated age."

    def handle(self, *args: object, **options: object) -> None:
        """Print how many rows of each kind were deleted."""
        for row in tidying.tidy(timezone.now()):
            self.stdout.write(f"{row.rows:>8,} {row.what} ({tidying.age_text(row.age)})")
