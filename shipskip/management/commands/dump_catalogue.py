"""Write the site's catalogue as one document."""

import os
import sys
import tempfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from django import db
from django.core.management.base import BaseCommand, CommandError, CommandParser

from shipskip import catalogue


class Command(BaseCommand):
    """`manage.py dump_catalogue [FILE]`."""

    help = "Writes the whole catalogue, drafts included, as one document."

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE, or none for the standard output."""
        parser.add_argument(
            "file", metavar="FILE", type=Path, nargs="?", help="where to; printed when left out"
        )

    def handle(self, *, file: Path | None, **options: Any) -> None:
        """Print the document, or put it in place of FILE once it is whole."""
        try:
            with closing(catalogue.dump()) as pieces:
                if file:
                    _replace(file.resolve(), pieces)
                else:
                    self._print(pieces)
        except BrokenPipeError:
            # The reader has enough. Nothing more can be flushed to it at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except OSError as error:
            raise CommandError(f"{file or 'output'}: {error.strerror or error}") from None
        except db.Error as error:
            said = str(error).strip().partition("\n")[0]
            raise CommandError(f"The database says “{said}”. Has “migrate” been run?") from None

    def _print(self, pieces: Iterable[str]) -> None:
        # A document is UTF-8 with plain line ends, whatever the terminal's language.
        reconfigure = getattr(self.stdout._out, "reconfigure", None)
        if reconfigure:
            reconfigure(encoding="utf-8", newline="\n")
        for piece in pieces:
            self.stdout.write(piece, ending="")
        self.stdout.flush()


def _replace(path: Path, pieces: Iterable[str]) -> None:
    """Write to a neighbour and rename it, so that a reader finds the old document or the new."""
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8", newline="\n") as device:
            device.writelines(pieces)
        return
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    draft = Path(name)
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as written:
            written.writelines(pieces)
            written.flush()
            os.fsync(written.fileno())
        draft.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
