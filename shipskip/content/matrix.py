"""A matrix of pairwise leads among the tools of a category, by the rules of the answer.

Pure functions on the takes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from comparisons.addresses import address
from comparisons.answer import Contender, lead
from comparisons.answer_cases import case_of
from comparisons.models import tools_key
from reviews.judged_tools import JudgedTool
from tools.models import Tool

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

    tools: Sequence[JudgedTool]
    rows: Sequence[tuple[JudgedTool, Sequence[MatrixCell | None]]]


def pairs_of(columns: Sequence[JudgedTool]) -> list[str]:
    """The `tools_key` of each pair; empty for fewer than two tools or more than the maximum."""
    if len(columns) > MAX_MATRIX_TOOLS:
        return []
    tools = [column.tool for column in columns]
    return [tools_key([one.pk, two.pk]) for one, two in combinations(tools, 2)]


def matrix_of(columns: Sequence[JudgedTool], orders: Mapping[str, Sequence[int]]) -> Matrix | None:
    """The matrix of these tools in their order; None for fewer than two or more than the maximum.

    `orders` are the primary keys of pairs in an editor's order, by `tools_key`.
    """
    if not pairs_of(columns):
        return None
    tools = [
        (column.tool, Contender(column.tool.name, column.takes, column.weights))
        for column in columns
    ]
    rows = []
    for column, (tool, own) in zip(columns, tools, strict=True):
        cells = []
        for other, theirs in tools:
            order = orders.get(tools_key([tool.pk, other.pk]), ())
            both = sorted([tool, other], key=lambda row: order.index(row.pk) if order else row.slug)
            page = address([row.slug for row in both])
            cell = None if other is tool else MatrixCell(other, *pair_result(own, theirs), page)
            cells.append(cell)
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
