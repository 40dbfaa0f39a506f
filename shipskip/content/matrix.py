"""A matrix of pairwise leads among the tools of a category, by the rules of the answer.

Pure functions on the takes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from comparisons.addresses import address
from comparisons.answer import Contender, lead
from shipskip.content.answer_cases import case_of
from shipskip.content.content import Content
from shipskip.content.judged_tools import JudgedTool
from shipskip.content.records import Tool

MAX_MATRIX_TOOLS = 12
"""Maximum number of tools in a matrix."""

WORDS = {
    "ahead": "leads",
    "behind": "trails",
    "close": "too close",
    "unshared": "no shared reviewers",
    "skip": "skip both",
    "split": "split on both",
    "skip_split": "neither ships",
    "missing": "no verdict yet",
}
"""The text of a cell, by its kind."""


@dataclass(frozen=True)
class MatrixCell:
    """The result of the row's tool against the column's tool.

    `kind` is one of WORDS; `points` is the lead between two that ship, empty if verdicts decide.
    """

    other: Tool
    kind: str
    points: str
    address: str

    @property
    def words(self) -> str:
        """The text of the cell."""
        return WORDS[self.kind]

    @property
    def by(self) -> str:
        """The lead in points; empty if neither leads."""
        if self.kind not in ("ahead", "behind"):
            return ""
        return f"by {self.points}" if self.points else "by verdict"


@dataclass(frozen=True)
class Matrix:
    """The tools, and a row for each with a cell for each tool; None on the diagonal."""

    tools: Sequence[JudgedTool[Tool]]
    rows: Sequence[tuple[JudgedTool[Tool], Sequence[MatrixCell | None]]]


def matrix_of(columns: Sequence[JudgedTool[Tool]], content: Content) -> Matrix | None:
    """The matrix of these tools in their order; None for fewer than two or too many."""
    if not 2 <= len(columns) <= MAX_MATRIX_TOOLS:
        return None
    tools = [
        (column.tool, Contender(column.tool.name, column.takes, column.weights))
        for column in columns
    ]
    rows = []
    for column, (tool, own) in zip(columns, tools, strict=True):
        cells: list[MatrixCell | None] = []
        for other, theirs in tools:
            if other is tool:
                cells.append(None)
                continue
            page = address([row.slug for row in content.in_page_order([tool, other])])
            cells.append(MatrixCell(other, *pair_result(own, theirs), page))
        rows.append((column, cells))
    return Matrix(columns, rows)


def pair_result(first: Contender, second: Contender) -> tuple[str, str]:
    """The result of the first tool against the second: a kind of WORDS, and the points of a lead.

    If only one of them ships, it is ahead, as in the answer.
    """
    case = case_of(first, second)
    if case in ("ship_skip", "ship_split"):
        return ("ahead" if first.panel.verdict == "ship" else "behind"), ""
    if case == "close" and not first.scores.keys() & second.scores.keys():
        return "unshared", ""
    found = lead(first, second) if case == "leader" else None
    if found:
        return ("ahead" if found.ahead is first else "behind"), str(found.points)
    return case, ""
