"""How verdicts, portraits, score strips and tallies are drawn and written on a page."""

import re
from datetime import UTC, datetime
from decimal import Decimal
from itertools import combinations, pairwise
from types import SimpleNamespace

import pytest

from reviews.models import Reviewer, Take
from reviews.portraits import Sign, letter, portrait
from reviews.score_strip import MARK, WIDTH, initials, rows_of, score_strip
from reviews.scoring import Tally, Verdict, panel_of
from reviews.templatetags import panel
from shipskip.content.judged_tools import JudgedTool
from shipskip.web.tints import Tint
from tests import factories as make
from tests.content.made_records import reviewer, take, tool
from tests.source_files import ROOT


def test_a_verdict_is_a_word_and_a_shape():
    words: dict[Verdict, str] = {"ship": "Ship", "split": "Split", "none": "No verdict yet"}
    for value, word in words.items():
        html = panel.verdict(value)
        assert f">{word}<" in html
        assert f"verdict--{value}" in html


def test_a_row_of_the_decision_table_names_its_tools_on_a_phone():
    by = reviewer(1, "builder")
    row = SimpleNamespace(kind="score", cells=[Decimal(83)])
    named = panel.judged_cells(row, [JudgedTool(tool(1, "a", take(by, 83)))], ["<A>"])
    assert named == '<td><span class="many-tools__name"><bdi>&lt;A&gt;</bdi></span> 83.0</td>'


def test_a_tool_is_judged_in_the_month_of_its_newest_take():
    by, june, may = reviewer(1, "builder"), datetime(2026, 6, 30, tzinfo=UTC), make.PUBLISHED
    dated = [take(by, 1, published_at=june), take(by, 1, "skip", published_at=may)]
    undated = take(by, 1, published_at=None)
    both = JudgedTool(tool(1, "a", *dated, undated))
    without, nobody = JudgedTool(tool(1, "a", undated)), JudgedTool(tool(1, "a"))
    judged = '<span class="judged__word">judged </span>June 2026'
    assert panel.judged(both) == f"2 of 3 ship · {judged}"
    assert panel.scored(both) == f"mean score 1.0 · {judged}"
    assert [panel.judged(without), panel.judged(nobody)] == ["1 of 1 ship", ""]
    assert [panel.scored(without), panel.scored(nobody)] == ["mean score 1.0", ""]


@pytest.mark.parametrize(
    ("tally", "long", "short"),
    [
        (Tally(), "No community votes yet", "—"),
        (Tally(ship=5, skip=4), "5 ship / 4 skip", "5 ship / 4 skip"),
        (Tally(ship=8, skip=2), "80% ship · 10 votes (49–94%)", "80% ship of 10"),
    ],
)
def test_a_tally_has_a_per_cent_from_ten_votes_on(tally: Tally, long: str, short: str):
    assert (panel.tally(tally), panel.tally_short(tally)) == (long, short)


def test_each_sign_is_a_small_drawing_of_its_own():
    drawings = {portrait(sign, "violet", "Ann", 64) for sign in Sign}
    assert len(drawings) == len(Sign)
    for html in drawings:
        assert len(html) < 1000
        assert html.startswith('<svg width="64" height="64" aria-hidden="true" viewBox="0 0 32 32"')
        assert 'class="portrait portrait--violet"' in html
        assert "portrait__letter" not in html


def test_a_reviewer_without_a_sign_has_the_first_letter_of_their_name():
    assert portrait("", "", "<the> Builder", 32) == (
        '<svg width="32" height="32" aria-hidden="true" viewBox="0 0 32 32"'
        ' class="portrait portrait--plain">'
        '<circle class="portrait__ground" cx="16" cy="16" r="16"/>'
        '<text class="portrait__letter" x="16" y="22">T</text></svg>'
    )
    assert [letter(name) for name in ("émile", "“4 eyes”", "ßeta", "…")] == ["É", "4", "S", "?"]


