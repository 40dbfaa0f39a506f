"""How verdicts, points and tallies are written on a page."""

from datetime import UTC, datetime

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
def test_a_verdict_is_a_word_and_a_shape(value: Verdict, word: str):
    html = panel.verdict(value)
    assert f">{word}<" in html
    assert f"verdict--{value}" in html


def test_points_name_score_and_verdict():
    html = panel.points(Take(score=84, verdict="ship"))
    assert "<b>84</b>/100" in html
    assert ">ship<" in html


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
