"""Who the reviewers are and what their takes rest on, in one sentence: pure functions on counts."""

from collections.abc import Iterable, Mapping

from comparisons.answer import NUMBER_WORDS
from reviews.models import TakeBasis
from shipskip.content.records import Take

Bases = Mapping[str, int]
"""How many takes have which basis (TakeBasis); an empty one means that the take does not say."""


def persona_line(reviewers: int, bases: Bases) -> str:
    """That the reviewers are personas, and how many of the takes in view rest on use; empty without
    reviewers.
    """
    if not reviewers:
        return ""
    if reviewers == 1:
        who = "A persona with a fixed point of view, written by our editors"
    else:
        number = NUMBER_WORDS[reviewers] if reviewers < len(NUMBER_WORDS) else f"{reviewers:,}"
        who = f"{number.capitalize()} personas with fixed points of view, written by our editors"
    tried = takes_tried(bases)
    return f"{who}; {tried}." if tried else f"{who}."


def takes_tried(bases: Bases) -> str:
    """How many of these takes rest on use of the tool: `0 of 116 takes rest on use of the tool`;
    empty without takes.
    """
    total, tried, silent = sum(bases.values()), bases.get(TakeBasis.TRIED, 0), bases.get("", 0)
    if not total:
        return ""
    if total == 1:
        if silent:
            return "the one take does not say what it rests on"
        return f"the one take {'rests' if tried else 'does not rest'} on use of the tool"
    if silent == total:
        return f"none of the {total:,} takes says what it rests on"
    if tried == total:
        return f"all {total:,} takes rest on use of the tool"
    words = f"{tried:,} of {total:,} takes {'rests' if tried == 1 else 'rest'} on use of the tool"
    if not silent:
        return words
    if silent == 1:
        return f"{words}, 1 does not say what it rests on"
    return f"{words}, {silent:,} do not say what they rest on"


def personas_of(takes: Iterable[Take]) -> str:
    """The line for the takes that a page shows, by the reviewers who wrote them."""
    reviewers: set[int] = set()
    bases: dict[str, int] = {}
    for take in takes:
        reviewers.add(take.reviewer.pk)
        bases[take.basis] = bases.get(take.basis, 0) + 1
    return persona_line(len(reviewers), bases)
