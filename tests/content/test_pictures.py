"""The pictures of prices against scores and of a tool's history: their marks and steps."""

from datetime import UTC, datetime
from decimal import Decimal
from itertools import combinations
from typing import Any

import pytest

from reviews.score_strip import WIDTH
from shipskip.content.judged_tools import JudgedTool
from shipskip.content.price_score import FREE_X, MARK, TOP, price_score
from shipskip.content.records import FactChange, FullTool, Plan, PublicChange, TakeChange, Tool
from shipskip.content.score_history import AXIS, score_history
from tests.content.made_records import reviewer, take, tool

BUILDER, SKEPTIC = reviewer(1, "builder", 1), reviewer(2, "skeptic", 2)
PLAN = Plan("", "", "", None, "Pro", "$20 per month", Decimal(20), "USD", "month")
Given = tuple[str | None, int]
"""A price a month in dollars (empty: free, None: no price, `+` before it: with a free tier), and a
score.
"""


def columns(*given: Given) -> list[JudgedTool[Tool]]:
    found = []
    for pk, (price, score) in enumerate(given, 1):
        entry = "free" if price == "" else "freemium" if price and price[0] == "+" else "paid"
        prices = {"USD": Decimal(price)} if price else {}
        row = tool(pk, f"tool-{pk}", take(BUILDER, score), monthly_prices=prices, entry=entry)
        found.append(JudgedTool[Tool](row))
    return found


@pytest.mark.parametrize(
    "given",
    [[], [("10", 80)], [("", 80), ("", 60)], [(None, 80), (None, 70)], [("10", 80), (None, 70)]],
    ids=["no tool", "one tool", "all free", "no price", "one price"],
)
def test_there_is_no_picture_of_less_than_two_prices_one_above_0(given: list[Given]):
    assert price_score(columns(*given)) is None


def test_the_picture_has_free_tools_and_free_tiers_first_and_the_others_by_price():
    found = price_score(columns(("20", 80), ("", 60), (None, 40), ("5", 100), ("+10", 20)))
    assert found
    marks = [(mark.number, mark.price, mark.y, mark.lines) for mark in found.marks]
    assert marks == [
        (1, "$20", 74, ""),
        (2, "Free", 134, ""),
        (3, "$5", TOP, ""),
        (4, "Free, then $10", 254, "M63 254H189m0-4v8"),
    ]
    twenty, free, five, tier = (mark.x for mark in found.marks)
    assert free == tier == FREE_X < found.axis_x < five < twenty
    assert [mark.column.tool.slug for mark in found.unpriced] == ["tool-3"]
    assert len(found.rows) == 5


def test_the_currency_is_the_one_that_most_tools_have_and_the_scale_ends_at_a_round_price():
    given = columns(("9", 80), ("20", 80), ("5", 80), ("7", 80))
    given[0].tool.monthly_prices = {"EUR": Decimal(9)}
    given[1].tool.monthly_prices = {"EUR": Decimal(19), "USD": Decimal(20)}
    found = price_score(given)
    assert found
    assert (found.currency, [mark.price for mark in found.marks]) == ("USD", ["$20", "$5", "$7"])
    for highest, ticks in (
        ("0.15", ["$0.10", "$0.20"]),
        ("1", ["$0.50", "$1"]),
        ("9.99", ["$5", "$10"]),
        ("20", ["$10", "$20"]),
        ("39", ["$20", "$40"]),
        ("500", ["$500", "$1,000"]),
    ):
        found = price_score(columns((highest, 80), ("", 60)))
        assert found
        assert [words for _, words in found.ticks] == ticks, highest


@pytest.mark.parametrize(
    "given",
    [
        [("", 80), ("", 80), ("", 75), ("", 70), ("10", 80)],
        [("10", 70), ("9.99", 68), ("10", 71), ("", 70)],
        [("0.01", 50), ("0.02", 50), ("0.03", 50), ("200", 50)],
        [("20", 50)] * 5,
        [("20", score) for score in (0, 11, 22, 100)],
        [("+20", 100), *[("", 99), ("", 1)] * 10],
    ],
)
def test_no_mark_covers_another_or_leaves_the_picture(given: list[Given]):
    found = price_score(columns(*given))
    assert found
    for first, second in combinations(found.marks, 2):
        assert abs(first.y - second.y) >= MARK - 0.1 or abs(first.x - second.x) >= MARK
    assert all(TOP <= mark.y <= found.bottom and mark.x < WIDTH - MARK / 2 for mark in found.marks)
    # Each stands at its price, in the order of the scores, and says where it had to move.
    for mark in found.marks:
        same = [
            other for other in found.marks if other.x == mark.x and other.score_y < mark.score_y
        ]
        assert all(other.y < mark.y for other in same)
        assert (mark.y != mark.score_y) == mark.lines.startswith(f"M{mark.x - 22:g}")
    assert {mark.x for mark in found.marks if "Free" in mark.price} <= {FREE_X}


def day(number: int) -> datetime:
    return datetime(2026, 6, number, tzinfo=UTC)


def scored(at: datetime, before: int, after: int, **fields: Any) -> TakeChange:
    values: dict[str, Any] = {"undone_at": None, "correction": "", "reason": ""} | fields
    values |= {"verdict_before": "ship", "verdict_after": "ship", "reviewer": BUILDER}
    return TakeChange(pk=1, at=at, score_before=before, score_after=after, **values)


def priced(at: datetime, subject: str = "Pro, per month, in USD") -> FactChange:
    return FactChange(1, at, None, "", subject, "$15 per month", "$20 per month")


def changed(*changes: PublicChange) -> FullTool:
    """A tool with two takes, of the first and the eleventh of June."""
    takes = [take(BUILDER, 80, published_at=day(1)), take(SKEPTIC, 60, published_at=day(11))]
    return tool(1, "alpha", *takes, changes=changes, plans=[PLAN])


@pytest.mark.parametrize(
    "judged",
    [
        changed(),
        changed(scored(day(5), 70, 70)),
        changed(scored(day(5), 70, 80, undone_at=day(5))),
        changed(priced(day(5), "Licence")),
        tool(1, "alpha", changes=[priced(day(5))], plans=[PLAN]),
    ],
    ids=["nothing", "a verdict", "a slip", "a fact", "no takes"],
)
def test_there_is_no_picture_where_no_score_and_no_price_changed(judged: FullTool):
    assert score_history(judged, day(21)) is None


def test_the_mean_goes_in_steps_from_the_first_take_to_now():
    found = score_history(changed(scored(day(16), 40, 80)), day(21))
    assert found
    middle, late = AXIS.x_of(50), AXIS.x_of(75)
    steps = [(step.at.day, str(step.score), step.x) for step in found.steps]
    assert steps == [(1, "40.0", AXIS.start), (11, "50.0", middle), (16, "70.0", late)]
    assert found.path == "M34 75.2V75.2H158V64H220V41.6H282"
    # A score that changed twice has each earlier value in its time.
    found = score_history(changed(scored(day(8), 50, 80), scored(day(4), 20, 50)), day(21))
    assert found
    assert [str(step.score) for step in found.steps] == ["20.0", "50.0", "80.0", "70.0"]


def test_the_table_has_scores_and_prices_newest_first():
    found = score_history(changed(priced(day(16))), day(21))
    assert found
    assert [(row.at.day, row.what, row.before, row.after) for row in found.rows] == [
        (16, "Pro, per month, in USD", "$15 per month", "$20 per month"),
        (11, "Mean score", "80.0", "70.0"),
        (1, "Mean score", "", "80.0"),
    ]
    assert found.price_changes == [AXIS.x_of(75)]
