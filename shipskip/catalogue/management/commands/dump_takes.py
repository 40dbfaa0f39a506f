"""Write all takes as a CSV file."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from shipskip.catalogue import takes_csv
from shipskip.web.command_files import put


class Command(BaseCommand):
    """`manage.py dump_takes [FILE]`."""

    help = "Writes all takes, drafts included, as CSV that a spreadsheet opens safely."

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE, or none for the standard output."""
        parser.add_argument(
            "file", metavar="FILE", type=Path, nargs="?", help="where to; printed when left out"
        )

    def handle(self, *, file: Path | None, **options: Any) -> None:
        """Print the rows, or put them in place of FILE once they are whole."""
        put(self.stdout, file, takes_csv.dump())
