"""Price against score: which tools have a mark, and that no mark covers another."""

from decimal import Decimal
from itertools import combinations

import pytest

from shipskip.content.judged_tools import JudgedTool
from shipskip.content.price_score import APART, HEIGHT, LAST, MARGIN, MARK, price_score
from shipskip.content.records import Tool
from tests.content.made_records import reviewer, take, tool

BUILDER = reviewer(1, "builder")
Given = tuple[str | None, int]
"""A price a month in dollars (empty: free, None: no price), and a score."""


def columns(*given: Given) -> list[JudgedTool[Tool]]:
    return [
        JudgedTool(
            tool(
                pk,
                f"tool-{pk}",
                take(BUILDER, score),
                entry="paid" if price is None or price else "free",
                monthly_prices={"USD": Decimal(price)} if price else {},
            )
        )
        for pk, (price, score) in enumerate(given, 1)
    ]


@pytest.mark.parametrize(
    "given",
    [
        [],
        [("10", 80)],
        [("", 80), ("", 60)],
        [(None, 80), (None, 70)],
        [("10", 80), (None, 70)],
    ],
    ids=["no tool", "one tool", "all free", "no price", "one price"],
)
def test_there_is_no_picture_of_less_than_two_prices_one_above_0(given: list[Given]):
    assert price_score(columns(*given)) is None


def test_the_picture_has_free_tools_first_and_the_others_by_price():
    found = price_score(columns(("20", 80), ("", 60), (None, 40), ("5", 100)))
    assert found
    assert [(mark.number, mark.price, mark.y) for mark in found.marks] == [
        (1, "$20", 4.2),
        (2, "Free", 7.4),
        (3, "$5", 1.0),
    ]
    twenty, free, five = (mark.x for mark in found.marks)
    assert free < found.axis_x < five < twenty
    assert [words for _, words in found.ticks] == ["$10", "$20"]
    assert [mark.column.tool.slug for mark in found.unpriced] == ["tool-3"]
    assert len(found.rows) == 4


def test_the_currency_is_the_one_that_most_tools_have():
    prices = [{"EUR": Decimal(9)}, {"EUR": Decimal(19), "USD": Decimal(20)}, {"USD": Decimal(5)}]
    given = [
        JudgedTool(tool(pk, f"t{pk}", take(BUILDER), entry="paid", monthly_prices=each))
        for pk, each in enumerate([*prices, {"USD": Decimal(7)}], 1)
    ]
    found = price_score(given)
    assert found
    assert (found.currency, [mark.price for mark in found.marks]) == ("USD", ["$20", "$5", "$7"])


@pytest.mark.parametrize(
    ("highest", "ticks"),
    [
        ("0.15", ["$0.10", "$0.20"]),
        ("1", ["$0.50", "$1"]),
        ("9.99", ["$5", "$10"]),
        ("39", ["$20", "$40"]),
        ("500", ["$500", "$1,000"]),
    ],
)
def test_the_scale_ends_at_a_round_price(highest: str, ticks: list[str]):
    found = price_score(columns((highest, 80), ("", 60)))
    assert found
    assert [words for _, words in found.ticks] == ticks


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
