"""The one-sentence answer of a comparison, computed from the panels. No database here."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from reviews.scoring import Panel

_RANK = {"ship": 3, "split": 2, "skip": 1, "none": 0}
_EVERY = {
    "ship": ("Both ship", "All ship"),
    "skip": ("Both skip", "All skip"),
    "split": ("The panel is split on both", "The panel is split on all"),
}


@dataclass(frozen=True)
class Contender:
    """A tool's name and its panel."""

    name: str
    panel: Panel


def answer(contenders: Sequence[Contender]) -> str:
    """Which of these tools to ship with, in a sentence.

    Different verdicts decide; then the share of reviewers who ship; then the mean score.
    Tools without takes are named as not reviewed.
    """
    if len(contenders) < 2:
        raise ValueError("an answer needs two contenders or more")
    reviewed = [row for row in contenders if row.panel.total]
    if not reviewed:
        return "The panel has not reviewed these tools yet."
    if len(reviewed) < len(contenders):
        missing = _listed([row.name for row in contenders if not row.panel.total])
        known = "; ".join(_count(row) for row in _ordered(reviewed))
        return f"{known}. The panel has not reviewed {missing} yet."
    if len({row.panel.verdict for row in reviewed}) > 1:
        return _different_verdicts(reviewed)
    if len({row.panel.share for row in reviewed}) > 1:
        return "; ".join(_count(row, short=i > 0) for i, row in enumerate(_ordered(reviewed))) + "."
    return _same_share(reviewed)


def _ordered(rows: Sequence[Contender]) -> list[Contender]:
    """Best first: verdict, share, score; the page's order among equals."""

    def key(row: Contender) -> tuple[int, int, Decimal]:
        panel = row.panel
        return (-_RANK[panel.verdict], -(panel.share or 0), -(panel.score or Decimal(0)))

    return sorted(rows, key=key)


def _count(row: Contender, *, short: bool = False) -> str:
    """`A: 3 of 4 reviewers ship it`, or `A: 3 of 4` after a longer one."""
    if short:
        return f"{row.name}: {row.panel.ship} of {row.panel.total}"
    return f"{row.name}: {_reviewers(row.panel)}"


def _reviewers(panel: Panel) -> str:
    """`3 of 4 reviewers ship it`."""
    ships = "reviewer ships" if panel.total == 1 else "reviewers ship"
    return f"{panel.ship} of {panel.total} {ships} it"


def _different_verdicts(rows: Sequence[Contender]) -> str:
    """The sentence where verdicts differ: each verdict with its counts."""
    words = {"ship": "ship {}", "skip": "skip {}", "split": "the panel is split on {}"}
    parts = []
    for row in _ordered(rows):
        verdict = words[row.panel.verdict].format(row.name)
        parts.append(f"{verdict} ({_reviewers(row.panel)})")
    sentence = "; ".join(parts) + "."
    return sentence[0].upper() + sentence[1:]


def _same_share(rows: Sequence[Contender]) -> str:
    """The sentence where verdict and share are equal: the mean score decides, in points."""
    both, every = _EVERY[rows[0].panel.verdict]
    verdict = both if len(rows) == 2 else every
    first, second = _ordered(rows)[:2]
    lead = (first.panel.score or Decimal(0)) - (second.panel.score or Decimal(0))
    if lead == 0:
        return f"{verdict}, level at {first.panel.score} points."
    number = f"{lead.normalize():f}"
    return f"{verdict}; {first.name} leads by {number} {'point' if lead == 1 else 'points'}."


def _listed(names: Sequence[str]) -> str:
    """`A`, `A and B`, `A, B and C`."""
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
