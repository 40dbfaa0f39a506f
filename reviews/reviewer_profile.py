"""Statistics of one reviewer's takes: scores, categories, and agreement with other reviewers.

Pure functions on counted takes.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from reviews.score_strip import ScoreBar
from reviews.scoring import ReviewerStats, percent


class HasKey(Protocol):
    """A reviewer or a category."""

    @property
    def pk(self) -> int: ...


K = TypeVar("K", bound=HasKey)

STEP = 5
"""The width of one column in the chart of all scores, in points."""

MAX_SHARED = 1_000
"""How many of a reviewer's takes are compared with those of others: enough for a whole per cent."""

MIN_SHARED = 5
"""Minimum of shared takes to compare two reviewers; a share of fewer is mostly chance."""

Counts = Mapping[tuple[int, int, str], int]
"""Numbers of takes by category (primary key), score and verdict."""


@dataclass(frozen=True)
class Agreement(Generic[K]):
    """How often another reviewer gave the same verdict on the same tool."""

    reviewer: K
    shared: int
    same: int

    @property
    def share(self) -> int:
        """The same verdicts of the shared takes, a whole per cent."""
        return percent(self.same, self.shared)


def stats_of(counts: Counts, category: HasKey | None = None) -> ReviewerStats:
    """The figures of all takes, or of those in one category."""
    rows = {
        key: number for key, number in counts.items() if category is None or key[0] == category.pk
    }
    return ReviewerStats(
        total=sum(rows.values()),
        ship=sum(number for (_, _, verdict), number in rows.items() if verdict == "ship"),
        points=sum(score * number for (_, score, _), number in rows.items()),
    )


def by_category(counts: Counts, categories: Sequence[K]) -> list[tuple[K, ReviewerStats]]:
    """The figures of each category with takes, most takes first."""
    rows = [(category, stats_of(counts, category)) for category in categories]
    return sorted((row for row in rows if row[1].total), key=lambda row: -row[1].total)


def score_bars(counts: Counts) -> list[ScoreBar]:
    """Columns of STEP points each, the last with 100: ships and skips by score, without empty
    ones.
    """
    found: Counter[tuple[int, str]] = Counter()
    for (_, score, verdict), number in counts.items():
        found[min(score, 99) // STEP * STEP, verdict] += number
    most = max(found.values(), default=1)
    return [
        ScoreBar(low, 100 if low + STEP == 100 else low + STEP - 1, verdict, number, number / most)
        for (low, verdict), number in sorted(found.items())
    ]


def agreements(reviewers: Sequence[K], shared: Mapping[int, tuple[int, int]]) -> list[Agreement[K]]:
    """The other reviewers with at least MIN_SHARED shared takes, sorted by agreement, then by the
    number of shared takes, both descending. `shared` maps a reviewer to the number of shared takes
    and to how many of them have the same verdict.
    """
    rows = [Agreement(row, *shared[row.pk]) for row in reviewers if row.pk in shared]
    enough = [row for row in rows if row.shared >= MIN_SHARED]
    return sorted(enough, key=lambda row: (-row.same / row.shared, -row.shared))
