"""Tables of answers: groups of rows with a cell for each tool, and a numbered list of sources.

No database here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import chain
from typing import Generic, Protocol, TypeAlias, TypeVar

from django.utils.functional import cached_property

from tools.fact_values import NOT_APPLICABLE, NOT_ASKED, NOT_RECORDED

DAYS_OF_A_MONTH, DAYS_OF_A_YEAR = 30.44, 365.25


class HasSource(Protocol):
    """A row that states something, with its source."""

    note: str
    source: str
    quote: str
    checked_on: date | None
    unconfirmed: bool

    def is_old(self, now: datetime) -> bool:
        """Whether it was checked too long ago."""


@dataclass(slots=True)
class ShownAnswer:
    """What one tool states: in words, with a note and the number of its source; 0 without one.
    Each table makes its own, because it numbers their sources.

    Two answers are equal if their texts and the notes that limit them are equal; other notes and
    sources are not compared.
    """

    words: str
    is_stated: bool = True
    is_asked: bool = True
    """False where the tool's category is not asked; a dash is shown."""
    limit: str = ""
    """The note, if it limits the answer."""
    note: str = field(default="", compare=False)
    origin: HasSource | None = field(default=None, compare=False)
    is_best: bool = field(default=False, compare=False)
    source: int = field(default=0, compare=False)
    lacks: str = field(default="", compare=False)
    """`no source` or `no day`, where the source or its day is missing; `imported`, where no editor
    has confirmed it."""


MAX_COMPARED_ON_PHONES = 5
"""Maximum number of tools whose different answers a phone shows at first."""

MISSING = ShownAnswer(NOT_RECORDED, is_stated=False)
UNASKED = ShownAnswer(NOT_ASKED, is_stated=False, is_asked=False)
_INAPPLICABLE = [(ShownAnswer(NOT_APPLICABLE, is_stated=False),), (UNASKED,)]
AnswerCell: TypeAlias = tuple[ShownAnswer, ...]
"""What one tool states in one row: one answer, or several, such as its prices."""
C = TypeVar("C", covariant=True)


@dataclass
class TableRow(Generic[C]):
    """One row of a table: a cell for each tool in order, and how to show them."""

    label: str
    cells: Sequence[C]
    """Values of the cells; if they are unequal, the tools differ."""
    kind: str = "answers"
    """How to show the cells; those of `answers` are of type AnswerCell."""
    help: str = ""
    about: str = ""
    """The key under which a reader reports that it is wrong (shipskip/reports/subjects.py)."""
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
        """Whether the row is in the short table for phones: it is essential, or the tools differ in
        it and it applies to more than half of them, and to more than one. Of many tools a phone
        shows only what is essential at first.
        """
        if self.is_repeated or self.is_essential:
            return not self.is_repeated
        applies = sum(cell not in _INAPPLICABLE for cell in self.cells)
        few = len(self.cells) <= MAX_COMPARED_ON_PHONES
        return self.differs and few and applies > max(1, len(self.cells) // 2)


@dataclass(frozen=True)
class RowGroup:
    """Rows under one heading."""

    name: str
    rows: Sequence[TableRow[object]]

    @property
    def is_short(self) -> bool:
        """Whether any of its rows belongs to the short table of a phone."""
        return any(row.is_short for row in self.rows)


@dataclass
class Source:
    """A document with answers of one tool; without an address, where a source is missing."""

    number: int
    address: str
    quotes: list[str] = field(default_factory=list)
    """The document’s own words, in reading order."""


@dataclass(frozen=True)
class SourceGroup:
    """The sources of one tool of one day: an editor checked them then, or they are imported."""

    tool: str
    checked_on: date | None
    age: str
    """`8 months ago`, for a check that is old; else empty."""
    is_imported: bool
    """Whether they are from open data and no editor has confirmed what they say."""
    sources: list[Source] = field(default_factory=list)


def age_in_words(day: date, now: datetime) -> str:
    """The age of a day, in whole months or, from two years, in whole years."""
    days = (now.date() - day).days
    if days >= 2 * DAYS_OF_A_YEAR:
        return f"{int(days / DAYS_OF_A_YEAR)} years ago"
    months = max(round(days / DAYS_OF_A_MONTH), 1)
    return f"{months} month{'s' if months > 1 else ''} ago"


def lacks(row: HasSource) -> str:
    """What is missing of the source of a row: `no source`, `no day`, a confirmation of what was
    `imported`, or nothing.
    """
    if row.unconfirmed:
        return "imported"
    if not row.source:
        return "no source"
    return "" if row.checked_on else "no day"


def numbered_sources(
    table: Sequence[RowGroup], tools: Sequence[str], now: datetime
) -> list[SourceGroup]:
    """The sources of a table's answers by day, those of the first tool, then of the next; `tools`
    are the titles of its columns. Sets the number of each answer's source.

    Answers of one tool with the same address and date share a source. The numbers rise through the
    lists, because converters to Markdown know only the first number of a list.
    """
    groups: dict[tuple[str, date | None, bool], SourceGroup] = {}
    sources: dict[tuple[str, str, date | None, bool], Source] = {}
    answers = []
    for answer, origin, tool in _sourced(table, tools):
        day, key = origin.checked_on, (tool, origin.source, origin.checked_on, origin.unconfirmed)
        if key not in sources:
            sources[key] = Source(0, origin.source)
            age = age_in_words(day, now) if day and origin.is_old(now) else ""
            group = SourceGroup(tool, day, age, origin.unconfirmed)
            groups.setdefault((tool, day, origin.unconfirmed), group).sources.append(sources[key])
        if origin.quote and origin.quote not in sources[key].quotes:
            sources[key].quotes.append(origin.quote)
        answer.lacks = lacks(origin)
        answers.append((answer, sources[key]))
    found = sorted(groups.values(), key=lambda group: tools.index(group.tool))
    for number, source in enumerate(chain.from_iterable(group.sources for group in found), 1):
        source.number = number
    for answer, source in answers:
        answer.source = source.number
    return found


def _sourced(
    table: Sequence[RowGroup], tools: Sequence[str]
) -> Iterator[tuple[ShownAnswer, HasSource, str]]:
    """Each answer that has an origin, with it and the tool, in reading order."""
    for row in chain.from_iterable(group.rows for group in table):
        if row.kind == "answers":
            for tool, cell in zip(tools, row.cells, strict=True):
                for answer in cell if isinstance(cell, tuple) else ():
                    if answer.origin is not None:
                        yield answer, answer.origin, tool


def is_stated(row: TableRow[AnswerCell]) -> bool:
    """Whether at least one tool states something in a row."""
    return any(answer.is_stated for cell in row.cells for answer in cell)
