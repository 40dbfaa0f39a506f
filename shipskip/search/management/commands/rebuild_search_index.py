"""Make the search index again from all rows."""

from typing import Any

from django.core.management.base import BaseCommand

from shipskip.search.indexing import rebuild


class Command(BaseCommand):
    """`manage.py rebuild_search_index`."""

    help = "Rebuilds the search index from all rows; searches find less until it is done."

    def handle(self, **options: Any) -> None:
        """Rebuild it and say how many rows it has."""
        self.stdout.write(f"{rebuild():,} rows indexed.")
