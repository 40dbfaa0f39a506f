"""Load a catalogue document into the site: all of it or nothing."""

from pathlib import Path
from typing import IO, Any

from django import db
from django.core.management.base import CommandError, CommandParser

from shipskip.catalogue.change_log import REASON, LoadContext, Report
from shipskip.catalogue.loading import load as load_document
from shipskip.catalogue.management.load_command import LoadCommand
from shipskip.web.command_files import ProgressBar
from tools.models import Tool


class Command(LoadCommand):
    """`manage.py load_catalogue FILE`."""

    help = "Loads a catalogue document (JSON): all of it or nothing, and safe to repeat."

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE and the options."""
        super().add_arguments(parser)
        parser.add_argument(
            "--if-empty", action="store_true", help="do nothing if the site has any tool"
        )

    def handle(
        self, *, file: Path, if_empty: bool, dry_run: bool, reason: str | None, **options: Any
    ) -> None:
        """Load, unless --if-empty is given and the site has tools."""
        try:
            if if_empty and Tool.objects.exists():
                self.stdout.write(f"The site has tools already; {file} was not loaded.")
                return
        except db.Error as error:
            message = str(error).strip().partition("\n")[0]
            message = f"The database reports “{message}”. Has “migrate” been run?"
            raise CommandError(message) from None
        load_context = LoadContext(reason=reason or REASON)

        def load(document: IO[bytes], progress: ProgressBar) -> Report:
            return load_document(document, load_context, dry_run=dry_run, progress=progress)

        self.load(file, load, dry_run=dry_run)
