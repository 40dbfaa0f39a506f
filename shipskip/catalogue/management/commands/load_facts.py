"""Load facts from a CSV file: all rows or none."""

from pathlib import Path
from typing import IO, Any

from shipskip.catalogue import facts_csv
from shipskip.catalogue.change_log import LoadContext, Report
from shipskip.catalogue.management.load_command import LoadCommand
from shipskip.web.command_files import ProgressBar


class Command(LoadCommand):
    """`manage.py load_facts FILE.csv`."""

    help = "Loads facts from a CSV file: all rows or none, and safe to repeat."

    def handle(self, *, file: Path, dry_run: bool, reason: str | None, **options: Any) -> None:
        """Load, and print what was done, or every fault with exit status 1."""
        load_context = LoadContext(history_note=facts_csv.HISTORY_NOTE, reason=reason or "")

        def load(document: IO[bytes], progress: ProgressBar) -> Report:
            return facts_csv.load(document, load_context, dry_run=dry_run, progress=progress)

        self.load(file, load, dry_run=dry_run)
