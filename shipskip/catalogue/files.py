"""The three kinds of files that commands and the desk export and import."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import IO

from shipskip.catalogue import csv, reading
from shipskip.catalogue.document import Document
from shipskip.catalogue.dumping import dump
from shipskip.catalogue.reading import Progress


@dataclass(frozen=True)
class FileKind:
    """One kind of file: how it is read and written, the note in the histories of what it changes,
    and why public scores change, if nobody gives a reason; without one a file must give it.
    """

    name: str
    suffix: str
    content_type: str
    read: Callable[[IO[bytes], Progress | None], Document]
    dump: Callable[[], Generator[str, None, None]]
    note: str
    reason: str = ""


CATALOGUE = FileKind(
    name="catalogue",
    suffix="json",
    content_type="application/json",
    read=reading.read,
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
