"""The sentence that answers a comparison: every rule of methodology at its borders.

Tools are written as `A: 80+ 72- . / B: 9-`: a name, then for each reviewer the score with + for
ship or - for skip, or a dot for no take; at the end an x if it is discontinued, with its day.
"""

from datetime import date
from fractions import Fraction
from types import SimpleNamespace

import pytest

from comparisons.answer import Contender, agreement, answer, firmness, judged_by, lead, not_judged
from reviews.scoring import Tally

VERDICTS = {"+": "ship", "-": "skip"}


def tools(rows: str, weights: dict[int, int] | None = None) -> list[Contender]:
    """The contenders that rows as `A: 80+ 72- . / B: 9-` describe; reviewers count from 1."""
    found = []
    for row in rows.split(" / "):
        name, _, takes = row.rpartition(": ")
        panel = [
            SimpleNamespace(reviewer_id=pk, score=int(take[:-1]), verdict=VERDICTS[take[-1]])
            for pk, take in enumerate(takes.split(), 1)
            if take[-1] in VERDICTS
        ]
        _, is_discontinued, day = takes.partition("x")
        since = date.fromisoformat(day) if day else None
        found.append(Contender(name, panel, weights or {}, bool(is_discontinued), since))
    return found


def cases(text: str) -> dict[str, str]:
    """The tools of each line `case = tools`, by the case."""
    lines = [line.split(" = ", 1) for line in text.strip().splitlines()]
    return {case.strip(): rows.strip() for case, rows in lines}


