"""The score strip: for each tool a line from 0 to 100 with a mark per reviewer. No database here.

Horizontal positions are per cents of the line's width and vertical ones are rows, so that a
template draws it at any width without inline styles.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from reviews.scoring import Panel, Scored

X_OF_0, X_OF_100 = 11.0, 95.0
"""The positions of 0 and 100 points, in per cent; the margin on the left is for hollow marks."""

APART = 6
"""The minimum distance in points of two marks in one row: on a phone they overlap by a third."""

APART_SMALL = 7
"""The same for the small marks of a list."""

X_OF_0_SMALL = 5.0
"""The position of 0 points in a small line, which has no hollow marks."""


class StripReviewer(Protocol):
    """A reviewer."""

    pk: int
    name: str
    position: int
    slug: str
    sign: str
    tint: str


class StripTake(Scored, Protocol):
    """A take with its reviewer; a draft without a score has no mark."""

    @property
    def reviewer(self) -> StripReviewer:
        """Who wrote it."""

    @property
    def reviewer_id(self) -> int:
        """The reviewer's primary key."""


@dataclass(frozen=True)
class StripMark:
    """One reviewer's mark; `x` in per cent, `row` from 0; without a verdict it is hollow."""

    letters: str
    x: float
    row: int
    verdict: str = ""
    score: int | None = None
    name: str = ""
    sign: str = ""
    tint: str = ""

    @property
    def words(self) -> str:
        """`Builder: 84, ship`, for those who do not see the mark."""
        return f"{self.name}: {f'{self.score}, {self.verdict}' if self.verdict else 'no take'}"


@dataclass(frozen=True)
class StripLine:
    """One tool's marks, hollow ones first; in a large strip with its panel."""

    title: str
    marks: Sequence[StripMark]
    panel: Panel | None = None

    @property
    def height(self) -> int:
        """How many rows the marks take; at least one."""
        return max((mark.row for mark in self.marks), default=0) + 1


@dataclass(frozen=True)
class ScoreStrip:
    """A line for each tool on one scale, and the reviewers in panel order."""

    lines: Sequence[StripLine]
    reviewers: Sequence[StripReviewer]

    @property
    def has_hollow(self) -> bool:
        """Whether any reviewer lacks a take on any of the tools."""
        return any(not mark.verdict for line in self.lines for mark in line.marks)


@dataclass(frozen=True)
class ScoreBar:
    """The takes of one verdict with scores from `low` to `high`; sizes are per cents of the chart,
    `height` of the half for its verdict.
    """

    low: int
    high: int
    verdict: str
    number: int
    x: float
    width: float
    height: float


def score_strip(tools: Sequence[tuple[str, Sequence[StripTake], Panel]]) -> ScoreStrip:
    """The strip of titles with their takes and panels; a reviewer without a take on a tool has a
    hollow mark in the margin of its line.
    """
    found = {take.reviewer_id: take.reviewer for _, takes, _ in tools for take in takes}
    panel = sorted(found.values(), key=lambda row: (row.position, row.slug))
    letters = dict(zip([row.pk for row in panel], initials([r.name for r in panel]), strict=True))
    lines = []
    for title, takes, panel_of_tool in tools:
        own = {take.reviewer_id: (take, score) for take, score in _scored(takes)}
        hollow = [row for row in panel if row.pk not in own]
        empty = [
            _mark_of(reviewer, letters[reviewer.pk], X_OF_0 / 2 - 1, row)
            for row, reviewer in enumerate(hollow)
        ]
        ordered = [own[row.pk] for row in panel if row.pk in own]
        rows = rows_of([score for _, score in ordered], APART)
        marks = [
            _mark_of(take.reviewer, letters[take.reviewer_id], place(score), row, take)
            for (take, score), row in zip(ordered, rows, strict=True)
        ]
        lines.append(StripLine(title, [*empty, *marks], panel_of_tool))
    return ScoreStrip(lines, panel)


def _mark_of(
    reviewer: StripReviewer, letters: str, x: float, row: int, take: StripTake | None = None
) -> StripMark:
    """A reviewer's mark; hollow without a take."""
    return StripMark(
        letters,
        x,
        row,
        take.verdict if take else "",
        take.score if take else None,
        reviewer.name,
        reviewer.sign,
        reviewer.tint,
    )


def small_line(takes: Sequence[StripTake]) -> StripLine:
    """A line for a list: marks without letters, whose shapes are the verdicts."""
    scored = _scored(takes)
    rows = rows_of([score for _, score in scored], APART_SMALL)
    marks = [
        StripMark("", place(score, X_OF_0_SMALL), row, take.verdict, score)
        for (take, score), row in zip(scored, rows, strict=True)
    ]
    return StripLine("", marks)


def _scored(takes: Sequence[StripTake]) -> list[tuple[StripTake, int]]:
    """The takes that have a score, with it."""
    return [(take, take.score) for take in takes if take.score is not None]


def place(score: float, x_of_0: float = X_OF_0) -> float:
    """The position of a score from 0 to 100, in per cent of the width with one decimal."""
    return round(x_of_0 + (X_OF_100 - x_of_0) * score / 100, 1)


def rows_of(scores: Sequence[int], apart: int) -> list[int]:
    """Assign a row, from 0, to each score, with as few rows as possible: scores in the same row are
    at least `apart` points apart.
    """
    ends: list[int] = []
    rows = [0] * len(scores)
    for at in sorted(range(len(scores)), key=lambda at: scores[at]):
        row = next((row for row, end in enumerate(ends) if scores[at] - end >= apart), len(ends))
        if row == len(ends):
            ends.append(scores[at])
        ends[row] = scores[at]
        rows[at] = row
    return rows


def initials(names: Sequence[str]) -> list[str]:
    """One or two letters for each name, all different; a number where two letters are the same."""
    texts = ["".join(filter(str.isalnum, name)) for name in names]
    short = [text[:1].upper() for text in texts]
    both = [text[:1].upper() + text[1:2] for text in texts]
    found: list[str] = []
    for at, letters in enumerate(both):
        unique = letters if short.count(short[at]) > 1 else short[at]
        found.append(unique if letters and both.count(letters) == 1 else str(at + 1))
    return found
