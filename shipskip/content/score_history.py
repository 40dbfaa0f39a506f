"""How a tool's mean score and prices changed, from its public record. No database here.

All places are units of the chart (score_strip.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from reviews.score_strip import WIDTH, Axis
from reviews.scoring import mean_of
from shipskip.content.records import FactChange, FullTool, TakeChange
from tools.fact_changes import ENTRY_PRICE, plan_subject

AXIS: Final = Axis(34, WIDTH - 46)
"""The scale of time, in per cent from the first moment to now: the newest score follows it."""

TOP, HEIGHT = 8, 112
"""The place of 100 points, and the height of 100 points."""

MEAN: Final = "Mean score"


@dataclass(frozen=True)
class Step:
    """A mean score from one moment to the next change, or to now."""

    at: datetime
    score: Decimal
    x: float
    until_x: float
    y: float


@dataclass(frozen=True)
class HistoryRow:
    """A change in words, for the table; an empty text is none."""

    at: datetime
    what: str
    before: str
    after: str


@dataclass(frozen=True)
class ScoreHistory:
    """The steps of the mean score, the places of changed prices, and the same as a table."""

    steps: Sequence[Step]
    price_changes: Sequence[float]
    rows: Sequence[HistoryRow]
    since: datetime

    @property
    def path(self) -> str:
        """The line that the steps make, as an SVG path."""
        first = self.steps[0]
        return f"M{first.x:g} {first.y:g}" + "".join(
            f"V{step.y:g}H{step.until_x:g}" for step in self.steps
        )


def score_history(tool: FullTool, now: datetime) -> ScoreHistory | None:
    """The picture of a tool; None if no score and no price of its record changed.

    Our mean score begins with the first take. A slip, which was undone, is not drawn.
    """
    lasting = [change for change in tool.changes if not change.undone_at]
    scores = [
        change
        for change in lasting
        if isinstance(change, TakeChange) and change.score_before != change.score_after
    ]
    subjects = {
        ENTRY_PRICE,
        *(plan_subject(plan.name, plan.per, plan.currency) for plan in tool.plans),
    }
    prices = [
        change
        for change in lasting
        if isinstance(change, FactChange) and change.subject in subjects
    ]
    means = _means(tool, scores)
    if not means or not (scores or prices):
        return None
    since = min([means[0][0], *(change.at for change in prices)])
    length = max(now - since, timedelta(seconds=1))

    def x_of(at: datetime) -> float:
        return AXIS.x_of(100 * min((at - since) / length, 1))

    ends = [x_of(at) for at, _ in means[1:]] + [AXIS.end]
    steps = [
        Step(at, score, x_of(at), until, round(TOP + HEIGHT * (100 - float(score)) / 100, 1))
        for (at, score), until in zip(means, ends, strict=True)
    ]
    rows = [
        HistoryRow(at, MEAN, str(before or ""), str(score))
        for (at, score), before in zip(means, [None, *(score for _, score in means)], strict=False)
    ]
    rows += [HistoryRow(row.at, row.subject, row.before, row.after) for row in prices]
    return ScoreHistory(
        steps=steps,
        price_changes=[x_of(change.at) for change in prices],
        rows=sorted(rows, key=lambda row: row.at, reverse=True),
        since=since,
    )


def _means(tool: FullTool, changes: Sequence[TakeChange]) -> list[tuple[datetime, Decimal]]:
    """Each moment at which the mean score of the public takes became another one; takes whose first
    moment is not known count from the start.
    """
    takes = [take for take in tool.takes if take.score is not None]
    known = [take.published_at for take in takes if take.published_at]
    moments = sorted({*known, *(change.at for change in changes)})
    found: list[tuple[datetime, Decimal]] = []
    for at in moments:
        points = [
            _score_at(take.score or 0, take.reviewer.pk, at, changes)
            for take in takes
            if take.published_at is None or take.published_at <= at
        ]
        mean = mean_of(sum(points), len(points))
        if mean is not None and (not found or found[-1][1] != mean):
            found.append((at, mean))
    return found


def _score_at(score: int, reviewer: int, at: datetime, changes: Sequence[TakeChange]) -> int:
    """The reviewer's score at a moment: what the first later change replaced, else today's."""
    later = [change for change in changes if change.reviewer.pk == reviewer and change.at > at]
    return min(later, key=lambda change: change.at).score_before if later else score