TWO = """
one ships, one skips                            = A: 80+ / B: 30-
a split beside a ship                           = A: 80+ 70- / B: 60+ 60+
no ship but a split                             = A: 20- 20- / B: 80+ 20-
both split, whatever their scores               = A: 99+ 98- / B: 1+ 0-
both skip, the higher share is nearer           = A: 9- 9- 9+ / B: 60- 60- 60-
both skip, of one share the higher mean         = A: 30- 30- 30- / B: 30- 31-
both skip, of one share and mean                = A: 30- 32- / B: 31-
no takes on either                              = A: . / B: .
no takes beside a ship                          = A: 80+ / B: .
no takes beside a skip                          = A: . / B: 9- 9-
no takes beside a split                         = A: . / B: 9+ 9-
both ship, a lead                               = A: 90+ 82+ 80+ / B: 80+ 80+ 70+
the second is ahead                             = A: 70+ 70+ / B: 80+ 75+
d is 3 exactly                                  = A: 73+ 73+ 73+ / B: 70+ 70+ 70+
half a point is rounded up                      = A: 74+ 75+ 74+ 75+ / B: 70+ 70+ 70+ 70+
less than half a point is rounded down          = A: 74+ 75+ 74+ / B: 70+ 70+ 70+
equal scores                                    = A: 80+ 80+ 80+ / B: 80+ 80+ 80+
n is 2                                          = A: 90+ 90+ 10+ / B: 80+ 80+ . 99+
n is 2, d is 3 exactly                          = A: 73+ 73+ / B: 70+ 70+
n is 1                                          = A: 90+ 90+ . / B: 10+ . 10+
two thirds exactly                              = A: 80+ 80+ 70+ / B: 70+ 70+ 71+
less than two thirds                            = A: 90+ 90+ 70+ 70+ 70+ / B: 60+ 60+ 69+ 71+ 71+
equal scores count in n, stand on no side       = A: 99+ 70+ 70+ / B: 10+ 70+ 70+
the lower mean of all takes may lead            = A: 60+ 60+ 60+ . / B: 50+ 50+ 50+ 99+
two of three shared reviewers skip the leader   = A: 80+ 80- 80- 1+ 1+ / B: 70+ 70+ 70+ . .
"""
MORE = """
ship and skip, one leads                        = A: 90+ 90+ 90+ / B: 10- 10- / C: 80+ 80+ 80+
ship and skip, one is ahead of the other        = A: 90+ 90+ / B: 10- 10- / C: 80+ 80+
ship and skip, too few judged both              = A: 90+ . / B: 10- 10- / C: . 80+
ship and skip, too close                        = A: 80+ 80+ / B: 10- 10- / C: 80+ 80+
one ships beside a split and two skips          = A: 10- / B: 50+ 50- / C: 80+ / D: 20-
no ship but splits                              = A: 10- / B: 50+ 50- / C: 60+ 60- / D: 20-
all split                                       = A: 9+ 9- / B: 9+ 9- / C: 9+ 9-
all skip, one came nearest                      = A: 9- / B: 9- 9- 9+ / C: 60-
all skip, the mean decides of the highest share = A: 9- 9- 9+ / B: 8- 9- 9+ / C: 60-
all skip, nobody came nearest                   = A: 60- / B: 60- / C: 9-
all ship, one leads each other                  = A: 80+ 80+ 80+ / B: 70+ 70+ 70+ / C: 65+ 75+ 75+
the least lead is taken before it is rounded    = A: 80+ 80+ 80+ / B: 71+ 71+ 72+ / C: 71+ 71+ 71+
of equal leads the first of the page is least   = B: 71+ 71+ 71+ / A: 80+ 80+ 80+ / C: 71+ 71+ 71+
one is ahead of each, of one with 2 reviewers   = A: 80+ 80+ 80+ / B: 70+ 70+ . / C: 65+ 75+ 75+
of one tool no two reviewers judged another     = A: 80+ 80+ 80+ / B: 70+ . . / C: 65+ 75+ 75+
the best leads only one of the others           = A: 80+ 80+ / B: 70+ 70+ / C: 79+ 79+
three ship, one skips, one leads       = A: 80+ 80+ 80+ / B: 70+ 70+ 70+ / C: 60+ 60+ 60+ / D: 9-
three ship, one skips, one is ahead of each     = A: 80+ 80+ / B: 70+ 70+ / C: 60+ 60+ / D: 9-
a circle     = A: 80+ 80+ . . 50+ 50+ / B: 70+ 70+ 80+ 80+ . . / C: . . 70+ 70+ 60+ 60+
no takes on one, two ship                       = A: 90+ 90+ 90+ / B: . / C: 80+ 80+ 80+
no takes on any                                 = A: . / B: . / C: .
a name with “and” or a comma is quoted in a list = Weights and Bits: 9- / Big, Small: 9- / C: 80+
it needs no quotes alone                        = Weights and Bits: 80+ / Big, Small: 9-
names are shown as written                      = {0} & <b>: 80+ / %s – 🚀: 9-
one is discontinued; the other one skips        = A: 30- / B: 90+ x
one is discontinued; a split and a skip         = A: 9- / B: 90+ x / C: 9+ 9-
all are discontinued                            = A: 80+ x / B: . x
one is discontinued; its day is known           = A: 80+ / B: 90+ x2026-06-18
one is discontinued; two others skip            = A: 9- 8- / B: 90+ x / C: 9- 7-
one is discontinued; two ship, one leads        = A: 90+ 90+ 90+ / B: 99+ x / C: 80+ 80+ 80+
one is discontinued; no takes on two others     = A: . / B: 90+ x / C: .
"""
LONG = {
    "both skip, with means that only differ unseen": (
        "A: 30- 30- 30- 30- 30- 30- 30- 30- 30- / B: " + 29 * "30- " + "31-"
    ),
    "d just below 3, although it rounds to 3": (
        "A: " + 19 * "73+ " + "72+ / B: " + 19 * "70+ " + "70+"
    ),
    "ten tools": " / ".join(f"{name}: 80+ 80+" for name in "ABCDEFGHIJ"),
    "ten tools of every kind": (
        "A: 9- / B: 80+ 80+ / C: 9+ 9- / D: . / E: 70+ 70+ / F: 9- / G: 9- / H: 9- / I: 9- / J: 9-"
    ),
}


def test_the_answer_names_no_leader_that_the_takes_do_not_support(snapshot):
    rows_by_case = cases(TWO) | cases(MORE) | LONG
    found = [f"{case}: {rows} → {answer(tools(rows))}" for case, rows in rows_by_case.items()]
    assert "\n".join(found) == snapshot
    with pytest.raises(ValueError, match="two contenders"):
        answer(tools("A: 80+"))


def test_a_lead_is_the_same_from_both_sides():
    first, second = tools("A: 90+ 82+ 80+ / B: 80+ 80+ 70+")
    found = lead(first, second)
    assert found == lead(second, first)
    assert found
    assert (found.ahead, found.exact_points, found.reviewers) == (first, Fraction(22, 3), 3)


OURS = "A: 80+ 80+ 65- / B: 70+ 70+ 70+"
OWN_WEIGHTS = [{}, {1: 2}, {3: 0}, {1: 3, 2: 0}, {3: 2}, {1: 0, 2: 0}, {1: 0, 2: 0, 3: 0}]
AT_BORDERS = [
    ("A: 74+ 71+ / B: 70+ 70+", {1: 2}),  # d = 3
    ("A: 74+ 70+ / B: 70+ 70+", {1: 3}),  # d = 3 of one in two
    ("A: 74+ 71+ 9+ / B: 70+ 70+ 99+", {1: 2, 3: 0}),
    ("A: 99+ 71+ / B: 70+ 70+", {2: 0}),
]


