"""The score strip: for each tool a line from 0 to 100 with a mark per reviewer. No database here.

A chart is drawn in units of its own, WIDTH across; one is a pixel on a phone. The style sheet gives
the drawing its width, with which all of it grows: no attribute has a unit, because WebKit ignores
most of those in `rem` and `%`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from reviews.scoring import Panel, Scored

WIDTH = 328
"""The width of a chart: what a window of 360 px leaves."""

MARK = 24
"""The width and height of a reviewer's mark; marks are at least as far apart."""

SMALL_WIDTH, SMALL_MARK = 136, 11
"""The same in the strip of a list."""


@dataclass(frozen=True)
class Axis:
    """A scale from 0 to 100 points and where it starts and ends across."""

    start: int
    end: int

    def x_of(self, score: float) -> int:
        """The place of a score."""
        return round(self.start + (self.end - self.start) * score / 100)


WHOLE = Axis(15, WIDTH - 15)
BESIDE_NO_TAKES = Axis(15, WIDTH - 71)
"""The axis where a reviewer lacks a take: two hollow marks fit beside each other at its right."""
BESIDE = WIDTH - 28
"""The middle of these two, above the words "no take"."""
SMALL = Axis(8, SMALL_WIDTH - 14)


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
    """One reviewer's mark; `row` is 0 for the lowest; without a verdict it is hollow."""

    letters: str
    x: int
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
    """One tool's marks, hollow ones last; in a large strip with its panel."""

    title: str
    marks: Sequence[StripMark]
    axis: Axis
    panel: Panel | None = None

    @property
    def rows(self) -> int:
        """How many rows the marks take; at least one."""
        return max((mark.row for mark in self.marks), default=0) + 1


@dataclass(frozen=True)
class ScoreStrip:
    """A line for each tool on one scale, and the reviewers in panel order."""

    lines: Sequence[StripLine]
    reviewers: Sequence[StripReviewer]
    axis: Axis

    @property
    def has_hollow(self) -> bool:
        """Whether any reviewer lacks a take on any of the tools."""
        return self.axis is BESIDE_NO_TAKES


@dataclass(frozen=True)
class ScoreBar:
    """The takes of one verdict with scores from `low` to `high`; `share` of the highest bar."""

    low: int
    high: int
    verdict: str
    number: int
    share: float


def score_strip(tools: Sequence[tuple[str, Sequence[StripTake], Panel]]) -> ScoreStrip:
    """The strip of titles with their takes and panels; a reviewer without a take on a tool has a
    hollow mark beside the axis.
    """
    found = {take.reviewer_id: take.reviewer for _, takes, _ in tools for take in takes}
    panel = sorted(found.values(), key=lambda row: (row.position, row.slug))
    letters = dict(zip([row.pk for row in panel], initials([r.name for r in panel]), strict=True))
    scored = [{take.reviewer_id: (take, score) for take, score in _scored(t)} for _, t, _ in tools]
    axis = WHOLE if all(len(own) == len(panel) for own in scored) else BESIDE_NO_TAKES
    lines = []
    for (title, _, panel_of_tool), own in zip(tools, scored, strict=True):
        ordered = [own[row.pk] for row in panel if row.pk in own]
        places = [axis.x_of(score) for _, score in ordered]
        marks = [
            _mark_of(take.reviewer, letters[take.reviewer_id], x, row, take)
            for (take, _), x, row in zip(ordered, places, rows_of(places, MARK), strict=True)
        ]
        hollow = [row for row in panel if row.pk not in own]
        beside = [
            _mark_of(reviewer, letters[reviewer.pk], x, n // 2)
            for n, (reviewer, x) in enumerate(zip(hollow, _places_beside(len(hollow)), strict=True))
        ]
        lines.append(StripLine(title, [*marks, *beside], axis, panel_of_tool))
    return ScoreStrip(lines, panel, axis)


def _places_beside(number: int) -> list[int]:
    """The places of so many hollow marks: two in a row, an odd one in their middle."""
    pairs = [BESIDE - MARK // 2, BESIDE + MARK // 2] * (number // 2)
    return pairs + [BESIDE] * (number % 2)


def _mark_of(
    reviewer: StripReviewer, letters: str, x: int, row: int, take: StripTake | None = None
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
    places = [SMALL.x_of(score) for _, score in scored]
    marks = [
        StripMark("", x, row, take.verdict, score)
        for (take, score), x, row in zip(scored, places, rows_of(places, SMALL_MARK), strict=True)
    ]
    return StripLine("", marks, SMALL)


def _scored(takes: Sequence[StripTake]) -> list[tuple[StripTake, int]]:
    """The takes that have a score, with it."""
    return [(take, take.score) for take in takes if take.score is not None]


def rows_of(places: Sequence[float], apart: float) -> list[int]:
    """Assign a row, from 0, to each place, with as few rows as possible: places in the same row are
    at least `apart` from each other.
    """
    ends: list[float] = []
    rows = [0] * len(places)
    for at in sorted(range(len(places)), key=lambda at: places[at]):
        row = next((row for row, end in enumerate(ends) if places[at] - end >= apart), len(ends))
        if row == len(ends):
            ends.append(places[at])
        ends[row] = places[at]
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
