"""The sentence that answers a comparison, and its basis: pure functions on the takes.

It never names a winner without support from the takes. Among tools that the panel ships, only
reviewers who judged both count, because some reviewers give higher scores than others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

from reviews.scoring import (
    Panel,
    ScoredTake,
    Tally,
    Verdict,
    Weights,
    agree,
    mean_of,
    panel_of,
)

MIN_LEAD = 3
"""Minimum mean difference of the scores, in points, for a lead."""

MIN_SHARED = 2
"""Minimum number of reviewers who judged both tools, for a lead."""

NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
"""Numbers as words: a comparison has at most ten tools."""

_AMBIGUOUS = (",", ";", " and ")
"""Texts in a name that would look like the end of the name in a list."""


@dataclass(frozen=True)
class Contender:
    """A tool's name and its takes, one per reviewer.

    `weights` are a reader's own, from 0 to 3 by reviewer; the default is 1, and a take of weight 0
    is left out. All contenders of an answer have the same weights.
    """

    name: str
    takes: Sequence[ScoredTake]
    weights: Weights = field(default_factory=dict)

    def weight(self, reviewer: int) -> int:
        """The weight of a reviewer, by primary key."""
        return self.weights.get(reviewer, 1)

    @cached_property
    def panel(self) -> Panel:
        """The panel, with each take counted as often as its weight."""
        return panel_of(self.takes, self.weights)

    @cached_property
    def scores(self) -> dict[int, int]:
        """The score of each reviewer whose weight is above 0; drafts may have none."""
        return {
            take.reviewer_id: take.score
            for take in self.takes
            if take.score is not None and self.weight(take.reviewer_id) > 0
        }

    @cached_property
    def points(self) -> int:
        """The sum of these scores, not weighted."""
        return sum(self.scores.values())


@dataclass(frozen=True)
class Lead:
    """A lead of one tool over another: points, with one decimal, and number of reviewers."""

    ahead: Contender
    behind: Contender
    points: Decimal
    reviewers: int


def lead(first: Contender, second: Contender) -> Lead | None:
    """Which of two tools leads among the reviewers who judged both; None if too close to call.

    A lead needs MIN_SHARED such reviewers, a mean difference of MIN_LEAD points (compared before
    it is rounded), and two thirds of these reviewers on its side; equal scores are on no side.
    """
    one, other = first.scores, second.scores
    differences = {key: score - other[key] for key, score in one.items() if key in other}
    if len(differences) < MIN_SHARED:
        return None
    total = sum(first.weight(key) * difference for key, difference in differences.items())
    weight = sum(first.weight(key) for key in differences)
    on_its_side = sum(difference * total > 0 for difference in differences.values())
    if abs(total) < MIN_LEAD * weight or 3 * on_its_side < 2 * len(differences):
        return None
    ahead, behind = (first, second) if total > 0 else (second, first)
    return Lead(ahead, behind, mean_of(abs(total), weight) or Decimal(0), len(differences))


def least_lead(rows: Sequence[Contender]) -> Lead | None:
    """The smallest lead of the tool that leads all others; None if no tool does."""
    for row in rows:
        leads = [lead(row, other) for other in rows if other is not row]
        own = [found for found in leads if found and found.ahead is row]
        if len(own) == len(rows) - 1:
            return min(own, key=lambda found: found.points)
    return None


def nearest_to_shipping(rows: Sequence[Contender]) -> str | None:
    """A sentence on which of several skipped tools came nearest: by the higher share, then by the
    higher mean score, both as displayed. None if they are equal in both.
    """
    share = max(row.panel.share or 0 for row in rows)
    best = [row for row in rows if row.panel.share == share]
    if len(best) == 1:
        return f"{best[0].name} came nearest: {share}% of its panel ships it."
    score = max(row.panel.score or Decimal(0) for row in best)
    best = [row for row in best if row.panel.score == score]
    return f"{best[0].name} came nearest: its mean score is {score}." if len(best) == 1 else None


def answer(contenders: Sequence[Contender]) -> str:
    """Which of two to ten tools to ship with, in one to three sentences of plain text."""
    if len(contenders) < 2:
        raise ValueError("an answer needs two contenders or more")
    judged = [row for row in contenders if row.panel.total]
    if not judged:
        which = "either" if len(contenders) == 2 else f"any of the {NUMBER_WORDS[len(contenders)]}"
        return f"No verdict yet on {which}."
    missing = [row for row in contenders if not row.panel.total]
    same = len({row.panel.verdict for row in judged}) == 1
    sentences = _same_verdict(judged) if same and not missing else _verdicts(judged)
    if missing:
        sentences.append(f"No verdict yet on {_listed(missing)}.")
    return " ".join(sentences)


def _same_verdict(rows: Sequence[Contender]) -> list[str]:
    """The sentences if the panel has the same verdict on all tools."""
    everything = "both" if len(rows) == 2 else f"all {NUMBER_WORDS[len(rows)]}"
    if rows[0].panel.verdict == "split":
        return [f"The panel is split on {everything}."]
    if rows[0].panel.verdict == "skip":
        return [f"Skip {everything}.", *filter(None, [nearest_to_shipping(rows)])]
    return [f"{everything.capitalize()} ship; {_leader(rows)}."]


def _verdicts(rows: Sequence[Contender]) -> list[str]:
    """The sentences if verdicts differ or some are missing: each verdict with its tools."""
    by_verdict: dict[Verdict, list[Contender]] = {"ship": [], "split": [], "skip": []}
    for row in rows:
        by_verdict[row.panel.verdict].append(row)
    ship, split, skip = by_verdict.values()
    words = {"ship": "ship {}", "split": "the panel is split on {}", "skip": "skip {}"}
    clauses = [words[key].format(_listed(found)) for key, found in by_verdict.items() if found]
    text = "; ".join(clauses) + "."
    if split and skip and not ship:
        return [f"{'Neither' if len(rows) == 2 else 'None'} is a clear ship: {text}"]
    sentences = [text[0].upper() + text[1:]]
    if len(ship) > 1:
        sentences.append(_leader_among(ship))
    elif len(skip) > 1 and not ship:
        sentences += filter(None, [nearest_to_shipping(skip)])
    return sentences


def _leader(rows: Sequence[Contender]) -> str:
    """The leader among tools that ship, as the end of a sentence."""
    found = least_lead(rows)
    if found is None:
        return "too close to call"
    among = f"{found.points} points among the {found.reviewers} reviewers who judged both"
    if len(rows) == 2:
        return f"{found.ahead.name} leads by {among}"
    return f"{found.ahead.name} leads each of the others, {found.behind.name} by the least: {among}"


def _leader_among(ship: Sequence[Contender]) -> str:
    """The leader among tools that ship, as a sentence after the one with the verdicts."""
    which = f"Between {_listed(ship)}" if len(ship) == 2 else "Among those that ship"
    clause = _leader(ship)
    return f"{which} it is {clause}." if clause == "too close to call" else f"{which}, {clause}."


def judged_by(contenders: Sequence[Contender]) -> str:
    """The numbers of reviewers who judged each tool and all tools, as text; empty without takes."""
    rows = [row for row in contenders if row.scores]
    if not rows:
        return ""
    numbers = [len(row.scores) for row in rows]
    shared = len(set(rows[0].scores).intersection(*(row.scores for row in rows))) or "none"
    if len(rows) < 3:
        text = f"{_reviewers(numbers[0])} judged {rows[0].name}"
        return f"{text}, {numbers[1]} {rows[1].name}, {shared} both" if len(rows) == 2 else text
    low, high, count = min(numbers), max(numbers), NUMBER_WORDS[len(rows)]
    some = _reviewers(high) if low == high else f"{low} to {high} reviewers"
    each = "each" if len(rows) == len(contenders) else f"each of the {count} with a verdict"
    return f"{some} judged {each}, {shared} all {count}"


def agreement(contenders: Sequence[Contender], tallies: Sequence[Tally]) -> str:
    """Text on which tools panel and community disagree on, or that they agree on all; empty if
    neither is known. `tallies` are in the order of the tools.
    """
    sides = [agree(row.panel, tally) for row, tally in zip(contenders, tallies, strict=True)]
    against = [row for row, side in zip(contenders, sides, strict=True) if side is False]
    if against:
        return f"panel and community disagree on {_listed(against)}"
    return "panel and community agree" if all(sides) else ""


def _reviewers(number: int) -> str:
    """`1 reviewer`, `4 reviewers`."""
    return f"{number} reviewer{'' if number == 1 else 's'}"


def _listed(rows: Sequence[Contender]) -> str:
    """`A`, `A and B`, `A, B and C`; in a list, a name that could be taken for two is quoted."""
    names = [row.name for row in rows]
    if len(names) == 1:
        return names[0]
    names = [f"“{name}”" if any(sign in name for sign in _AMBIGUOUS) else name for name in names]
    return f"{', '.join(names[:-1])} and {names[-1]}"
