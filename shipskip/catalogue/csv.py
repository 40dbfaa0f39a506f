"""Takes and facts as CSV files: exported, changed in a spreadsheet, and loaded again.

A row becomes the only take or fact in an entry of its tool, so a file of rows is a document too.
"""

import csv
import io
import re
from codecs import BOM_UTF8
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import SEEK_END
from typing import IO, Any

from pydantic import create_model

from reviews.models import TakeChange
from shipskip.catalogue.cells import cell_of, value_of
from shipskip.catalogue.document import Document
from shipskip.catalogue.dumping import parts_of
from shipskip.catalogue.entries import FACT, PARTS, TAKE, Entry, Kind, Slug, text_type, validated
from shipskip.catalogue.faults import Fault, InvalidFileError, Json, Path, did_you_mean, quoted
from shipskip.catalogue.reading import UNREAD, Progress
from shipskip.catalogue.rows import EDITORS_KEYS, Slugs, Values
from shipskip.catalogue.spreadsheet_columns import SELF_EVIDENT, Spelling, SpreadsheetColumns
from shipskip.web.read_snapshot import read_snapshot
from shipskip.web.text import validate_line
from tools.fact_values import NOT_SAID, FactAnswer, stands_for_silence
from tools.models import Attribute

BYTE_ORDER_MARK = "\ufeff"
"""Without the byte order mark Excel does not recognise UTF-8."""
BATCH = 500
MAX_COLUMNS = 50
SEPARATORS = ",;\t"
FILE = "the file"
SAVE_AS = "save it as “CSV UTF-8”"
_EXCELS_SEPARATOR = re.compile(r"sep=.", re.IGNORECASE)
"""The line above the header with which a file tells Excel its separator."""
_SPREADSHEET = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")


EMPTY = (
    f"is empty: write “{NOT_SAID}” where the source was read and does not say; a row with nothing "
    "besides tool and attribute changes nothing"
)


class _UnreadableError(Exception):
    """Reading stops at this place."""

    def __init__(self, place: str, sentence: str) -> None:
        super().__init__(f"{sentence}; {UNREAD}")
        self.place = place


