"""Write a catalogue document from a source of open data."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from shipskip.catalogue.sources import SOURCES
from shipskip.catalogue.sources.source import UnusableFolderError
from shipskip.catalogue.sources.writing import document
from shipskip.web.command_files import put
from shipskip.web.text import printable


class Command(BaseCommand):
    """`manage.py catalogue_from SOURCE FOLDER`."""

    help = "Writes a catalogue document (JSON) from open data to standard output."

    def add_arguments(self, parser: CommandParser) -> None:
        """SOURCE and FOLDER."""
        parser.add_argument("source", metavar="SOURCE", choices=SOURCES, help=", ".join(SOURCES))
        parser.add_argument("folder", metavar="FOLDER", type=Path, help="a clone of its repository")

    def handle(self, *, source: str, folder: Path, **options: Any) -> None:
        """Print the document; what is left out goes to standard error, with the reason."""
        chosen = SOURCES[source]
        try:
            reading = chosen.read(folder)
        except UnusableFolderError as error:
            raise CommandError(f"{printable(str(error))}.") from None
        put(self.stdout, None, document(chosen, reading))
        for refusal in reading.refusals:
            self.stderr.write(printable(str(refusal)))
        for note in reading.notes:
            self.stderr.write(printable(note))
        tools = len(reading.tools)
        self.stderr.write(f"{tools:,} tools read, {len(reading.refusals):,} refused.")
