"""Load a catalogue document into the site: all of it or nothing."""

import os
import shutil
import stat
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from django import db
from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from shipskip import catalogue
from tools.models import Tool

MOST_SHOWN = 5_000


class Command(BaseCommand):
    """`manage.py load_catalogue FILE`."""

    help = "Loads a catalogue document: all of it or nothing, and safe to repeat."

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE, and what to do with it."""
        parser.add_argument("file", metavar="FILE", type=Path, help="the document, as JSON")
        parser.add_argument(
            "--if-empty", action="store_true", help="do nothing if the site holds any tool"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="only tell what would be created and changed"
        )

    def handle(self, *, file: Path, if_empty: bool, dry_run: bool, **options: Any) -> None:
        """Load, and end with what was done, or with every fault and exit status 1."""
        try:
            if if_empty and Tool.objects.exists():
                self.stdout.write(f"The site holds tools already; {file} was not loaded.")
                return
            with ExitStack() as stack:
                document = _seekable(stack.enter_context(file.open("rb")), stack)
                progress = stack.enter_context(_Progress(document))
                report = catalogue.load(document, dry_run=dry_run, progress=progress)
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror or error}; nothing written") from None
        except catalogue.RefusedError as error:
            self._tell_faults(error.faults)
            raise CommandError(f"{file}: {error}") from None
        except catalogue.ConflictError as error:
            raise CommandError(f"{file}: {error}; nothing written, try again") from None
        except db.Error as error:
            said = str(error).strip().partition("\n")[0]
            raise CommandError(
                f"{file}: the database says “{said}”; nothing written. Has “migrate” been run?"
            ) from None
        self._tell_report(report, dry_run=dry_run)

    def _tell_faults(self, faults: list[catalogue.Fault]) -> None:
        for fault in faults[:MOST_SHOWN]:
            self.stderr.write(str(fault))
        if len(faults) > MOST_SHOWN:
            self.stderr.write(f"… and {len(faults) - MOST_SHOWN:,} faults more")

    def _tell_report(self, report: catalogue.Report, *, dry_run: bool) -> None:
        self.stdout.write(f"{'':12}{'created':>10}{'changed':>10}{'left alone':>12}")
        for name, count in report.counts().items():
            row = f"{count.created:>10,}{count.changed:>10,}{count.left_alone:>12,}"
            self.stdout.write(f"{name:12}{row}")
        if not report.changed_anything:
            self.stdout.write("Nothing changed.")
        elif dry_run:
            self.stdout.write("This was a dry run: nothing was written.")


def _seekable(file: IO[bytes], stack: ExitStack) -> IO[bytes]:
    """The file itself, or a copy of what comes out of a pipe, which can be read but once."""
    if file.seekable():
        return file
    copy: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - the stack closes it
    stack.callback(copy.close)
    shutil.copyfileobj(file, copy)
    return copy


class _Progress:
    """A bar for each stage on a terminal, nothing elsewhere."""

    def __init__(self, document: IO[bytes]) -> None:
        found = os.fstat(document.fileno())
        self._total = found.st_size if stat.S_ISREG(found.st_mode) else None
        self._bar: tqdm[Any] | None = None
        self._stage, self._done = "", 0

    def __call__(self, stage: str, done: int) -> None:
        if self._bar is None or self._stage != stage:
            self._close()
            screen = shutil.get_terminal_size()  # never 0 by 0, as some terminals say
            self._stage, self._done = stage, 0
            self._bar = tqdm(
                desc=stage,
                total=self._total,
                unit="B",
                unit_scale=True,
                leave=False,
                ncols=screen.columns - 1,
                nrows=screen.lines - 1,
                file=sys.stderr,
                disable=None,
            )
        self._bar.update(done - self._done)
        self._done = done

    def __enter__(self) -> "_Progress":
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
