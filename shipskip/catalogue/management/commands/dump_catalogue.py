"""Write the site's catalogue as one document."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from shipskip.catalogue.dumping import dump as dump_document
from shipskip.web.command_files import put


class Command(BaseCommand):
    """`manage.py dump_catalogue [FILE]`."""

    help = "Writes the whole catalogue, drafts included, as one document."

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
        """Print the document, or replace FILE once it is complete."""
        put(self.stdout, file, dump_document())
