"""The base of the commands that write a file."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from shipskip.catalogue.files import FileKind
from shipskip.web.command_files import put


class DumpCommand(BaseCommand):
    """Writes a file, or to standard output."""

    kind: FileKind

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
        """Print the pieces, or replace FILE once they are complete."""
        put(self.stdout, file, self.kind.dump())
