"""The ranking of search results: a pure function, the same on every database."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from rapidfuzz.distance import JaroWinkler

from shipskip.search.candidates import SearchCandidate
from shipskip.search.fields import (
    FIELD_WEIGHTS,
    NAME_WEIGHT,
    PREFIX_FACTOR,
    TEXT_WEIGHT,
    TYPO_FACTOR,
)
from shipskip.search.queries import Alternative, Query, Term, Unit
from shipskip.search.row_names import RowNames, names_of
from shipskip.search.words import root

_LINE_WEIGHTS = dict(enumerate(FIELD_WEIGHTS.values()))


class RankPlace(IntEnum):
    """How a row matches a query, best first."""

    NAME = 0
    FORMER_NAME = 1
    NAME_IN_ANOTHER_SPELLING = 2
    WORDS_OF_NAME = 3
    NAME_PREFIX = 4
    TYPO_IN_NAME = 5
    OTHER_FIELDS = 6


IN_NAME = frozenset(list(RankPlace)[: RankPlace.OTHER_FIELDS])
"""The places of rows whose names have all the words."""
WHOLE_NAME = frozenset(list(RankPlace)[: RankPlace.WORDS_OF_NAME])
"""The places of rows with a name that is the query."""


@dataclass(frozen=True)
class Rank:
    """A row's place, and the corrected words by which it matches."""

    candidate: SearchCandidate
    order: tuple[float | str, ...]
    place: RankPlace
    corrected: Mapping[int, str]
    has_all_words: bool


def ranked(query: Query, found: Iterable[SearchCandidate], votes: Mapping[int, int]) -> list[Rank]:
    """Sort candidates, best first: by place, then by the weight of the words that they have, then
    by counted votes, panel score and length. `votes` are the present votes by tool.
    """
    ranks = [rank(query, each, votes.get(each.object_id, 0)) for each in found]
    return sorted(ranks, key=lambda row: row.order)


def rank(query: Query, row: SearchCandidate, votes: int) -> Rank:
    """The rank of one candidate."""
    names = names_of(row.names)
    keys = names.keys
    fits = [_fit(unit, names.words_and_joined, row.fields) for unit in query.units]
    distance = sum(fit.distance for fit in fits)
    place = _place(query, names, fits, distance=distance)
    in_text = 0 if query.may_lack_words else TEXT_WEIGHT
    weight = sum(
        rarity * (fit.weight or in_text * TYPO_FACTOR**fit.distance)
        for rarity, fit in zip(query.weights, fits, strict=True)
    )
    corrected = {at: fit.corrected for at, fit in enumerate(fits) if fit.corrected}
    words_found = dict.fromkeys(corrected.get(at, word) for at, word in enumerate(query.words))
    in_part, likeness = "".join(words_found) not in keys, 0.0
    if distance:
        likeness = max(JaroWinkler.similarity(query.key, key) for key in keys)
    begins = any(key.startswith(query.keys) for key in keys)
    near = (-round(weight, 6), in_part and distance > 0, not begins)
    equals = (-votes, -row.score, -round(likeness, 3), row.length, names.first, row.object_id)
    has_all_words = not query.may_lack_words
    return Rank(row, (place, *near, *equals), place, corrected, has_all_words)


def _place(query: Query, names: RowNames, fits: Collection["_Fit"], *, distance: int) -> RankPlace:
    if not distance:
        if not names.keys.isdisjoint(query.keys):
            return RankPlace.NAME
        if any(key in names.keys_with_former for key in query.keys):
            return RankPlace.FORMER_NAME
        if "".join(map(root, query.words)) in names.root_keys:
            return RankPlace.NAME_IN_ANOTHER_SPELLING
    if all(fit.in_name for fit in fits):
        if distance:
            return RankPlace.TYPO_IN_NAME
        is_begun = any(fit.is_prefix for fit in fits)
        return RankPlace.NAME_PREFIX if is_begun else RankPlace.WORDS_OF_NAME
    if not distance and any(key.startswith(query.beginnings) for key in names.keys):
        return RankPlace.NAME_PREFIX
    return RankPlace.OTHER_FIELDS


class _Fit(NamedTuple):
    """How well a row matches one unit; weight 0: not in a name or field. Candidates do not have
    their long texts.
    """

    weight: float = 0
    in_name: bool = False
    is_prefix: bool = False
    distance: int = 0
    corrected: str = ""


def _fit(unit: Unit, name_words: Collection[str], fields: str) -> _Fit:
    """The best alternative: one in a name or field, then the one with the fewest corrections."""
    found = [_fit_of(terms, name_words, fields) for terms in unit]
    return max(found, key=lambda fit: (fit.weight > 0, -fit.distance, fit.weight))


def _fit_of(terms: Alternative, name_words: Collection[str], fields: str) -> _Fit:
    """The weight of the field with all terms; the least if they are in several fields."""
    found = [_weight(term, name_words, fields) for term in terms]
    weight = min(each for each, _ in found)
    is_prefix = any(begun for _, begun in found)
    distance = max(term.distance for term in terms)
    factor = (PREFIX_FACTOR if is_prefix else 1) * TYPO_FACTOR**distance
    return _Fit(
        weight * factor,
        in_name=weight == NAME_WEIGHT,
        is_prefix=is_prefix,
        distance=distance,
        corrected=terms[0].word if distance else "",
    )


def _weight(term: Term, name_words: Collection[str], fields: str) -> tuple[float, bool]:
    """The weight of the best field with a term; and whether a word only begins with it."""
    word = term.word
    if word in name_words:
        return NAME_WEIGHT, False
    at = fields.find(f" {word} ")
    if term.is_prefix:
        if any(each.startswith(word) for each in name_words):
            return NAME_WEIGHT, True
        if at < 0:
            begun = fields.find(f" {word}")
            return _line_weight(fields, begun), True
    return _line_weight(fields, at), False


def _line_weight(fields: str, at: int) -> float:
    """The weight of the line with this position; a line that only an earlier release wrote is like
    a long text.
    """
    line = fields.count("\n", 0, at)
    return 0 if at < 0 else _LINE_WEIGHTS.get(line, TEXT_WEIGHT)
