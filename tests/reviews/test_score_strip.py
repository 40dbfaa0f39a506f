"""The positions of the marks on a score strip."""

import re

import pytest

from reviews.models import Reviewer, Take
from reviews.score_strip import initials, place, rows_of, score_strip
from reviews.scoring import panel_of
from reviews.templatetags.panel import strip_line


def take_of(pk: int, name: str, score: int, verdict: str) -> Take:
    return Take(reviewer=Reviewer(pk=pk, slug=f"r{pk}", name=name), score=score, verdict=verdict)


def test_a_score_is_drawn_between_the_margin_and_the_end():
    assert (place(0), place(50), place(100)) == (11.0, 53.0, 95.0)


def test_marks_that_would_overlap_stand_in_rows():
    assert rows_of([], 8) == []
    assert rows_of([80], 8) == [0]
    assert rows_of([80, 20], 8) == [0, 0]
    assert rows_of([80, 88, 72], 8) == [0, 0, 0]
    assert rows_of([80, 87, 73], 8) == [1, 0, 0]
    assert rows_of([80, 80, 80], 8) == [0, 1, 2]
    assert rows_of([84, 78, 82, 76], 8) == [0, 1, 2, 0]


def test_each_reviewer_has_letters_of_their_own():
    assert initials(["Builder", "Skeptic", "PM"]) == ["B", "S", "P"]
    assert initials(["Builder", "Futurist", "Founder"]) == ["B", "Fu", "Fo"]
    assert initials(["Reviewer 1", "Reviewer 2", "Zoe"]) == ["1", "2", "Z"]
    assert initials(["«בודק»", "🚀", "b", "B"]) == ["ב", "2", "3", "4"]


def test_a_reviewer_without_a_take_has_a_hollow_mark_in_the_margin():
    takes = [take_of(1, "Ann", 84, "ship"), take_of(2, "Bo", 9, "skip")]
    tools = {"Alpha": takes, "Beta": takes[1:], "Gamma": []}
    strip = score_strip([(title, own, panel_of(own)) for title, own in tools.items()])
    marks = [[(m.letters, m.verdict, m.score) for m in line.marks] for line in strip.lines]
    assert marks == [
        [("A", "ship", 84), ("B", "skip", 9)],
        [("A", "", None), ("B", "skip", 9)],
        [("A", "", None), ("B", "", None)],
    ]
    assert strip.has_hollow
    assert [mark.words for mark in strip.lines[1].marks] == ["Ann: no take", "Bo: 9, skip"]
    assert not score_strip([("Alpha", takes, panel_of(takes))]).has_hollow


@pytest.mark.parametrize(
    ("scores", "side", "mean"),
    [
        ([(84, "ship"), (9, "skip"), (60, "ship")], "ship", "51.0"),
        ([(84, "ship"), (9, "skip"), (60, "skip")], "skip", "51.0"),
        ([(84, "ship"), (9, "skip")], "split", "46.5"),
        ([], None, None),
    ],
)
def test_a_line_shows_the_side_of_the_verdict_and_the_mean(scores, side, mean):
    takes = [take_of(n, f"R{n}", *score) for n, score in enumerate(scores)]
    (line,) = score_strip([("<Alpha>", takes, panel_of(takes))]).lines
    html = strip_line(line)
    assert re.findall(r"strip__side--(\w+)", html) == [side] * bool(side)
    assert re.findall(r'strip__number"[^>]*>([^<]*)', html) == [mean] * bool(mean)
    assert 'aria-label="&lt;Alpha&gt;"' in html
    labels = re.findall(r'tabindex="0" role="img" aria-label="([^"]*)"', html)
    assert labels == [f"R{n}: {score}, {verdict}" for n, (score, verdict) in enumerate(scores)]
    shapes = re.findall(r"strip__mark strip__mark--(\w+)", html)
    assert shapes == [verdict for _, verdict in scores]


def test_twenty_takes_with_one_score_stand_below_each_other():
    takes = [take_of(n, "Same", 50, "ship") for n in range(20)]
    (line,) = score_strip([("Alpha", takes, panel_of(takes))]).lines
    assert line.height == 20
    assert len({mark.letters for mark in line.marks}) == 20