@dataclass(frozen=True)
class Table:
    """One kind of file: the kind of its rows, what a row accepts, its columns in their order, and
    those that a file must have.
    """

    kind: Kind
    row: type[Entry]
    columns: Sequence[str]
    required: Sequence[str]

    def read(
        self, file: IO[bytes], progress: Progress | None = None, spelling: Spelling = SELF_EVIDENT
    ) -> Document:
        """The rows of a file as a document, with its faults; `file` is binary and seekable, and
        `spelling` is what an editor said of its numbers and days.

        Raises InvalidFileError if the first line is not the header of this kind of file.
        """
        document = Document(kinds=(self.kind.name,), lines=[])
        try:
            columns = self._columns(file, spelling, document) if self.kind is FACT else None
            for line, names, cells in self._lines(file, progress):
                if self.kind is FACT and not _says_something(names, cells):
                    continue
                if document.is_full:
                    document.unseen += 1
                else:
                    self._add(document, line, names, cells, columns)
        except _UnreadableError as error:
            document.add_fault(error.place, str(error))
        return document

    def _columns(
        self, file: IO[bytes], spelling: Spelling, document: Document
    ) -> SpreadsheetColumns:
        """How the columns of the file write numbers and days; the document gets the faults of whole
        columns.
        """
        kinds = dict(Attribute.objects.values_list("slug", "kind"))
        columns = SpreadsheetColumns(kinds, spelling, has_commas=self._separator(file) == ",")
        for line, names, cells in self._lines(file, None):
            if len(cells) == len(names):
                columns.note(line, dict(zip(names, cells, strict=True)))
        for place, sentence in columns.faults():
            document.add_fault(place, sentence)
        document.asks = columns.asks
        return columns

    def _add(
        self,
        document: Document,
        line: int,
        names: Sequence[str],
        cells: Sequence[str],
        columns: SpreadsheetColumns | None,
    ) -> None:
        """Check and keep a row."""
        path = document.next_path("tools")
        values: Values = {}
        if len(cells) == len(names):
            own: Path = (*path, self.kind.name, 0)
            row: dict[str, Json] = {}
            faults: dict[Path, str] = {}
            written = dict(zip(names, cells, strict=True))
            for key, cell in written.items():
                try:
                    text = columns.read(key, written) if columns else cell
                    row[key] = value_of(text, self.kind, key)
                except ValueError as error:
                    row[key], faults[(key,)] = None, str(error)
            stated = document.checked(self.row, self._stated(row, faults), own, faults)
            values = {"slug": stated.pop("tool", None), self.kind.name: [stated]}
        else:
            sentence = f"has {len(cells)} cells, the first line has {len(names)}; a text with a "
            sentence += "separator or a line break must be in double quotes"
            document.add_fault(path, sentence)
        document.keep("tools", values, line)

    def _stated(self, row: dict[str, Json], faults: dict[Path, str]) -> dict[str, Json]:
        """A row as in a document, which has either the value of a fact or `applies`, and `null` for
        a source that does not say; faults are added.
        """
        if self.kind is not FACT:
            return row
        value = row.get("value")
        if isinstance(value, str) and stands_for_silence(value):
            row["value"] = None
            if not row.get("source"):
                faults["value",] = f"is {NOT_SAID}, but “source” is empty: give what was read"
        elif isinstance(value, str) and not value.strip():
            row["value"] = None
            if row.get("applies", True):
                faults["value",] = EMPTY
        if row.get("applies") is True:
            del row["applies"]
        elif "applies" in row and row.get("value") is None:
            row.pop("value", None)
        return row

    def _lines(
        self, file: IO[bytes], progress: Progress | None
    ) -> Iterator[tuple[int, list[str], list[str]]]:
        """The rows below the header without blank ones: number, names of columns, cells."""
        texts, separator, header, number = self._opened(file, progress)
        names = _without_empty_end(header)
        reader = csv.reader(texts, delimiter=separator, strict=True)
        before = number
        number += 1
        try:
            for cells in reader:
                if any(cell.strip() for cell in cells):
                    is_wide = len(cells) == len(header) and not any(cells[len(names) :])
                    yield number, names, cells[: len(names)] if is_wide else cells
                number = before + reader.line_num + 1
        except csv.Error as error:
            raise _UnreadableError(f"line {number}", _broken(str(error))) from None

    def _separator(self, file: IO[bytes]) -> str:
        return self._opened(file, None)[1]

    def _opened(
        self, file: IO[bytes], progress: Progress | None
    ) -> tuple[Iterator[str], str, list[str], int]:
        """The lines below the header, the separator, the names of the columns, empty ones at their
        end included, and the number of the header's line.
        """
        file.seek(0)
        _refuse_spreadsheet(file.read(4))
        texts = _texts(file, progress)
        first, number = next(texts, "").removeprefix(BYTE_ORDER_MARK), 1
        if _EXCELS_SEPARATOR.fullmatch(first.strip("\r\n")):
            first, number = next(texts, ""), 2
        if not first.strip():
            raise InvalidFileError([Fault(FILE, f"is empty; download the {self.kind.name} first")])
        separator, names = self._header(first, number)
        return texts, separator, names, number

    def _header(self, text: str, line: int) -> tuple[str, list[str]]:
        """The separator, and the names of the columns; raises InvalidFileError for wrong ones."""
        known = self.columns
        read = {separator: _names(text, separator) for separator in SEPARATORS}
        separator = max(read, key=lambda separator: len(set(read[separator]) & set(known)))
        names = read[separator]
        faults = []
        for at, name in enumerate(_without_empty_end(names)[:MAX_COLUMNS], 1):
            place = f"line {line}, column {at}"
            if name not in known:
                hint = did_you_mean(name, known) or f"; the columns are {', '.join(known)}"
                sentence = f"{quoted(name)} is not a column of {self.kind.name}{hint}"
                faults.append(Fault(place, sentence))
            elif names.index(name) + 1 < at:
                faults.append(Fault(place, f"{quoted(name)} is given twice; keep one"))
        if len(names) > MAX_COLUMNS:
            sentence = f"has {len(names):,} columns; {self.kind.name} have {len(known)}"
            faults.append(Fault(f"line {line}", sentence))
        missing = [name for name in self.required if name not in names]
        faults += [
            Fault(f"line {line}", f"the column {quoted(name)} is missing") for name in missing
        ]
        if faults:
            raise InvalidFileError(faults)
        return separator, names

    @property
    def dumped_columns(self) -> list[str]:
        """The columns of a dump: a reason is for a load."""
        return [name for name in self.columns if name != "reason"]

    def dump(self) -> Generator[str, None, None]:
        """All rows as pieces of one CSV text, drafts too, but none of deleted tools.

        The text is one snapshot of the site; close the generator if you stop before its end.
        """
        with read_snapshot():
            slugs = Slugs.now()
            yield BYTE_ORDER_MARK + _text([self.dumped_columns])
            tools = list(slugs.names["tools"])
            for at in range(0, len(tools), BATCH):
                batch = tools[at : at + BATCH]
                found = parts_of(self.kind, batch, slugs)
                rows = [
                    {**values, "tool": slugs.names["tools"][tool]}
                    for tool in batch
                    for values in found.get(tool, ())
                ]
                if rows:
                    yield _text(row_of(row, self.dumped_columns) for row in rows)


