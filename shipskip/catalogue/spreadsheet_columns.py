"""How the columns of a file of facts write numbers and days: from all their cells, as a spreadsheet
writes a column in one way. No database here.
"""

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

from shipskip.catalogue.faults import quoted
from shipskip.web.typed_values import (
    DayOrder,
    DecimalSign,
    SpreadsheetColumn,
    as_typed,
    days_in,
    numbers_in,
)
from tools.fact_values import AttributeKind, stands_for_no_value

DAY_COLUMN = "checked"
FEW = 5
"""So many cells of a column that are no day have a fault each; more have one together."""


IN_WORDS = {
    DecimalSign.POINT: "a decimal point",
    DecimalSign.COMMA: "a decimal comma",
    DayOrder.DAY_FIRST: "the day first",
    DayOrder.MONTH_FIRST: "the month first",
}


class Spelling(NamedTuple):
    """What an editor said of a file; None where the file itself has to tell."""

    decimal_sign: DecimalSign | None = None
    day_order: DayOrder | None = None


SELF_EVIDENT = Spelling()


class WrongSpellingError(ValueError):
    """A cell is not written as the rest of its column."""


class SpreadsheetColumns:
    """The columns with numbers and days: of values by the kinds of their attributes, and of checks.

    `kinds` are the kinds of attributes by slug.
    """

    def __init__(self, kinds: Mapping[str, str], spelling: Spelling, *, has_commas: bool) -> None:
        self._kinds = kinds
        numbers = partial(numbers_in, point_is_usual=has_commas and not spelling.decimal_sign)
        self._numbers: SpreadsheetColumn[DecimalSign, Decimal]
        self._numbers = SpreadsheetColumn(numbers, spelling.decimal_sign)
        self._days: dict[str, SpreadsheetColumn[DayOrder, date]] = {
            name: SpreadsheetColumn(days_in, spelling.day_order) for name in ("value", DAY_COLUMN)
        }

    def note(self, line: int, row: Mapping[str, str]) -> None:
        """Learn from a row."""
        for name, cell in row.items():
            column = self._column(name, row)
            if column and cell.strip() and not stands_for_no_value(cell):
                column.note(line, cell.strip())

    def read(self, name: str, row: Mapping[str, str]) -> str:
        """A cell as the catalogue writes it; raises WrongSpellingError for one that the column's
        way does not allow.
        """
        cell, column = row[name], self._column(name, row)
        text = cell.strip()
        if column is None or not text or stands_for_no_value(cell):
            return cell
        value = column.read(text)
        if value is not None:
            return as_typed(value)
        if column is not self._numbers and len(column.unreadable) > FEW:
            return ""
        if column.way and column.meanings(text):
            raise WrongSpellingError(f"{quoted(text)} cannot be read with {IN_WORDS[column.way]}")
        return cell

    def faults(self) -> Iterator[tuple[str, str]]:
        """The faults of whole columns, with their places."""
        if self._numbers.is_unclear:
            yield "column value", _unclear(self._numbers, "number", "its decimal sign")
        for name, column in self._days.items():
            if column.is_unclear:
                yield f"column {name}", _unclear(column, "day", "what comes first in a day")
            if len(column.unreadable) > FEW:
                line, text = column.unreadable[0]
                found = (
                    f"has {len(column.unreadable):,} cells that are no day, as {quoted(text)} in "
                )
                remedy = "let your spreadsheet show the column as 2026-11-20 and save it again"
                yield f"column {name}", f"{found}line {line}; {remedy}"

    @property
    def asks(self) -> list[str]:
        """The fields of Spelling that an editor has to say."""
        are_days_unclear = any(column.is_unclear for column in self._days.values())
        asked = {"decimal_sign": self._numbers.is_unclear, "day_order": are_days_unclear}
        return [name for name, is_asked in asked.items() if is_asked]

    def _column(self, name: str, row: Mapping[str, str]) -> "SpreadsheetColumn[Any, Any] | None":
        """The column of a cell; None for one that has neither numbers nor days."""
        if name == DAY_COLUMN:
            return self._days[name]
        kind = self._kinds.get(row.get("attribute", "").strip()) if name == "value" else None
        if kind == AttributeKind.NUMBER:
            return self._numbers
        return self._days[name] if kind == AttributeKind.DATE else None


def _unclear(column: "SpreadsheetColumn[Any, Any]", what: str, missing: str) -> str:
    """Why a column cannot be read."""
    line, text = column.unclear[0]
    count = len(column.unclear)
    cells = f"{count:,} {what}s" if count > 1 else f"a {what}"
    means = f"{quoted(text)} in line {line} is {column.meanings(text)}"
    return f"has {cells} that can be read in two ways: {means}; say {missing}"
