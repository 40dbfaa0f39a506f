"""One row of a CSV file as a form, and the rows of a whole file."""

from collections.abc import Callable, Mapping
from typing import IO, Generic, Protocol, TypeVar

from django import forms
from django.core.exceptions import ValidationError

from shipskip.catalogue.csv_files.reading import (
    FILE_PLACE,
    CsvRow,
    Layout,
    UnreadableError,
    csv_rows,
)
from shipskip.catalogue.faults import MAX_FAULTS, Fault, InvalidFileError, Json, quoted
from shipskip.catalogue.reading import Progress
from shipskip.catalogue.value_parsers import Parser, did_you_mean

R = TypeVar("R", covariant=True)


class CellField(forms.Field):
    """A form field for a cell, which one of the catalogue's parsers parses."""

    def __init__(self, parser: Parser, value_of: Callable[[str], Json] = str.strip) -> None:
        super().__init__(required=False)  # the parsers decide what may be missing
        self._parser = parser
        self._value_of = value_of

    def to_python(self, value: object) -> object:
        """The value of a cell's text, None without a cell; raises ValidationError."""
        if value is None:
            return None
        faults: list[Fault] = []
        read: object = self._parser.parse(self._value_of(str(value)), "", faults)
        if faults:
            raise ValidationError(faults[0].message)
        return read


class RowForm(forms.Form):
    """A row whose cells are its fields."""

    def __init__(self, line: CsvRow, layout: Layout) -> None:
        super().__init__(dict(zip(layout.known, line.cells, strict=True)))
        self.number = line.number

    def faults(self) -> list[Fault]:
        """The faults of the row, one for each error of a cell."""
        return [
            Fault(f"line {self.number}, {column}", str(message))
            for column, messages in self.errors.items()
            for message in messages
        ]


class CheckedRow(Protocol, Generic[R]):
    """A row's form after its cells were parsed."""

    def is_valid(self) -> bool:
        """Whether all cells are valid."""

    def row(self) -> R:
        """A valid row as it will be stored."""

    def faults(self) -> list[Fault]:
        """The faults of the row."""


def checked_rows(
    file: IO[bytes],
    layout: Layout,
    form_of: Callable[[CsvRow], CheckedRow[R]],
    progress: Progress | None,
    max_rows: int | None,
    command: str,
) -> tuple[list[R], list[Fault]]:
    """Return the valid rows, and the faults of the others and of the file. A file of more than
    `max_rows` is refused with a message that names `command`, which has no such limit.
    """
    rows: list[R] = []
    faults: list[Fault] = []
    try:
        for at, line in enumerate(csv_rows(file, layout, progress)):
            if at == max_rows:
                message = f"has more than {max_rows:,} rows, the maximum here: load it on "
                message += f"the server with “{command}”"
                raise InvalidFileError([Fault(FILE_PLACE, message)])
            if line.fault:
                faults.append(line.fault)
                continue
            form = form_of(line)
            if form.is_valid():
                rows.append(form.row())
            else:
                faults += form.faults()
            if len(faults) > MAX_FAULTS:
                break
    except UnreadableError as error:
        faults.append(error.fault)
    return rows, faults


def number_of(fault: Fault) -> int:
    """The line number of a fault, for sorting."""
    return int(fault.place.removeprefix("line ").partition(",")[0])


def known_key(slug: str, noun: str, known: Mapping[str, int], hint: str = "") -> int:
    """The primary key of a slug; raises ValidationError with the nearest slug."""
    if slug in known:
        return known[slug]
    hint = hint or did_you_mean(slug, known)
    raise ValidationError(f"{quoted(slug)} is no {noun} of this site{hint}")