def luminance(colour: str) -> float:
    """The relative luminance of a `#rrggbb` by WCAG."""
    parts = [int(colour[at:end], 16) / 255 for at, end in pairwise((1, 3, 5, 7))]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    dark, light = sorted([luminance(first), luminance(second)])
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("tint", Tint)
@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_a_tint_has_enough_contrast_in_both_schemes(tint: Tint, scheme: int):
    css = (ROOT / "static/css/tokens.css").read_text()
    rules = re.split(r"@media [^{]*\{", css)[scheme]
    colours = dict(re.findall(r"--([\w-]+): (#\w{6});", rules))
    ground, ink = colours[f"tint-{tint}"], colours[f"tint-{tint}-ink"]
    assert contrast(ground, ink) >= 4.5
    assert contrast(colours["paper"], ink) >= 4.5
    assert f".portrait--{tint}, " in (ROOT / "static/css/portrait.css").read_text()


def take_of(pk: int, name: str, score: int, verdict: str) -> Take:
    return Take(reviewer=Reviewer(pk=pk, name=name), score=score, verdict=verdict)


def test_marks_stand_at_their_scores_and_those_that_would_overlap_in_rows():
    for scores, rows in (
        ([], []),
        ([80, 87, 73], [1, 0, 0]),
        ([84, 78, 82, 76], [0, 1, 2, 0]),
    ):
        assert rows_of(scores, 8) == rows
    takes = [take_of(n, f"R{n}", score, "ship") for n, score in enumerate((0, 3, 50, 58, 66, 100))]
    tools = {"Alpha": takes[2:], "Beta": takes[:1], "Gamma": takes}
    for line in score_strip([(name, own, panel_of(own)) for name, own in tools.items()]).lines:
        for first, second in combinations(line.marks, 2):
            assert first.row != second.row or abs(first.x - second.x) >= MARK, line.title
        assert all(MARK / 2 <= mark.x <= WIDTH - MARK / 2 for mark in line.marks)
        hollow, scored = ([m.x for m in line.marks if bool(m.verdict) is t] for t in (False, True))
        assert min(hollow, default=WIDTH) >= max(scored) + MARK or not hollow


def test_each_reviewer_has_letters_of_their_own():
    assert initials(["Builder", "Futurist", "Founder"]) == ["B", "Fu", "Fo"]
    assert initials(["Reviewer 1", "Reviewer 2", "Zoe"]) == ["1", "2", "Z"]
    assert initials(["«בודק»", "🚀", "b", "B"]) == ["ב", "2", "3", "4"]


def test_a_reviewer_without_a_take_has_a_hollow_mark_beside_the_axis():
    takes = [take_of(1, "Ann", 84, "ship"), take_of(2, "Bo", 9, "skip")]
    tools = {"Alpha": takes, "Beta": takes[1:], "Gamma": []}
    strip = score_strip([(title, own, panel_of(own)) for title, own in tools.items()])
    marks = [[(m.letters, m.verdict, m.score) for m in line.marks] for line in strip.lines]
    assert marks == [
        [("A", "ship", 84), ("B", "skip", 9)],
        [("B", "skip", 9), ("A", "", None)],
        [("A", "", None), ("B", "", None)],
    ]
    assert strip.has_hollow
    assert [mark.words for mark in strip.lines[1].marks] == ["Bo: 9, skip", "Ann: no take"]
    assert not score_strip([("Alpha", takes, panel_of(takes))]).has_hollow


@pytest.mark.parametrize(
    ("scores", "side", "mean"),
    [
        ([(84, "ship"), (9, "skip"), (60, "ship")], "ship", "51.0"),
        ([(84, "ship"), (9, "skip")], "split", "46.5"),
        ([], None, None),
    ],
)
def test_a_line_shows_the_side_of_the_verdict_and_the_mean(scores, side, mean):
    takes = [take_of(n, f"R{n}", *score) for n, score in enumerate(scores)]
    (line,) = score_strip([("<Alpha>", takes, panel_of(takes))]).lines
    html = panel.strip_line(line)
    assert re.findall(r"strip__side--(\w+)", html) == [side] * bool(side)
    assert re.findall(r'strip__number"[^>]*>([^<]*)', html) == [mean] * bool(mean)
    assert 'aria-label="&lt;Alpha&gt;"' in html
    labels = re.findall(r'tabindex="0" role="img"[^>]* aria-label="([^"]*)"', html)
    assert labels == [f"R{n}: {score}, {verdict}" for n, (score, verdict) in enumerate(scores)]
    shapes = re.findall(r"strip__mark strip__mark--(\w+)", html)
    assert shapes == [verdict for _, verdict in scores]
