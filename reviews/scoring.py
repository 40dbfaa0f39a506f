"""The rules of the verdict: pure functions, no database, no clock.

Panel and community are never mixed into one number.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import sqrt
from typing import Literal, Protocol

from django.utils.functional import cached_property

Verdict = Literal["ship", "skip", "split", "none"]

VERDICT_WORDS: dict[Verdict, str] = {
    "ship": "Ship",
    "skip": "Skip",
    "split": "Split",
    "none": "No verdict yet",
}

Z_95 = 1.959963984540054
"""The standard normal quantile for a two-sided 95 % interval."""

PERCENT_FROM = 10
"""Minimum number of votes to show the community's share as a per cent."""


class Scored(Protocol):
    """Anything with a score (0 to 100) and a verdict (`ship` or `skip`); a draft may lack them."""

    @property
    def score(self) -> int | None:
        """The score; None if there is none yet."""

    @property
    def verdict(self) -> str:
        """The verdict; empty if there is none yet."""


class ScoredTake(Scored, Protocol):
    """A take: a score, a verdict and its reviewer."""

    @property
    def reviewer_id(self) -> int:
        """The reviewer's primary key."""


Weights = Mapping[int, int]
"""How often a reviewer's take counts, from 0 to 3, by primary key; the default is 1."""

OUR_WEIGHTS: Weights = {}
"""Those of our panel: every take counts once."""


def percent(part: int, whole: int) -> int:
    """`part` of `whole` as a whole per cent, halves rounded up; ValueError without a whole."""
    if whole <= 0 or not 0 <= part <= whole:
        raise ValueError(f"{part} of {whole} is not a share")
    return (200 * part + whole) // (2 * whole)


def verdict_of(ship: int, total: int) -> Verdict:
    """The panel's verdict: a share above 50 ships, below 50 skips, exactly 50 is a split."""
    if total == 0:
        return "none"
    share = percent(ship, total)
    if share == 50:
        return "split"
    return "ship" if share > 50 else "skip"