def test_a_reader_s_weights_count_in_shares_and_means_but_not_in_numbers(snapshot):
    cases = [*((OURS, weights) for weights in OWN_WEIGHTS), *AT_BORDERS]
    found = [f"{rows} {weights}: {answer(tools(rows, weights))}" for rows, weights in cases]
    assert "\n".join(found) == snapshot


JUDGED = [
    "A: 9+ 9+ 9+ . / B: . 9+ 9+ 9+",
    "A: 9+ 9+ / B: .",
    "A: . / B: .",
    "A: 9+ 9+ / B: 9+ . / C: 9+ 9+",
    "A: 9+ . / B: . 9+ / C: .",
    "A: 9+ / B: 9+ / C: 9+ / D: .",
]
BESIDE_THE_COMMUNITY = [(9, 1, 1, 9), (9, 1, 9, 1), (1, 9, 9, 1), (9, 1, 0, 9)]
"""Votes for and against A and B; the last are too few on B."""


def test_the_line_below_counts_reviewers_and_says_whether_the_community_agrees(snapshot):
    found = [f"{rows}: {judged_by(tools(rows))}" for rows in JUDGED]
    for ship, skip, *of_b in BESIDE_THE_COMMUNITY:
        line = agreement(tools("A: 80+ / B: 30-"), [Tally(ship, skip), Tally(*of_b)])
        found.append(f"{ship} to {skip}, {of_b[0]} to {of_b[1]}: {line}")
    assert "\n".join(found) == snapshot


FIRMNESS = """
no trial changes it                                       = A: 90+ 90+ 90+ / B: 10- 10- 10-
a lead by three stays a lead by two and one               = A: 90+ 90+ 90+ / B: 80+ 80+ 80+
the lead of two is a leader in ours and in the trials     = A: 90+ 90+ / B: 80+ 80+
no other sentences without the only one who judged both = A: 90+ 90+ / B: 80+ . 80+
without the only skip, a split ships                      = A: 90+ 20- / B: 90+ 90+
trials that leave one out come before doubled ones        = A: 90+ 90+ 10- / B: 10- 10- 10-
without the last                                          = A: 80+ 80+ 80+ 83+ / B: 76+ 76+ 76+ 85+
counted double, the mean difference is below 3            = A: 84+ 84+ 84+ 81+ / B: 80+ 80+ 80+ 80+
too close stays too close                                 = A: 80+ 80+ 80+ / B: 80+ 80+ 80+
too close, and without the third there is a leader        = A: 90+ 90+ 62+ / B: 80+ 80+ 80+
a discontinued tool takes no part                         = A: 90+ 90+ / B: 10- 10- / C: 90+ 10- x
one verdict                                               = A: 90+ 90+ / B: .
no tool ships                                             = A: 10- / B: 10-
"""


def test_the_first_trial_that_changes_the_answer_is_said(snapshot):
    names = enumerate(["Builder", "Skeptic", "Futurist", "PM"], 1)
    panel = [SimpleNamespace(pk=pk, name=name, slug=name.lower()) for pk, name in names]
    found = []
    for case, rows in cases(FIRMNESS).items():
        trial = firmness(tools(rows), panel)
        found.append(f"{case}: {rows} → {trial and trial.words}")
    assert "\n".join(found) == snapshot


NOT_JUDGED = [
    ("A: 80+ 70+ / B: 60+ 50-", {1: 3, 2: 2}),
    ("A: 80+ . / B: 60+ .", {2: 2}),
    ("A: 80+ . / B: 6+ . / C: . .", {2: 3}),
    ("A: 80+ . / B: 6+ 5- / C: . .", {2: 3}),
    ("A: 80+ 70+ 60+ / B: 60+ . .", {2: 3, 3: 2}),
    ("A: 80+ 70+ . / B: . . 60+", {1: 2, 2: 0, 3: 2}),
]


def test_raised_reviewers_without_a_take_are_named(snapshot):
    judges = [(1, "Builder"), (2, "Skeptic"), (3, "PM")]
    found = []
    for rows, weights in NOT_JUDGED:
        found.append(f"{rows} {weights}: {not_judged(tools(rows, weights), judges)}")
    assert "\n".join(found) == snapshot
