"""The positions of the marks on a score strip."""

import re

import pytest

from reviews.models import Reviewer, Take
from reviews.score_strip import initials, place, rows_of, score_strip
from reviews.scoring import panel_of
from reviews.templatetags.panel import strip_line


def take_of(pk: int, name: str, score: int, verdict: str) -> Take:
    return Take(reviewer=Reviewer(pk=pk, slug=f"r{pk}", name=name), score=score, verdict=verdict)


def test_marks_stand_at_their_scores_and_those_that_would_overlap_in_rows():
    assert (place(0), place(50), place(100)) == (11.0, 53.0, 95.0)
    for scores, rows in (
        ([], []),
        ([80], [0]),
        ([80, 88, 72], [0, 0, 0]),
        ([80, 87, 73], [1, 0, 0]),
        ([80, 80, 80], [0, 1, 2]),
        ([84, 78, 82, 76], [0, 1, 2, 0]),
        ([50] * 20, [*range(20)]),
    ):
        assert rows_of(scores, 8) == rows


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
