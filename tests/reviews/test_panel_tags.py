"""How verdicts, points and tallies are written on a page."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from reviews.models import Take
from reviews.scoring import Tally, Verdict
from reviews.templatetags import panel
from shipskip.content.judged_tools import JudgedTool
from tests.content.made_records import reviewer, take, tool


@pytest.mark.parametrize(
    ("value", "word"),
    [("ship", "Ship"), ("skip", "Skip"), ("split", "Split"), ("none", "No verdict yet")],
)
def test_a_verdict_is_a_word_and_a_shape_and_points_are_named(value: Verdict, word: str):
    html = panel.verdict(value)
    assert f">{word}<" in html
    assert f"verdict--{value}" in html
    points = panel.points(Take(score=84, verdict=value))
    assert "<b>84</b>/100" in points
    assert f">{value}<" in points


@dataclass
class Row:
    """A row of the decision table."""

    kind: str
    cells: Sequence[Decimal | Tally]


def test_a_row_of_the_decision_table_has_the_score_or_the_verdict_or_the_tally_of_each_tool():
    by = reviewer(1, "builder")
    judged = JudgedTool(tool(1, "a", take(by, 84), take(by, 75, "skip"), take(by, 90)))
    columns = [judged, JudgedTool(tool(2, "b"))]
    words = {
        kind: re.findall("<td>(.*?)</td>", panel.judged_cells(Row(kind, cells), columns, []))
        for kind, cells in {
            "score": [Decimal(83), Decimal(0)],
            "verdict": [Decimal(83), Decimal(0)],
            "tally": [Tally(ship=8, skip=2), Tally()],
        }.items()
    }
    assert words["score"] == ["83.0", "—"]
    assert words["tally"] == [
        '<span id="tally-a">80% ship of 10</span>',
        '<span id="tally-b">—</span>',
    ]
    ship, nobody = words["verdict"]
    assert ">Ship<" in ship
    assert "2 ship / 1 skip" in ship
    assert nobody == panel.verdict("none")
    named = panel.judged_cells(Row("score", [Decimal(83)]), columns[:1], ["<A>"])
    assert named == '<td><span class="many-tools__name"><bdi>&lt;A&gt;</bdi></span>83.0</td>'


def test_a_tool_is_judged_in_the_month_of_its_newest_take():
    dates = [datetime(2026, 6, 30, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC), None]
    verdicts = ["ship", "skip", "ship"]
    takes = [
        take(reviewer(1, "builder"), 1, verdict, published_at=at)
        for verdict, at in zip(verdicts, dates, strict=True)
    ]
    html = panel.judged(JudgedTool(tool(1, "a", *takes)))
    word = '<span class="judged__word">judged </span>'
    assert html == f'2 of 3 ship · {word}<time datetime="2026-06">June 2026</time>'
    assert panel.judged(JudgedTool(tool(1, "a", *takes[2:]))) == "1 of 1 ship"
    scored = panel.scored(JudgedTool(tool(1, "a", *takes)))
    assert scored == f'mean score 1.0 · {word}<time datetime="2026-06">June 2026</time>'
    assert panel.scored(JudgedTool(tool(1, "a", *takes[2:]))) == "mean score 1.0"
    assert panel.scored(JudgedTool(tool(1, "a"))) == ""
    assert panel.judged(JudgedTool(tool(1, "a"))) == ""


@pytest.mark.parametrize(
    ("tally", "long", "short"),
    [
        (Tally(), "No community votes yet", "—"),
        (Tally(ship=1), "1 ship / 0 skip", "1 ship / 0 skip"),
        (Tally(ship=5, skip=4), "5 ship / 4 skip", "5 ship / 4 skip"),
        (Tally(ship=8, skip=2), "80% ship · 10 votes (49–94%)", "80% ship of 10"),
        (Tally(skip=10), "0% ship · 10 votes (0–28%)", "0% ship of 10"),
    ],
)
def test_a_tally_has_a_per_cent_from_ten_votes_on(tally: Tally, long: str, short: str):
    assert panel.tally(tally) == long
    assert panel.tally_short(tally) == short