def row_of(values: Values, columns: Iterable[str]) -> list[str]:
    """The cells of an entry; empty where it lacks a key."""
    answer = values.get("value")
    if isinstance(answer, FactAnswer):
        values = {**values, "applies": answer.applies}
    return [cell_of(values.get(name)) for name in columns]


def public_columns(kind: Kind) -> list[str]:
    """The columns of what readers see of a kind; those of takes and facts can be loaded."""
    table = next((each for each in (TAKES, FACTS) if each.kind is kind), None)
    if table:
        return table.dumped_columns
    own = [key for key in kind.entry.model_fields if key not in {*PARTS, *EDITORS_KEYS}]
    return ["tool", *own] if kind.name in PARTS else own


def column_names(head: bytes) -> set[str]:
    """The names in the first line of a file, whatever separates them.

    Raises InvalidFileError for an empty file, a spreadsheet, and a line that is not UTF-8.
    """
    _refuse_spreadsheet(head[:4])
    if not head.removeprefix(BOM_UTF8).strip():
        raise InvalidFileError([Fault(FILE, "is empty")])
    lines = head.removeprefix(BOM_UTF8).splitlines()
    try:
        first = lines[0].decode()
        if _EXCELS_SEPARATOR.fullmatch(first) and len(lines) > 1:
            first = lines[1].decode()
    except UnicodeDecodeError as error:
        byte = f"byte 0x{head[error.start]:02x}"
        raise InvalidFileError([Fault(FILE, f"is not UTF-8 ({byte}): {SAVE_AS}")]) from None
    return {name for separator in SEPARATORS for name in _names(first, separator)}


def _refuse_spreadsheet(start: bytes) -> None:
    """Raise InvalidFileError if a file that begins with these four bytes is a spreadsheet."""
    if start in _SPREADSHEET:
        raise InvalidFileError([Fault(FILE, f"is a spreadsheet, not CSV: {SAVE_AS}")])


def _without_empty_end(names: list[str]) -> list[str]:
    """A header without the empty cells that Excel writes where a sheet was wider."""
    return names[: max((at for at, name in enumerate(names, 1) if name), default=0)]


def _says_something(names: Sequence[str], cells: Sequence[str]) -> bool:
    """Whether a row of facts has more than a tool and an attribute."""
    filled = {name for name, cell in zip(names, cells, strict=False) if cell.strip()}
    return len(cells) != len(names) or not filled <= {"tool", "attribute"}


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
            sentence = f"is not UTF-8 (byte 0x{raw[error.start]:02x}): {SAVE_AS}"
            raise _UnreadableError(f"line {number}, character {at}", sentence) from None
        done += len(raw)
        if progress:
            progress("Reading", done, size)


def _names(text: str, separator: str) -> list[str]:
    try:
        cells = next(csv.reader([text], delimiter=separator), [])
    except csv.Error:
        return []
    return [re.sub(r"\s+", " ", cell).strip().lower() for cell in cells]


def _broken(reason: str) -> str:
    """The parser's error as a sentence."""
    if "field larger" in reason:
        sentence = f"contains a text of more than {csv.field_size_limit():,} characters; check for "
        return f"{sentence}a double quote that is not closed"
    if "expected after" in reason:
        return "has a double quote within a text; write it twice"
    if "end of data" in reason:
        return "has a text whose double quotes are not closed"
    return f"is not CSV ({reason})"


def _text(rows: Iterable[Iterable[str]]) -> str:
    """Rows of cells as the text of a CSV file."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue()


def _table(kind: Kind, *columns: str, required: Sequence[str], **own: Any) -> Table:
    """The table of a kind; `own` are the types and defaults of columns that its entries lack."""
    row: type[Entry] = create_model("Row", __base__=kind.entry, tool=(Slug, ...), **own)
    return Table(kind, row, columns, required)


_REASON = TakeChange._meta.get_field("reason").max_length
TAKES = _table(
    TAKE,
    *("tool", "reviewer", "score", "verdict", "because", "body", "published", "basis", "reason"),
    required=("tool", "reviewer", "score", "verdict", "body", "published"),
    reason=(text_type(_REASON, validated(validate_line), blank=True), ""),
)
FACTS = _table(
    FACT,
    *(
        "tool",
        "attribute",
        "value",
        "applies",
        "note",
        "note_only_explains",
        "source",
        "quote",
        "checked",
        "unconfirmed",
    ),
    required=("tool", "attribute", "value"),
)
