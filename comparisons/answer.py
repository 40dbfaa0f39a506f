"""The sentence that answers a comparison, and its basis: pure functions on the takes.

It never names a winner without support from the takes. Among tools that the panel ships, only
reviewers who judged both count, because some reviewers give higher scores than others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import compress, product
from typing import Protocol

from django.utils.functional import cached_property

from reviews.scoring import (
    Panel,
    ScoredTake,
    Tally,
    Verdict,
    Weights,
    agree,
    panel_of,
)
from shipskip.web.text import day_in_words

MIN_LEAD = 3
"""Minimum mean difference of the scores, in points, for a lead."""

MIN_AHEAD = 2
"""Minimum number of reviewers who judged both tools, for one to be ahead."""

MIN_SHARED = 3
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
    is_discontinued: bool = False
    """Whether its maker no longer maintains it: such a tool is left out of verdicts and leads."""
    discontinued_on: date | None = None
    """The day since when, if it is known."""

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
    """One tool is ahead of another, by a mean difference of `exact_points` among `reviewers`."""

    ahead: Contender
    behind: Contender
    exact_points: Fraction
    reviewers: int

    @property
    def points(self) -> int:
        """The mean difference in whole points, halves rounded up."""
        return int(self.exact_points + Fraction(1, 2))

    @property
    def is_enough(self) -> bool:
        """Whether so many reviewers judged both that it is called a lead."""
        return self.reviewers >= MIN_SHARED


def shared(first: Contender, second: Contender) -> int:
    """The number of reviewers with a weight above 0 who judged both tools."""
    return len(first.scores.keys() & second.scores.keys())


def lead(first: Contender, second: Contender, min_shared: int = MIN_AHEAD) -> Lead | None:
    """Which of two tools is ahead among the reviewers who judged both; None if too close to call.

    That needs `min_shared` such reviewers, a mean difference of MIN_LEAD points (compared before it
    is rounded), and two thirds of these reviewers on its side; equal scores are on no side.
    """
    one, other = first.scores, second.scores
    differences = {key: score - other[key] for key, score in one.items() if key in other}
    if len(differences) < min_shared:
        return None
    total = sum(first.weight(key) * difference for key, difference in differences.items())
    weight = sum(first.weight(key) for key in differences)
    on_its_side = sum(difference * total > 0 for difference in differences.values())
    if abs(total) < MIN_LEAD * weight or 3 * on_its_side < 2 * len(differences):
        return None
    ahead, behind = (first, second) if total > 0 else (second, first)
    return Lead(ahead, behind, Fraction(abs(total), weight), len(differences))


def leads_of_best(rows: Sequence[Contender], min_shared: int = MIN_AHEAD) -> list[Lead]:
    """The leads of the tool that is ahead of each other one, in the order of the others; empty if
    no tool is.
    """
    for row in rows:
        leads = [lead(row, other, min_shared) for other in rows if other is not row]
        own = [found for found in leads if found and found.ahead is row]
        if len(own) == len(rows) - 1:
            return own
    return []


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
    """Which of two to ten tools to ship with, in a few sentences of plain text."""
    if len(contenders) < 2:
        raise ValueError("an answer needs two contenders or more")
    rows = [row for row in contenders if not row.is_discontinued]
    sentences = _answer_on(rows, are_all=len(rows) == len(contenders))
    sentences += [_discontinued(row) for row in contenders if row.is_discontinued]
    return " ".join(sentences)


def _answer_on(rows: Sequence[Contender], *, are_all: bool) -> list[str]:
    """The sentences on tools that are maintained. If they are not all tools of the page, each is
    named: “both” would not tell which.
    """
    judged = [row for row in rows if row.panel.total]
    missing = [row for row in rows if not row.panel.total]
    if are_all and not judged:
        which = "either" if len(rows) == 2 else f"any of the {NUMBER_WORDS[len(rows)]}"
        return [f"No verdict yet on {which}."]
    same = len({row.panel.verdict for row in judged}) == 1
    sentences = []
    if are_all and same and not missing:
        sentences = _same_verdict(judged)
    elif judged:
        sentences = _verdicts(judged, are_all=are_all)
    if missing:
        sentences.append(f"No verdict yet on {_listed(missing)}.")
    return sentences


def _discontinued(row: Contender) -> str:
    if row.discontinued_on:
        return f"{row.name} has not been maintained since {day_in_words(row.discontinued_on)}."
    return f"{row.name} is no longer maintained."


def _same_verdict(rows: Sequence[Contender]) -> list[str]:
    """The sentences if the panel has the same verdict on all tools."""
    everything = "both" if len(rows) == 2 else f"all {NUMBER_WORDS[len(rows)]}"
    if rows[0].panel.verdict == "split":
        return [f"The panel is split on {everything}."]
    if rows[0].panel.verdict == "skip":
        return [f"Skip {everything}.", *filter(None, [nearest_to_shipping(rows)])]
    return [f"{everything.capitalize()} ship; {_leader(rows)}."]


def _verdicts(rows: Sequence[Contender], *, are_all: bool) -> list[str]:
    """The sentences if verdicts differ or some tools are not among these: each verdict with its
    tools.
    """
    by_verdict: dict[Verdict, list[Contender]] = {"ship": [], "split": [], "skip": []}
    for row in rows:
        by_verdict[row.panel.verdict].append(row)
    ship, split, skip = by_verdict.values()
    words = {"ship": "ship {}", "split": "the panel is split on {}", "skip": "skip {}"}
    clauses = [words[key].format(_listed(found)) for key, found in by_verdict.items() if found]
    text = "; ".join(clauses) + "."
    if are_all and split and skip and not ship:
        return [f"{'Neither' if len(rows) == 2 else 'None'} is a clear ship: {text}"]
    sentences = [text[0].upper() + text[1:]]
    if len(ship) > 1:
        sentences.append(_leader_among(ship, both="both" if are_all else "the two"))
    elif len(skip) > 1 and not ship:
        sentences += filter(None, [nearest_to_shipping(skip)])
    return sentences


TOO_CLOSE = "too close to call"
TOO_FEW = "too few to call"


def _leader(rows: Sequence[Contender], both: str = "both") -> str:
    """The leader among tools that ship, as the end of a sentence."""
    if len(rows) == 2 and shared(*rows) < MIN_AHEAD:
        return f"too few reviewers judged {both} to call"
    leads = leads_of_best(rows)
    if not leads:
        return TOO_CLOSE
    name = leads[0].ahead.name
    least = min(leads, key=lambda found: found.exact_points)
    among = f"the {least.reviewers} reviewers who judged {both}"
    if not all(found.is_enough for found in leads):
        of_two = f"{name} is ahead with {among}, {TOO_FEW}"
        return of_two if len(rows) == 2 else f"{name} is ahead of each, {TOO_FEW}"
    by = f"{least.points} points among {among}"
    if len(rows) == 2:
        return f"{name} leads by {by}"
    return f"{name} leads each of the others, {least.behind.name} by the least: {by}"


def _leader_among(ship: Sequence[Contender], both: str) -> str:
    """The leader among tools that ship, as a sentence after the one with the verdicts."""
    which = f"Between {_listed(ship)}" if len(ship) == 2 else "Among those that ship"
    clause = _leader(ship, both)
    return f"{which} it is {clause}." if clause is TOO_CLOSE else f"{which}, {clause}."


class PanelMember(Protocol):
    """A reviewer of the panel."""

    pk: int
    name: str
    slug: str


@dataclass(frozen=True)
class Trial:
    """The panel with another weight of one reviewer: 0 if left out, 2 if counted double."""

    reviewer: PanelMember
    weight: int
    answer: str

    @property
    def words(self) -> str:
        """What the answer would be, as a sentence."""
        name = self.reviewer.name
        case = f"With {name} counted double" if self.weight else f"Without {name}"
        return f"{case}: “{self.answer}”"


NO_TRIAL = "The same answer whoever is left out or counted double."


@dataclass(frozen=True)
class Firmness:
    """How firm an answer is: the first trial that changes it; None if no trial does."""

    trial: Trial | None

    @property
    def words(self) -> str:
        """It as a sentence."""
        return self.trial.words if self.trial else NO_TRIAL


def firmness(contenders: Sequence[Contender], panel: Sequence[PanelMember]) -> Firmness | None:
    """How firm our panel's answer is. The trials: each reviewer of `panel` left out in its order,
    then each counted double. None if fewer than two of the maintained tools have a verdict.
    """
    rows = [row for row in contenders if not row.is_discontinued]
    judged = [row.panel.total > 0 for row in rows]
    if sum(judged) < 2:
        return None
    are_all = len(rows) == len(contenders)
    ours, our_sentences = _outcome(list(compress(rows, judged))), _answer_on(rows, are_all=are_all)
    for weight, reviewer in product((0, 2), panel):
        changed = [replace(row, weights={reviewer.pk: weight}) for row in rows]
        if _outcome(list(compress(changed, judged))) != ours:
            sentences = _answer_on(changed, are_all=are_all)
            if sentences != our_sentences:
                return Firmness(Trial(reviewer, weight, " ".join(sentences)))
    return Firmness(None)


def _outcome(rows: Sequence[Contender]) -> tuple[list[bool], int | None]:
    """What a trial may change: which tools ship, and the place of the leader among all tools; None
    if fewer than two ship, or if it is too close. One shared reviewer is enough for a leader here:
    otherwise leaving one out of three would always change the answer.
    """
    ships = [row.panel.verdict == "ship" for row in rows]
    shipping = [row for row, does in zip(rows, ships, strict=True) if does]
    leads = leads_of_best(shipping, min_shared=1) if len(shipping) > 1 else []
    return ships, next((at for at, row in enumerate(rows) if leads and row is leads[0].ahead), None)


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


def not_judged(contenders: Sequence[Contender], reviewers: Sequence[tuple[int, str]]) -> str:
    """Which of these reviewers (primary key and name) count more than once without a take on some
    of the tools, as a sentence; empty if there are none. One tool is enough.
    """
    by_tools: dict[tuple[int, ...], list[str]] = {}
    for key, name in reviewers:
        weight = contenders[0].weight(key)
        places = tuple(at for at, row in enumerate(contenders) if key not in row.scores)
        if weight > 1 and places:
            by_tools.setdefault(places, []).append(f"{name} (×{weight})")
    clauses = []
    for places, names in by_tools.items():
        tools = _listed([contenders[at] for at in places])
        if len(places) == len(contenders) > 1:
            tools = "either tool" if len(places) == 2 else f"any of the {NUMBER_WORDS[len(places)]}"
        clauses.append(
            f"{_joined(names)} {'has' if len(names) == 1 else 'have'} no take on {tools}"
        )
    if not clauses:
        return ""
    return f"{'; '.join(clauses)}: a weight moves only the tools that its reviewer judged."


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
    return _joined([row.name for row in rows])


def _joined(names: Sequence[str]) -> str:
    """The same for names."""
    if len(names) == 1:
        return names[0]
    names = [f"“{name}”" if any(sign in name for sign in _AMBIGUOUS) else name for name in names]
    return f"{', '.join(names[:-1])} and {names[-1]}"
