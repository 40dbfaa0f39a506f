"""The pictures of prices against scores and of a tool's history: their marks and steps."""

from datetime import UTC, datetime
from decimal import Decimal
from itertools import combinations
from typing import Any

import pytest

from shipskip.content.judged_tools import JudgedTool
from shipskip.content.price_score import APART, HEIGHT, LAST, MARGIN, MARK, price_score
from shipskip.content.records import FactChange, FullTool, Plan, PublicChange, TakeChange, Tool
from shipskip.content.score_history import END, START, score_history
from tests.content.made_records import reviewer, take, tool

BUILDER, SKEPTIC = reviewer(1, "builder", 1), reviewer(2, "skeptic", 2)
PLAN = Plan("", "", "", None, "Pro", "$20 per month", Decimal(20), "USD", "month")
Given = tuple[str | None, int]
"""A price a month in dollars (empty: free, None: no price), and a score."""


def columns(*given: Given) -> list[JudgedTool[Tool]]:
    found = []
    for pk, (price, score) in enumerate(given, 1):
        fields = {"entry": "paid" if price is None or price else "free"}
        prices = {"USD": Decimal(price)} if price else {}
        row = tool(pk, f"tool-{pk}", take(BUILDER, score), monthly_prices=prices, **fields)
        found.append(JudgedTool[Tool](row))
    return found


@pytest.mark.parametrize(
    "given",
    [[], [("10", 80)], [("", 80), ("", 60)], [(None, 80), (None, 70)], [("10", 80), (None, 70)]],
    ids=["no tool", "one tool", "all free", "no price", "one price"],
)
def test_there_is_no_picture_of_less_than_two_prices_one_above_0(given: list[Given]):
    assert price_score(columns(*given)) is None


def test_the_picture_has_free_tools_first_and_the_others_by_price():
    found = price_score(columns(("20", 80), ("", 60), (None, 40), ("5", 100)))
    assert found
    marks = [(mark.number, mark.price, mark.y) for mark in found.marks]
    assert marks == [(1, "$20", 4.2), (2, "Free", 7.4), (3, "$5", 1.0)]
    twenty, free, five = (mark.x for mark in found.marks)
    assert free < found.axis_x < five < twenty
    assert [mark.column.tool.slug for mark in found.unpriced] == ["tool-3"]
    assert len(found.rows) == 4


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
    ],
)
def test_no_mark_covers_another_or_leaves_the_picture(given: list[Given]):
    found = price_score(columns(*given))
    assert found
    for first, second in combinations(found.marks, 2):
        rem_apart = HEIGHT * APART / 100 - 0.01
        assert abs(first.y - second.y) >= rem_apart or abs(first.x - second.x) >= MARK - 0.2
    assert all(MARGIN < mark.x <= LAST for mark in found.marks)


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
    middle, late = (START + END) / 2, round(START + (END - START) * 0.75, 1)
    steps = [(step.at.day, str(step.score), step.x) for step in found.steps]
    assert steps == [(1, "40.0", START), (11, "50.0", middle), (16, "70.0", late)]
    assert found.steps[-1].until_x == END
    assert found.steps[0].y > found.steps[1].y > found.steps[2].y
    assert found.rises[0] == (middle, found.steps[0].y, found.steps[1].y)
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
    assert found.price_changes == [round(START + (END - START) * 0.75, 1)]
