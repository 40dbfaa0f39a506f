"""How a tool's mean score and prices changed: the steps and the table."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from shipskip.content.records import FactChange, FullTool, Plan, PublicChange, TakeChange
from shipskip.content.score_history import END, START, score_history
from tests.content.made_records import reviewer, take, tool

BUILDER, SKEPTIC = reviewer(1, "builder", 1), reviewer(2, "skeptic", 2)
PLAN = Plan("", "", "", None, "Pro", "$20 per month", Decimal(20), "USD", "month")


def day(number: int) -> datetime:
    return datetime(2026, 6, number, tzinfo=UTC)


NOW = day(21)


def scored(at: datetime, before: int, after: int, by: Any = BUILDER, **fields: Any) -> TakeChange:
    values: dict[str, Any] = {"undone_at": None, "correction": "", "reason": ""} | fields
    return TakeChange(
        pk=1,
        at=at,
        reviewer=by,
        score_before=before,
        score_after=after,
        verdict_before="ship",
        verdict_after="ship",
        **values,
    )


def priced(at: datetime, subject: str = "Pro, per month, in USD") -> FactChange:
    return FactChange(1, at, None, "", subject, "$15 per month", "$20 per month")


def changed(*changes: PublicChange) -> FullTool:
    """A tool with two takes, of the first and the eleventh of June."""
    takes = [
        take(BUILDER, 80, published_at=day(1)),
        take(SKEPTIC, 60, published_at=day(11)),
    ]
    return tool(1, "alpha", *takes, changes=changes, plans=[PLAN])


@pytest.mark.parametrize(
    "changes",
    [
        [],
        [scored(day(5), 70, 70)],
        [scored(day(5), 70, 80, undone_at=day(5))],
        [priced(day(5), "Licence")],
    ],
    ids=["nothing", "a verdict", "a slip", "a fact"],
)
def test_there_is_no_picture_where_no_score_and_no_price_changed(changes: list[PublicChange]):
    assert score_history(changed(*changes), NOW) is None


def test_the_mean_goes_in_steps_from_the_first_take_to_now():
    found = score_history(changed(scored(day(16), 40, 80)), NOW)
    assert found
    assert [(step.at.day, str(step.score)) for step in found.steps] == [
        (1, "40.0"),
        (11, "50.0"),
        (16, "70.0"),
    ]
    middle = (START + END) / 2
    assert [step.x for step in found.steps] == [
        START,
        middle,
        round(START + (END - START) * 0.75, 1),
    ]
    assert found.steps[-1].until_x == END
    assert found.steps[0].y > found.steps[1].y > found.steps[2].y
    assert found.rises[0] == (middle, found.steps[0].y, found.steps[1].y)


def test_a_score_that_changed_twice_has_each_earlier_value_in_its_time():
    found = score_history(changed(scored(day(8), 50, 80), scored(day(4), 20, 50)), NOW)
    assert found
    assert [str(step.score) for step in found.steps] == ["20.0", "50.0", "80.0", "70.0"]


def test_the_table_has_scores_and_prices_newest_first():
    found = score_history(changed(priced(day(16))), NOW)
    assert found
    assert [(row.at.day, row.what, row.before, row.after) for row in found.rows] == [
        (16, "Pro, per month, in USD", "$15 per month", "$20 per month"),
        (11, "Mean score", "80.0", "70.0"),
        (1, "Mean score", "", "80.0"),
    ]
    assert found.price_changes == [round(START + (END - START) * 0.75, 1)]


def test_a_tool_without_takes_has_no_picture():
    assert score_history(tool(1, "alpha", changes=[priced(day(5))], plans=[PLAN]), NOW) is None
