"""A matrix of pairwise leads among the tools of a category, by the rules of the answer.

Pure functions on the takes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from comparisons.addresses import address
from comparisons.answer import TOO_FEW, Contender, lead
from shipskip.content.answer_cases import case_of
from shipskip.content.content import Content
from shipskip.content.judged_tools import JudgedTool
from shipskip.content.records import Tool
from shipskip.content.side_by_side import contenders

MAX_MATRIX_TOOLS = 12
"""Maximum number of tools in a matrix."""

WORDS = {
    "ahead": "leads",
    "behind": "trails",
    "ahead_few": "is ahead",
    "behind_few": "is behind",
    "close": "too close",
    "unshared": "too few shared reviewers",
    "discontinued": "no longer maintained",
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
        if self.kind in ("ahead_few", "behind_few"):
            return TOO_FEW
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
        (column.tool, contender)
        for column, contender in zip(columns, contenders(columns), strict=True)
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
    if case in ("leader", "few") and (found := lead(first, second)):
        side = "ahead" if found.ahead is first else "behind"
        return (side, str(found.points)) if found.is_enough else (f"{side}_few", "")
    return ("unshared" if case == "few" else case), ""
