"""The base of the commands that load a file: options, faults and report."""

import argparse
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from django import db
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from reviews.models import TakeChange
from shipskip.catalogue.applying import apply
from shipskip.catalogue.changes import KEPT, OVERRULED_PRICES, ChangeList, Changes
from shipskip.catalogue.comparing import compare
from shipskip.catalogue.faults import InvalidFileError, SiteChangedError
from shipskip.catalogue.files import FileKind
from shipskip.catalogue.spreadsheet_columns import Spelling
from shipskip.editing.bulk_saves import Save
from shipskip.search.indexing import index_all
from shipskip.web.command_files import ProgressBar, seekable
from shipskip.web.text import validate_reason


class LoadCommand(BaseCommand):
    """Loads a file: all of it or nothing."""

    kind: FileKind

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE and the options."""
        parser.add_argument("file", metavar="FILE", type=Path, help="the file to load")
        parser.add_argument(
            "--dry-run", action="store_true", help="only list what would be created and changed"
        )
        parser.add_argument(
            "--reason",
            type=public_reason,
            help="the public reason for changes of scores and verdicts that readers could see",
        )

    def handle(self, *, file: Path, dry_run: bool, reason: str | None, **options: Any) -> None:
        """Load, and print what was done, or every fault with exit status 1."""
        try:
            with database_errors(file), ExitStack() as stack:
                content = seekable(stack.enter_context(file.open("rb")), stack)
                progress = stack.enter_context(ProgressBar())
                spelling = Spelling(options.get("decimal_sign"), options.get("day_order"))
                document = self.kind.read(content, progress, spelling)
                save = Save(note=self.kind.note)
                changes = compare(document, save, reason or self.kind.reason, progress)
                if not dry_run:
                    apply(changes, progress)
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror or error}; nothing written") from None
        except InvalidFileError as error:
            for fault in error.faults:
                self.stderr.write(str(fault))
            raise CommandError(f"{file}: {error}") from None
        except SiteChangedError as error:
            raise CommandError(f"{file}: {error}; nothing written, try again") from None
        if not dry_run:
            index_all()
        self._print_changes(changes, dry_run=dry_run)

    def _print_changes(self, changes: Changes, *, dry_run: bool) -> None:
        if dry_run:
            self._print_lists(changes.lists())
        head = f"{'created':>10}{'changed':>10}{'removed':>10}{'left alone':>12}"
        self.stdout.write(f"{'':12}{head}")
        for name, count in changes.counts.items():
            row = f"{count.created:>10,}{count.changed:>10,}{count.removed:>10,}"
            self.stdout.write(f"{name:12}{row}{count.left_alone:>12,}")
        if public := changes.on_record.total:
            self.stdout.write(
                f"Scores or verdicts that readers could see, for the public record: {public:,}"
            )
        if not dry_run:
            told = {OVERRULED_PRICES: changes.overruled, KEPT: changes.kept}
            self._print_lists({heading: each for heading, each in told.items() if each.total})
        if not changes.changed_anything:
            self.stdout.write("Nothing changed.")
        elif dry_run:
            self.stdout.write("This was a dry run: nothing was written.")

    def _print_lists(self, lists: Mapping[str, ChangeList]) -> None:
        for heading, changes in lists.items():
            self.stdout.write(f"{heading}:")
            for entry in changes.entries:
                self.stdout.write(f"  {entry}")
            if changes.unlisted:
                self.stdout.write(f"  … and {changes.unlisted:,} more")
            self.stdout.write("")


@contextmanager
def database_errors(file: Path) -> Iterator[None]:
    """Report an error of the database in a sentence."""
    try:
        yield
    except db.Error as error:
        message = str(error).strip().partition("\n")[0]
        raise CommandError(
            f"{file}: the database reports “{message}”; nothing written. Has “migrate” been run?"
        ) from None


def public_reason(text: str) -> str:
    """A reason for the public record, as an option; raises ArgumentTypeError for an invalid one."""
    field = TakeChange._meta.get_field("reason")
    try:
        cleaned = str(field.clean(text.strip(), None))
        validate_reason(cleaned)
    except ValidationError as error:
        raise argparse.ArgumentTypeError(" ".join(error.messages)) from None
    return cleaned
