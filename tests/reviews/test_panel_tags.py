"""How verdicts, points and tallies are written on a page."""

from datetime import UTC, datetime
from decimal import Decimal
from types import SimpleNamespace

import pytest

from reviews.scoring import Tally, Verdict
from reviews.templatetags import panel
from shipskip.content.judged_tools import JudgedTool
from tests import factories as make
from tests.content.made_records import reviewer, take, tool


@pytest.mark.parametrize(
    ("value", "word"),
    [("ship", "Ship"), ("skip", "Skip"), ("split", "Split"), ("none", "No verdict yet")],
)
def test_a_verdict_is_a_word_and_a_shape(value: Verdict, word: str):
    html = panel.verdict(value)
    assert f">{word}<" in html
    assert f"verdict--{value}" in html


def test_a_row_of_the_decision_table_names_its_tools_on_a_phone():
    by = reviewer(1, "builder")
    row = SimpleNamespace(kind="score", cells=[Decimal(83)])
    named = panel.judged_cells(row, [JudgedTool(tool(1, "a", take(by, 83)))], ["<A>"])
    assert named == '<td><span class="many-tools__name"><bdi>&lt;A&gt;</bdi></span>83.0</td>'


def test_a_tool_is_judged_in_the_month_of_its_newest_take():
    by, june, may = reviewer(1, "builder"), datetime(2026, 6, 30, tzinfo=UTC), make.PUBLISHED
    dated = [take(by, 1, published_at=june), take(by, 1, "skip", published_at=may)]
    undated = take(by, 1, published_at=None)
    both = JudgedTool(tool(1, "a", *dated, undated))
    without, nobody = JudgedTool(tool(1, "a", undated)), JudgedTool(tool(1, "a"))
    judged = '<span class="judged__word">judged </span><time datetime="2026-06">June 2026</time>'
    assert panel.judged(both) == f"2 of 3 ship · {judged}"
    assert panel.scored(both) == f"mean score 1.0 · {judged}"
    assert [panel.judged(without), panel.judged(nobody)] == ["1 of 1 ship", ""]
    assert [panel.scored(without), panel.scored(nobody)] == ["mean score 1.0", ""]


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
