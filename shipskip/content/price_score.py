"""Price against score: the tools of a category as marks in a chart. No database here.

All places are units of the chart (score_strip.py). Free tools and those with a free tier stand
above each other at one place, *Free*; the scale of prices follows. A mark that would cover another
is moved up or down, and a line leads to its score.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from statistics import fmean
from typing import Final

from reviews.score_strip import WIDTH, Axis
from shipskip.content.judged_tools import JudgedTool
from shipskip.content.records import Tool
from tools.currencies import amount_in_words
from tools.models import EntryPrice

MARK: Final = 24
"""The width and height of a mark with its gap."""

TOP, HEIGHT = 14, 300
"""The place of 100 points, and the height of 100 points, unless more marks have to fit."""

LEFT: Final = 28
"""Where the lines of scores start: their numbers stand before it."""

FREE_X: Final = LEFT + MARK
"""The place of all free tools."""

END: Final = WIDTH - 26
"""The place of the highest number on the scale of prices."""


@dataclass(frozen=True)
class PriceMark:
    """One tool; `number` leads to its row of the table."""

    number: int
    column: JudgedTool[Tool]
    price: str
    """The price in words; empty for a tool without one."""
    x: float = 0
    y: float = 0
    score_y: float = 0
    """The place of its score, from which a crowded mark is moved."""
    paid_x: float | None = None
    """The lowest paid price of a tool that has a free tier."""

    @property
    def lines(self) -> str:
        """The SVG path from its score, if it was moved, and from a free tier to the paid price."""
        score = f"M{self.x - 22:g} {self.score_y:g}h5L{self.x - 11:g} {self.y:g}"
        paid = f"M{self.x + 11:g} {self.y:g}H{self.paid_x}m0-4v8"
        return (score if self.y != self.score_y else "") + (paid if self.paid_x else "")


@dataclass(frozen=True)
class PriceScore:
    """The marks in the order of the page, the tools without such a price, and the two scales."""

    currency: str
    marks: Sequence[PriceMark]
    unpriced: Sequence[PriceMark]
    free_x: int | None
    """The place of free tools; None without one."""
    axis_x: int
    """Where the scale of prices begins."""
    ticks: Sequence[tuple[float, str]]
    """Prices on the scale: their places and words."""
    height: int
    """The height of 100 points."""

    @property
    def rows(self) -> list[PriceMark]:
        """The same as a table: tools with a price, then the others."""
        return [*self.marks, *self.unpriced]

    @property
    def lines(self) -> list[tuple[float, int]]:
        """Scores at the side: their places and numbers."""
        return [(_y(points, self.height), points) for points in (100, 50, 0)]

    @property
    def bottom(self) -> int:
        """The place of 0 points."""
        return TOP + self.height


def price_score(columns: Sequence[JudgedTool[Tool]]) -> PriceScore | None:
    """The chart of these tools; None unless two have a score and a price, and one can be paid for.

    The paid price is the lowest one per month and user in the currency that most tools have.
    """
    judged = [column for column in columns if column.panel.total]
    counted = Counter(code for column in judged for code in column.tool.monthly_prices)
    if not counted:
        return None
    currency = min(counted, key=lambda code: (-counted[code], code))
    paid = {column.tool.pk: column.tool.monthly_prices.get(currency) for column in judged}
    placed = [column for column in judged if _is_free(column) or paid[column.tool.pk]]
    if len(placed) < 2:
        return None
    has_free = any(_is_free(column) for column in placed)
    axis = Axis(FREE_X + MARK if has_free else LEFT + MARK // 2, END)
    top = _end_of_scale(max(filter(None, paid.values())))
    height = max(HEIGHT, MARK * len(placed))

    def x_of(amount: Decimal | None) -> float | None:
        return axis.x_of(float(100 * amount / top)) if amount else None

    xs = [FREE_X if _is_free(column) else x_of(paid[column.tool.pk]) or 0 for column in placed]
    points = [
        (x, _y(column.panel.score or 0, height)) for x, column in zip(xs, placed, strict=True)
    ]
    marks = [
        PriceMark(
            number,
            column,
            _words(column, paid[column.tool.pk], currency),
            x,
            y,
            score_y,
            x_of(paid[column.tool.pk]) if _is_free(column) else None,
        )
        for number, (column, (x, score_y), y) in enumerate(
            zip(placed, points, _apart(points, TOP + height), strict=True), 1
        )
    ]
    return PriceScore(
        currency=currency,
        marks=marks,
        unpriced=[PriceMark(0, column, "") for column in judged if column not in placed],
        free_x=FREE_X if has_free else None,
        axis_x=axis.start,
        ticks=[(x_of(amount) or 0, amount_in_words(amount, currency)) for amount in (top / 2, top)],
        height=height,
    )


def _is_free(column: JudgedTool[Tool]) -> bool:
    """Whether a tool is free or has a free tier."""
    return column.tool.entry in (EntryPrice.FREE, EntryPrice.FREEMIUM)


def _words(column: JudgedTool[Tool], paid: Decimal | None, currency: str) -> str:
    words = amount_in_words(paid, currency) if paid else ""
    if not _is_free(column):
        return words
    return f"Free, then {words}" if words else "Free"


def _y(points: float | Decimal, height: int) -> float:
    return round(TOP + height * (100 - float(points)) / 100, 1)


def _end_of_scale(highest: Decimal) -> Decimal:
    """The first of 1, 2, 4, 10, 20, 40, … that is not below the highest price."""
    power = Decimal(10) ** highest.adjusted()
    step = next(each for each in (1, 2, 4, 10) if each * power >= highest)
    return (step * power).quantize(min(power, Decimal(1)), ROUND_CEILING)


def _apart(points: Sequence[tuple[float, float]], bottom: float) -> list[float]:
    """The places down of marks at these points: those that would cover each other become a stack,
    in the order of their scores and as near to them as possible.
    """
    found = dict.fromkeys(range(len(points)), 0.0)
    columns: list[list[int]] = []
    for at in sorted(found, key=lambda at: points[at][0]):
        if columns and points[at][0] - points[columns[-1][-1]][0] < MARK:
            columns[-1].append(at)
        else:
            columns.append([at])

    def top(stack: list[int]) -> float:
        wish = fmean(points[at][1] - MARK * n for n, at in enumerate(stack))
        return max(TOP, min(wish, bottom - MARK * (len(stack) - 1)))

    for column in columns:
        stacks: list[list[int]] = []
        for at in sorted(column, key=lambda at: points[at][1]):
            stack = [at]
            while stacks and top(stacks[-1]) + MARK * len(stacks[-1]) > top(stack):
                stack = stacks.pop() + stack
            stacks.append(stack)
        for stack in stacks:
            found |= {at: top(stack) + MARK * n for n, at in enumerate(stack)}
    return [round(y, 1) for y in found.values()]
