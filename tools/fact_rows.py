"""Tables of answers: groups of rows with a cell for each tool, and a numbered list of sources.

No database here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property
from typing import Generic, Protocol, TypeAlias, TypeVar

from tools.fact_values import NOT_APPLICABLE, NOT_STATED

DAYS_OF_A_MONTH, DAYS_OF_A_YEAR = 30.44, 365.25


class HasSource(Protocol):
    """A row that states something, with its source."""

    note: str
    source: str
    checked_on: date | None

    def is_old(self, now: datetime) -> bool:
        """Whether it was checked too long ago."""


@dataclass(frozen=True)
class ShownAnswer:
    """What one tool states: in words, with a note and the number of its source; 0 without one.

    Two answers are equal if their texts are equal; notes and sources are not compared.
    """

    words: str
    is_stated: bool = True
    note: str = field(default="", compare=False)
    origin: HasSource | None = field(default=None, compare=False)
    is_best: bool = field(default=False, compare=False)
    source: int = field(default=0, compare=False)


MISSING = ShownAnswer(NOT_STATED, is_stated=False)
INAPPLICABLE = ShownAnswer(NOT_APPLICABLE, is_stated=False)
AnswerCell: TypeAlias = tuple[ShownAnswer, ...]
"""What one tool states in one row: one answer, or several, such as its prices."""
C = TypeVar("C", covariant=True)


@dataclass(frozen=True)
class TableRow(Generic[C]):
    """One row of a table: a cell for each tool in order, and how to show them."""

    label: str
    cells: Sequence[C]
    """Values of the cells; if they are unequal, the tools differ."""
    kind: str = "answers"
    """How to show the cells; those of `answers` are of type AnswerCell."""
    help: str = ""
    is_repeated: bool = False
    """Whether other parts of the page repeat this row."""
    is_essential: bool = False
    """Whether readers need the row even if the tools do not differ."""

    @cached_property
    def differs(self) -> bool:
        """Whether the tools differ in it."""
        return any(cell != self.cells[0] for cell in self.cells)

    @cached_property
    def is_short(self) -> bool:
        """Whether the row is in the short table for phones: it is essential, or it applies to more
        than one of the tools and they differ.
        """
        if self.is_repeated or self.is_essential:
            return not self.is_repeated
        return self.differs and sum(cell != (INAPPLICABLE,) for cell in self.cells) > 1


@dataclass(frozen=True)
class RowGroup:
    """Rows under one heading."""

    name: str
    rows: Sequence[TableRow[object]]

    @property
    def is_short(self) -> bool:
        """Whether any of its rows belongs to the short table of a phone."""
        return any(row.is_short for row in self.rows)


@dataclass(frozen=True)
class Source:
    """A source of one tool's answers, with the date when an editor checked it."""

    number: int
    tool: str
    address: str
    checked_on: date | None
    age: str
    """`8 months ago`, for a check that is old; else empty."""
    notes: list[tuple[str, str]] = field(default_factory=list)
    """The notes of the answers from this source, each after the label of its row."""


def age_in_words(day: date, now: datetime) -> str:
    """The age of a day, in whole months or, from two years, in whole years."""
    days = (now.date() - day).days
    if days >= 2 * DAYS_OF_A_YEAR:
        return f"{int(days / DAYS_OF_A_YEAR)} years ago"
    months = max(round(days / DAYS_OF_A_MONTH), 1)
    return f"{months} month{'s' if months > 1 else ''} ago"


class SourceList:
    """The sources of a table, numbered in reading order.

    Answers of one tool with the same address and date share an entry.
    """

    def __init__(self, now: datetime) -> None:
        self.now = now
        self._numbers: dict[tuple[str, str, date | None], Source] = {}

    @property
    def entries(self) -> list[Source]:
        """The list, by number."""
        return list(self._numbers.values())

    def number_of(self, tool: str, row: HasSource | None) -> int:
        """The number of a row's source on this tool; 0 if it has neither address, date nor note."""
        if row is None or not (row.source or row.checked_on or row.note):
            return 0
        place = (tool, row.source, row.checked_on)
        if place not in self._numbers:
            is_old = row.checked_on is not None and row.is_old(self.now)
            age = age_in_words(row.checked_on, self.now) if row.checked_on and is_old else ""
            number = len(self._numbers) + 1
            self._numbers[place] = Source(number, *place, age)
        return self._numbers[place].number

    def numbered(self, row: TableRow[object], tools: Sequence[str]) -> TableRow[object]:
        """Add the numbers of its sources to a row whose cells are answers, and their notes to the
        list. `tools` are the titles of its columns.
        """
        if row.kind != "answers":
            return row
        cells = [
            tuple(self._numbered(each, row.label, tool) for each in cell)
            for tool, cell in zip(tools, row.cells, strict=True)
            if isinstance(cell, tuple)
        ]
        return replace(row, cells=cells)

    def _numbered(self, answer: ShownAnswer, label: str, tool: str) -> ShownAnswer:
        number = self.number_of(tool, answer.origin)
        if number and answer.note:
            self.entries[number - 1].notes.append((label, answer.note))
        return replace(answer, source=number)


def is_stated(row: TableRow[AnswerCell]) -> bool:
    """Whether at least one tool states something in a row."""
    return any(answer.is_stated for cell in row.cells for answer in cell)
