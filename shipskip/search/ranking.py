"""The ranking of search results: a pure function, the same on every database."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from rapidfuzz.distance import JaroWinkler

from shipskip.search.candidates import SearchCandidate
from shipskip.search.queries import Alternative, Query, Term, Unit
from shipskip.search.words import joined, root, with_roots, written_as_one

FIELD_WEIGHTS = (8, 7, 6, 5, 4, 3)
"""The weights of the lines of `fields`: maker, category, facts, tagline, best for, licence."""
NAME_WEIGHT, TEXT_WEIGHT = 10, 1


class RankPlace(IntEnum):
    """How a row matches a query, best first."""

    NAME = 0
    FORMER_NAME = 1
    NAME_IN_ANOTHER_SPELLING = 2
    NAME_PREFIX = 3
    WORDS_OF_NAME = 4
    TYPO_IN_NAME = 5
    FIELDS = 6
    LACKS_A_WORD = 7


IN_NAME = frozenset(list(RankPlace)[: RankPlace.FIELDS])
"""The places of rows whose names match."""


@dataclass(frozen=True)
class Rank:
    """A row's place, and the corrected words by which it matches."""

    candidate: SearchCandidate
    order: tuple[float | str, ...]
    place: RankPlace
    corrected: Mapping[int, str]


def ranked(
    query: Query,
    found: Iterable[SearchCandidate],
    votes: Mapping[int, int],
    *,
    similar: bool = False,
) -> list[Rank]:
    """Sort candidates, best first: by place, then by edit distance and field, then by counted
    votes, panel score and length. `votes` are the present votes by tool.
    """
    ranks = [rank(query, each, votes.get(each.object_id, 0)) for each in found]
    return sorted(ranks, key=lambda row: row.order)


def rank(query: Query, row: SearchCandidate, votes: int) -> Rank:
    """The rank of one candidate."""
    lines = row.names.split("\n")
    current = [line for line in lines if not line.startswith("~")]
    name_words = _words_of(row.names)
    keys = {written_as_one(line.split()) for line in current}
    fits = [_fit(unit, name_words, row.fields) for unit in query.units]
    distance = sum(fit.distance for fit in fits)
    weight = sum(fit.weight or TEXT_WEIGHT for fit in fits)
    in_name = all(fit.weight == NAME_WEIGHT for fit in fits)
    place = _place(query, lines, keys, in_name=in_name, distance=distance)
    if any(not fit.weight for fit in fits) and query.lacking:
        place = max(place, RankPlace.LACKS_A_WORD)
    corrected = {at: fit.corrected for at, fit in enumerate(fits) if fit.corrected}
    words_found = dict.fromkeys(corrected.get(at, word) for at, word in enumerate(query.words))
    in_part, likeness = "".join(words_found) not in keys, 0.0
    if distance:
        likeness = max(JaroWinkler.similarity(query.key, key) for key in keys)
    near = (distance, in_part and distance > 0, -weight)
    equals = (-votes, -row.score, -round(likeness, 3), row.length, lines[0], row.object_id)
    return Rank(row, (place, *near, *equals), place, corrected)


def _place(
    query: Query, lines: Collection[str], keys: Collection[str], *, in_name: bool, distance: int
) -> RankPlace:
    if not distance:
        if any(key in keys for key in query.keys):
            return RankPlace.NAME
        former = {written_as_one(line.lstrip("~").split()) for line in lines}
        if any(key in former for key in query.keys):
            return RankPlace.FORMER_NAME
        typed = "".join(map(root, query.words))
        if typed in {"".join(map(root, line.split())) for line in lines}:
            return RankPlace.NAME_IN_ANOTHER_SPELLING
        if any(key.startswith(query.keys) for key in keys):
            return RankPlace.NAME_PREFIX
    if in_name:
        return RankPlace.TYPO_IN_NAME if distance else RankPlace.WORDS_OF_NAME
    return RankPlace.FIELDS


@lru_cache(maxsize=5_000)
def _words_of(names: str) -> frozenset[str]:
    """The words of these lines, and their roots and joined forms."""
    lines = [line.lstrip("~").split() for line in names.split("\n")]
    forms = [word for line in lines for word in (*with_roots(line), *joined(line))]
    return frozenset(forms)


@dataclass(frozen=True)
class _Fit:
    """How well a row matches one unit; weight 0: not in a name or field."""

    weight: int = 0
    distance: int = 0
    corrected: str = ""


def _fit(unit: Unit, name_words: Collection[str], fields: str) -> _Fit:
    """The best alternative: one in a name or field, then the one with the fewest corrections."""
    found = [_fit_of(terms, name_words, fields) for terms in unit]
    return max(found, key=lambda fit: (fit.weight > 0, -fit.distance, fit.weight))


def _fit_of(terms: Alternative, name_words: Collection[str], fields: str) -> _Fit:
    """The weight of the field with all terms; the minimum if they are in several fields."""
    weights = [_weight(term, name_words, fields) for term in terms]
    distance = max(term.distance for term in terms)
    return _Fit(min(weights), distance, terms[0].word if distance else "")


def _weight(term: Term, name_words: Collection[str], fields: str) -> int:
    word = term.word
    if word in name_words:
        return NAME_WEIGHT
    if term.is_prefix and any(each.startswith(word) for each in name_words):
        return NAME_WEIGHT
    at = fields.find(f" {word}" if term.is_prefix else f" {word} ")
    return FIELD_WEIGHTS[fields.count("\n", 0, at)] if at >= 0 else 0
