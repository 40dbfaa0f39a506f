"""Read a CSV file as rows of cells, each with the number of its first line."""

import csv
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from io import SEEK_END
from typing import IO

from shipskip.catalogue.faults import Fault, InvalidFileError, quoted
from shipskip.catalogue.reading import Progress
from shipskip.catalogue.value_parsers import did_you_mean

MAX_COLUMNS = 50
SEPARATORS = ",;\t"
FILE_PLACE = "the file"
SAVE_AS = "save it as “CSV UTF-8”"
_SPREADSHEET = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")


@dataclass(frozen=True)
class Layout:
    """The columns of one kind of file, in the order of a row's cells, and the noun for its rows."""

    noun: str
    known: tuple[str, ...]
    optional: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CsvRow:
    """One row of the file: the number of its first line, and a cell for each known column,
    None if the file does not have the column.

    If the row has too many or too few cells, `fault` is set and there are no cells.
    """

    number: int
    cells: tuple[str | None, ...] = ()
    fault: Fault | None = None


class UnreadableError(Exception):
    """Reading stops at this fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


def csv_rows(file: IO[bytes], layout: Layout, progress: Progress | None = None) -> Iterator[CsvRow]:
    """The rows below the header, without blank ones.

    `file` is binary and seekable. Raises InvalidFileError if the first line is not the header of
    this kind of file. Raises UnreadableError at an unreadable place, after yielding all rows before
    it.
    """
    file.seek(0)
    if file.read(4) in _SPREADSHEET:
        raise InvalidFileError([Fault(FILE_PLACE, f"is a spreadsheet, not CSV: {SAVE_AS}")])
    texts = _texts(file, progress)
    first = next(texts, "").removeprefix("\ufeff")
    if not first.strip():
        raise InvalidFileError([Fault(FILE_PLACE, f"is empty; download the {layout.noun} first")])
    separator, names = _header(first, layout)
    places = [names.index(name) if name in names else None for name in layout.known]
    reader = csv.reader(texts, delimiter=separator, strict=True)
    number = 2
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield _line(number, cells, names, places)
            number = reader.line_num + 2
    except csv.Error as error:
        raise UnreadableError(Fault(f"line {number}", _broken(str(error)))) from None


def _line(number: int, cells: list[str], names: list[str], places: list[int | None]) -> CsvRow:
    if len(cells) != len(names):
        message = (
            f"has {len(cells)} cells, the first line has {len(names)}; a text with "
            "a separator or a line break must be in double quotes"
        )
        return CsvRow(number, fault=Fault(f"line {number}", message))
    return CsvRow(number, tuple(None if at is None else cells[at] for at in places))


def _texts(file: IO[bytes], progress: Progress | None) -> Iterator[str]:
    """The lines of the file with their line ends, split as bytes: in UTF-8 no other character
    contains the byte of a line end.
    """
    size, done = file.seek(0, SEEK_END), 0
    file.seek(0)
    for number, raw in enumerate(file, 1):
        try:
            yield raw.decode()
        except UnicodeDecodeError as error:
            marked = number == 1 and raw.startswith(BOM_UTF8)
            at = len(raw[: error.start].decode()) + 1 - marked
            byte = raw[error.start]
            message = f"is not UTF-8 (byte 0x{byte:02x}): {SAVE_AS}; the rest was not read"
            raise UnreadableError(Fault(f"line {number}, character {at}", message)) from None
        done += len(raw)
        if progress:
            progress("Loading", done, size)


def _header(text: str, layout: Layout) -> tuple[str, list[str]]:
    """The separator, and the names of the columns; raises InvalidFileError for wrong ones."""
    known = layout.known
    read = {separator: _names(text, separator) for separator in SEPARATORS}
    separator = max(read, key=lambda separator: len(set(read[separator]) & set(known)))
    names = read[separator]
    faults = []
    for at, name in enumerate(names[:MAX_COLUMNS], 1):
        place = f"line 1, column {at}"
        if name not in known:
            hint = did_you_mean(name, known) or f"; the columns are {', '.join(known)}"
            faults.append(Fault(place, f"{quoted(name)} is not a column of {layout.noun}{hint}"))
        elif names.index(name) + 1 < at:
            faults.append(Fault(place, f"{quoted(name)} is given twice; keep one"))
    if len(names) > MAX_COLUMNS:
        faults.append(
            Fault("line 1", f"has {len(names):,} columns; {layout.noun} have {len(known)}")
        )
    missing = [name for name in known if name not in (*names, *layout.optional)]
    faults += [Fault("line 1", f"the column {quoted(name)} is missing") for name in missing]
    if faults:
        raise InvalidFileError(faults)
    return separator, names


def _names(text: str, separator: str) -> list[str]:
    try:
        cells = next(csv.reader([text], delimiter=separator), [])
    except csv.Error:
        return []
    return [re.sub(r"\s+", " ", cell).strip().lower() for cell in cells]


def _broken(reason: str) -> str:
    """The parser's error as a sentence."""
    if "field larger" in reason:
        message = f"contains a text of more than {csv.field_size_limit():,} characters; check for "
        message += "a double quote that is not closed"
    elif "expected after" in reason:
        message = "has a double quote within a text; write it twice"
    elif "end of data" in reason:
        message = "has a text whose double quotes are not closed"
    else:
        message = f"is not CSV ({reason})"
    return f"{message}; the rest was not read"
