"""Price against score: the tools of a category as marks in a picture. No database here.

Positions across are per cents of the width and positions down are rem, so that a template draws it
at any width without inline styles. Free tools have a band of their own at the left, in which a
place across means nothing; the scale of prices follows.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Final

from reviews.score_strip import rows_of
from shipskip.content.judged_tools import JudgedTool
from shipskip.content.records import Tool
from tools.currencies import amount_in_words
from tools.models import EntryPrice

HEIGHT: Final = 16.0
"""The height of 100 points, in rem."""

TOP: Final = 1.0
"""The place of 100 points, in rem; the half of a mark fits above it."""

MARGIN: Final = 10.0
"""The width of the score's numbers, in per cent."""

MARK: Final = 8.0
"""The width of a mark with its gap, in per cent of a phone's width."""

APART: Final = 11
"""From how many points on two marks at one price do not overlap."""

END: Final = 88.0
"""The place of the highest number on the scale of prices, in per cent."""

LAST: Final = 97.0
"""The last place of a mark, in per cent: one that stands beside another may be past the scale."""


@dataclass(frozen=True)
class PriceMark:
    """One tool; `number` leads to its row of the table."""

    number: int
    column: JudgedTool[Tool]
    price: str
    """The price in words; empty for a tool without one."""
    x: float = 0
    y: float = 0


@dataclass(frozen=True)
class PriceScore:
    """The marks in the order of the page, the tools without such a price, and the two scales."""

    currency: str
    marks: Sequence[PriceMark]
    unpriced: Sequence[PriceMark]
    free_x: float | None
    """The middle of the band of free tools; None without one."""
    axis_x: float
    """Where the scale of prices begins."""
    ticks: Sequence[tuple[float, str]]
    """Prices on the scale: their places and words."""
    lines: Sequence[tuple[float, int]]
    """Scores at the side: their places and numbers."""

    @property
    def rows(self) -> list[PriceMark]:
        """The same as a table: tools with a price, then the others."""
        return [*self.marks, *self.unpriced]


def price_score(columns: Sequence[JudgedTool[Tool]]) -> PriceScore | None:
    """The picture of these tools; None unless two have a score and a price, one above 0.

    The price is the lowest one per month and user above 0 in the currency that most tools have.
    """
    judged = [column for column in columns if column.panel.total]
    counted = Counter(code for column in judged for code in column.tool.monthly_prices)
    if not counted:
        return None
    currency = min(counted, key=lambda code: (-counted[code], code))
    prices = {column.tool.pk: _price(column.tool, currency) for column in judged}
    placed = [column for column in judged if prices[column.tool.pk] is not None]
    if len(placed) < 2:
        return None
    free = [column for column in placed if not prices[column.tool.pk]]
    lanes = rows_of([_points(column) for column in free], APART)
    band = MARK * (max(lanes, default=-1) + 1)
    axis_x = MARGIN + band + (MARK if free else MARK / 2)
    top = _end_of_scale(max(filter(None, prices.values())))
    x_of = {
        column.tool.pk: MARGIN + MARK * (lane + 0.5)
        for column, lane in zip(free, lanes, strict=True)
    }
    x_of |= _places(
        [
            (column.tool.pk, _x(prices[column.tool.pk], top, axis_x), _points(column))
            for column in placed
            if prices[column.tool.pk]
        ],
        axis_x,
    )
    marks = [
        PriceMark(
            number,
            column,
            _words(prices[column.tool.pk], currency),
            round(x_of[column.tool.pk], 1),
            round(_y(_points(column)), 2),
        )
        for number, column in enumerate(placed, 1)
    ]
    others = [column for column in judged if prices[column.tool.pk] is None]
    return PriceScore(
        currency=currency,
        marks=marks,
        unpriced=[PriceMark(0, column, "") for column in others],
        free_x=round(MARGIN + band / 2, 1) if free else None,
        axis_x=round(axis_x, 1),
        ticks=[
            (round(_x(amount, top, axis_x), 1), amount_in_words(amount, currency))
            for amount in (top / 2, top)
        ],
        lines=[(_y(points), points) for points in (100, 50, 0)],
    )


def _price(tool: Tool, currency: str) -> Decimal | None:
    """The tool's price; 0 for a free tool, None for one without such a price."""
    if currency in tool.monthly_prices:
        return tool.monthly_prices[currency]
    return Decimal(0) if tool.entry == EntryPrice.FREE else None


def _points(column: JudgedTool[Tool]) -> int:
    return round(column.panel.score or 0)


def _words(amount: Decimal | None, currency: str) -> str:
    return amount_in_words(amount, currency) if amount is not None else ""


def _y(points: int) -> float:
    return TOP + HEIGHT * (100 - points) / 100


def _x(amount: Decimal | None, top: Decimal, axis_x: float) -> float:
    return axis_x + (END - axis_x) * float((amount or 0) / top)


def _end_of_scale(highest: Decimal) -> Decimal:
    """The first of 1, 2, 4, 10, 20, 40, … that is not below the highest price."""
    power = Decimal(10) ** highest.adjusted()
    step = next(each for each in (1, 2, 4, 10) if each * power >= highest)
    return (step * power).quantize(min(power, Decimal(1)), ROUND_CEILING)


def _places(wanted: Sequence[tuple[int, float, int]], axis_x: float) -> dict[int, float]:
    """The places of marks by key; one that would cover another stands beside it, where there is
    room. Each is given as key, wished place and points.
    """
    found: dict[int, tuple[float, int]] = {}
    for key, wish, points in sorted(wanted, key=lambda each: (each[1], each[2])):
        steps = sorted(range(-8, 9), key=lambda step: (abs(step), -step))
        tries = [wish + step * MARK / 2 for step in steps]
        inside = [x for x in tries if axis_x < x <= LAST]
        near = {x for x, other in found.values() if abs(other - points) < APART}
        free = (x for x in inside if all(abs(x - other) >= MARK for other in near))
        found[key] = next(free, wish), points
    return {key: x for key, (x, _) in found.items()}
