"""Write all facts as a CSV file."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from shipskip.catalogue import facts_csv
from shipskip.web.command_files import put


class Command(BaseCommand):
    """`manage.py dump_facts [FILE]`."""

    help = "Writes all facts as CSV that a spreadsheet opens safely."

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE, or standard output without it."""
        parser.add_argument(
            "file",
            metavar="FILE",
            type=Path,
            nargs="?",
            help="the file to write; default: standard output",
        )

    def handle(self, *, file: Path | None, **options: Any) -> None:
        """Print the rows, or replace FILE once they are complete."""
        put(self.stdout, file, facts_csv.dump())
