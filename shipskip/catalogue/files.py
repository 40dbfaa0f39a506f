"""The three kinds of files that commands and the desk exchange, and how a file shows its kind."""

from codecs import BOM_UTF8
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import IO

from shipskip.catalogue import csv, reading
from shipskip.catalogue.document import Document
from shipskip.catalogue.dumping import dump
from shipskip.catalogue.faults import Fault, InvalidFileError
from shipskip.catalogue.reading import Progress
from shipskip.catalogue.spreadsheet_columns import SELF_EVIDENT, Spelling


@dataclass(frozen=True)
class FileKind:
    """One kind of file: how it is read and written, the note in the histories of what it changes,
    and why public scores change, if nobody gives a reason; without one a file must give it.
    """

    name: str
    suffix: str
    content_type: str
    read: Callable[..., Document]
    dump: Callable[[], Generator[str, None, None]]
    note: str
    reason: str = ""

    @property
    def command(self) -> str:
        """The command that loads such a file on the server."""
        return f"python manage.py load_{self.name} FILE.{self.suffix}"


def _read_catalogue(
    file: IO[bytes], progress: Progress | None = None, _: Spelling = SELF_EVIDENT
) -> Document:
    """A catalogue document; JSON has one way to write a number or a day."""
    return reading.read(file, progress)


CATALOGUE = FileKind(
    name="catalogue",
    suffix="json",
    content_type="application/json",
    read=_read_catalogue,
    dump=dump,
    note="Loaded from a catalogue document",
    reason="Corrected with a new edition of the catalogue",
)
TAKES, FACTS = (
    FileKind(
        name=table.kind.name,
        suffix="csv",
        content_type="text/csv; charset=utf-8",
        read=table.read,
        dump=table.dump,
        note=f"Loaded from a CSV file of {table.kind.name}",
    )
    for table in (csv.TAKES, csv.FACTS)
)
KINDS = (CATALOGUE, TAKES, FACTS)
UNKNOWN = (
    "is none of the three kinds: a catalogue document begins with “{”; the first line of takes "
    f"names the columns {', '.join(csv.TAKES.required)}; the first line of facts names the columns "
    f"{', '.join(csv.FACTS.required)}"
)
_HEAD_BYTES = 64 * 1024


def kind_of(file: IO[bytes]) -> FileKind:
    """The kind of a file, by its first character or its header; `file` is binary and seekable.

    Raises InvalidFileError if it is of none.
    """
    file.seek(0)
    head = file.read(_HEAD_BYTES)
    file.seek(0)
    if head.removeprefix(BOM_UTF8).lstrip().startswith((b"{", b"[")):
        return CATALOGUE
    names = csv.column_names(head)
    if "attribute" in names:
        return FACTS
    if "reviewer" in names:
        return TAKES
    raise InvalidFileError([Fault(csv.FILE, UNKNOWN)])