def mean_of(points: int, count: int) -> Decimal | None:
    """`points` shared by `count` takes, one decimal, halves rounded up; None without takes."""
    if count == 0:
        return None
    return Decimal((20 * points + count) // (2 * count)).scaleb(-1)


LOW_TO_SHIP = HIGH_TO_SKIP = 60
"""A verdict of ship with a mean score below this, or of skip with one above it, needs a word."""


def verdict_beside_score(verdict: str, score: Decimal | None) -> str:
    """Why verdict and mean score point apart, as a sentence; empty if they do not. `score` has one
    decimal, as readers see it.
    """
    if score is None:
        return ""
    if verdict == "ship" and score < LOW_TO_SHIP:
        return "Verdicts are counted, scores averaged: the panel ships it at a low mean score."
    if verdict == "skip" and score > HIGH_TO_SKIP:
        return "Verdicts are counted, scores averaged: the panel skips it at a high mean score."
    return ""


@dataclass(frozen=True)
class Panel:
    """All takes on one tool, counted: ship, skip and the sum of the scores."""

    ship: int = 0
    skip: int = 0
    points: int = 0
    is_weighted: bool = False
    """Whether takes are weighted, so that the counts are not numbers of takes."""

    @property
    def total(self) -> int:
        """How many takes there are."""
        return self.ship + self.skip

    @property
    def share(self) -> int | None:
        """Ship takes of all takes, a whole per cent; None without takes."""
        return percent(self.ship, self.total) if self.total else None

    @cached_property
    def score(self) -> Decimal | None:
        """The mean score with one decimal, halves rounded up; None without takes."""
        return mean_of(self.points, self.total)

    @property
    def mean(self) -> float | None:
        """The mean score, not rounded, to sort by; None without takes."""
        return self.points / self.total if self.total else None

    @cached_property
    def verdict(self) -> Verdict:
        """`ship`, `skip`, `split` or `none`."""
        return verdict_of(self.ship, self.total)

    @property
    def words(self) -> str:
        """The verdict with its counts: `Ship · 4 ship / 0 skip`; `No verdict yet` without takes."""
        verdict = VERDICT_WORDS[self.verdict]
        return f"{verdict} · {self.ship_and_skip}" if self.total else verdict

    @property
    def verdict_beside_score(self) -> str:
        """Why verdict and mean score point apart; empty if they do not."""
        return verdict_beside_score(self.verdict, self.score)

    @property
    def ship_of_total(self) -> str:
        """`2 of 3 ship`; the share where it is weighted."""
        return self._share_words if self.is_weighted else f"{self.ship} of {self.total} ship"

    @property
    def ship_and_skip(self) -> str:
        """`2 ship / 1 skip`; the share where it is weighted."""
        return self._share_words if self.is_weighted else f"{self.ship} ship / {self.skip} skip"

    @property
    def _share_words(self) -> str:
        return f"{self.share}% ship"


def panel_of(takes: Iterable[ScoredTake], weights: Weights = OUR_WEIGHTS) -> Panel:
    """The panel of these takes: each counts as often as its reviewer's weight. Drafts without score
    or verdict do not count.
    """
    ship = total = points = 0
    is_weighted = False
    for take in takes:
        if take.score is not None and take.verdict:
            weight = weights.get(take.reviewer_id, 1)
            total += weight
            points += weight * take.score
            ship += weight * (take.verdict == "ship")
            is_weighted |= weight > 1
    return Panel(ship, total - ship, points, is_weighted)


@dataclass(frozen=True)
class ReviewerStats:
    """The figures of many takes: how many ship, and the sum of their scores."""

    total: int = 0
    ship: int = 0
    points: int = 0
    """The sum of all scores."""

    @property
    def ship_rate(self) -> int | None:
        """Ship takes of all takes, a whole per cent; None without takes."""
        return percent(self.ship, self.total) if self.total else None

    @property
    def mean(self) -> Decimal | None:
        """The mean score with one decimal, halves rounded up; None without takes."""
        return mean_of(self.points, self.total)


def wilson_bounds(part: int, whole: int) -> tuple[float, float]:
    """The 95 % Wilson score interval of a share, from 0 to 1, not rounded.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical
    inference", Journal of the American Statistical Association 22 (1927), 209-212. With
    p = part/whole, n = whole and z the 95 % quantile the bounds are
    (p + z²/2n ± z·sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n).
    Raises ValueError without a whole.
    """
    if whole <= 0 or not 0 <= part <= whole:
        raise ValueError(f"{part} of {whole} is not a share")
    p, z2 = part / whole, Z_95 * Z_95
    centre = p + z2 / (2 * whole)
    spread = Z_95 * sqrt(p * (1 - p) / whole + z2 / (4 * whole * whole))
    low, high = ((centre + sign * spread) / (1 + z2 / whole) for sign in (-1, 1))
    return max(low, 0.0), min(high, 1.0)


def wilson(part: int, whole: int) -> tuple[int, int]:
    """The 95 % Wilson score interval of a share as whole per cents, halves rounded up; ValueError
    without a whole.
    """
    low, high = wilson_bounds(part, whole)
    return int(100 * low + 0.5), int(100 * high + 0.5)


@dataclass(frozen=True)
class Tally:
    """The community's counted votes on one tool."""

    ship: int = 0
    skip: int = 0

    @property
    def total(self) -> int:
        """How many votes count."""
        return self.ship + self.skip

    @property
    def share(self) -> int | None:
        """Ship votes as a whole per cent; None below ten votes, where a per cent misleads."""
        return percent(self.ship, self.total) if self.total >= PERCENT_FROM else None

    @property
    def interval(self) -> tuple[int, int] | None:
        """The 95 % Wilson interval of the share in per cent, from ten votes on."""
        return wilson(self.ship, self.total) if self.total >= PERCENT_FROM else None

    @property
    def words(self) -> str:
        """The tally in words, with share and interval from ten votes on."""
        if not self.total:
            return "No community votes yet"
        if self.interval is None:
            return f"{self.ship} ship / {self.skip} skip"
        low, high = self.interval
        return f"{self.share}% ship · {self.total} votes ({low}–{high}%)"

    @property
    def short_words(self) -> str:
        """The tally where space is short: a dash, counts, or a per cent with its count."""
        if not self.total:
            return "—"
        if self.share is None:
            return f"{self.ship} ship / {self.skip} skip"
        return f"{self.share}% ship of {self.total}"


def agree(panel: Panel, tally: Tally) -> bool | None:
    """Whether community and panel are on the same side of 50 %; None if one of them is on neither:
    a panel that is split or has no takes, fewer than ten votes, or a share of exactly 50 %.
    """
    if panel.verdict not in ("ship", "skip") or tally.share in (None, 50):
        return None
    return panel.verdict == verdict_of(tally.ship, tally.total)
