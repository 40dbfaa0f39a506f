"""What the commands that load a file have in common: their options, faults and reports."""

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from django import db
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from reviews.models import TakeChange
from shipskip.catalogue.changes import Journal, Report
from shipskip.catalogue.faults import ConflictError, Fault, RefusedError
from shipskip.web.command_files import Progress, seekable
from shipskip.web.text import validate_reason

MOST_SHOWN = 5_000

Load = Callable[[IO[bytes], Progress], Report]


class LoadingCommand(BaseCommand):
    """Loads a file: all of it or nothing."""

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE, and what to do with it."""
        parser.add_argument("file", metavar="FILE", type=Path, help="what to load")
        parser.add_argument(
            "--dry-run", action="store_true", help="only tell what would be created and changed"
        )
        parser.add_argument(
            "--reason",
            type=reason,
            help="why scores and verdicts change that readers could see; they will read it",
        )

    def load(self, file: Path, load: Load, *, dry_run: bool) -> None:
        """Load, and end with what was done, or with every fault and exit status 1."""
        try:
            with ExitStack() as stack:
                document = seekable(stack.enter_context(file.open("rb")), stack)
                report = load(document, stack.enter_context(Progress()))
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror or error}; nothing written") from None
        except RefusedError as error:
            self._tell_faults(error.faults)
            raise CommandError(f"{file}: {error}") from None
        except ConflictError as error:
            raise CommandError(f"{file}: {error}; nothing written, try again") from None
        except db.Error as error:
            said = str(error).strip().partition("\n")[0]
            raise CommandError(
                f"{file}: the database says “{said}”; nothing written. Has “migrate” been run?"
            ) from None
        self._tell_report(report, dry_run=dry_run)

    def _tell_faults(self, faults: list[Fault]) -> None:
        for fault in faults[:MOST_SHOWN]:
            self.stderr.write(str(fault))
        if len(faults) > MOST_SHOWN:
            self.stderr.write(f"… and {len(faults) - MOST_SHOWN:,} faults more")

    def _tell_report(self, report: Report, *, dry_run: bool) -> None:
        if dry_run:
            self._tell_changes(report.journal)
        self.stdout.write(f"{'':12}{'created':>10}{'changed':>10}{'left alone':>12}")
        for name, count in report.counts().items():
            row = f"{count.created:>10,}{count.changed:>10,}{count.left_alone:>12,}"
            self.stdout.write(f"{name:12}{row}")
        if seen := report.journal.judged.total:
            self.stdout.write(
                f"Scores or verdicts that readers could see, for the public record: {seen:,}"
            )
        if not report.changed_anything:
            self.stdout.write("Nothing changed.")
        elif dry_run:
            self.stdout.write("This was a dry run: nothing was written.")

    def _tell_changes(self, journal: Journal) -> None:
        for heading, chapter in journal.chapters().items():
            self.stdout.write(f"{heading}:")
            for entry in chapter.entries:
                self.stdout.write(f"  {entry}")
            if chapter.unlisted:
                self.stdout.write(f"  … and {chapter.unlisted:,} more")
            self.stdout.write("")


def reason(text: str) -> str:
    """A reason for the public record, as an option; raises ArgumentTypeError for what is none."""
    field = TakeChange._meta.get_field("reason")
    try:
        said = str(field.clean(text.strip(), None))
        validate_reason(said)
    except ValidationError as error:
        raise argparse.ArgumentTypeError(" ".join(error.messages)) from None
    return said
