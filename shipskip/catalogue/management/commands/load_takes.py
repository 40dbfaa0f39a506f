"""Load takes from a CSV file: all rows or none."""

from pathlib import Path
from typing import IO, Any

from shipskip.catalogue import takes_csv
from shipskip.catalogue.changes import Report, Signature
from shipskip.catalogue.management.load_command import LoadingCommand
from shipskip.web.command_files import Progress


class Command(LoadingCommand):
    """`manage.py load_takes FILE.csv`."""

    help = "Loads takes from a CSV file: all rows or none, and safe to repeat."

    def handle(self, *, file: Path, dry_run: bool, reason: str | None, **options: Any) -> None:
        """Load, and end with what was done, or with every fault and exit status 1."""
        signature = Signature(act=takes_csv.ACT, reason=reason or "")

        def load(document: IO[bytes], progress: Progress) -> Report:
            return takes_csv.load(document, signature, dry_run=dry_run, progress=progress)

        self.load(file, load, dry_run=dry_run)
