"""Rebuild the search index from all rows."""

from typing import Any

from django.core.management.base import BaseCommand

from shipskip.search.indexing import rebuild


class Command(BaseCommand):
    """`manage.py rebuild_search_index`."""

    help = "Rebuilds the search index from all rows; searches find less until it is done."

    def handle(self, **options: Any) -> None:
        """Rebuild the index and print the number of rows."""
        self.stdout.write(f"{rebuild():,} rows indexed.")
