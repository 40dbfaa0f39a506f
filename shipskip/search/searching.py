"""Search: from the typed text to ranked results.

It searches for rows with all of the typed words first. If that finds nothing, or the index does not
have one of the words, it tries corrections; if few rows have all words, it adds those that have the
greater part of their weight; if there are none, it finds similar names.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from reviews.models import ToolTally
from shipskip.search import indexing
from shipskip.search.candidates import LIMIT, SearchCandidate, candidates
from shipskip.search.models import SearchKind
from shipskip.search.parsing import (
    MAX_LETTERS,
    corrected_query,
    fits,
    literal_query,
    relaxed_query,
    similar_query,
    synonyms_of,
    telling_words,
)
from shipskip.search.queries import Query
from shipskip.search.ranking import IN_NAME, WHOLE_NAME, Rank, ranked
from shipskip.search.usage import with_usages
from shipskip.search.vocabulary import vocabulary
from shipskip.search.words import words

ENOUGH = 3
"""If fewer rows have all words, rows that lack some of them are found too."""

NEAREST = 5
"""How many similar names are suggested if nothing was found."""

PUBLIC_KINDS = (
    SearchKind.TOOL,
    SearchKind.COMPARISON,
    SearchKind.REVIEWER,
    SearchKind.CATEGORY,
    SearchKind.ISSUE,
)


@dataclass(frozen=True)
class Scope:
    """The scope of a search: kinds, and only rows public at `now`; if that is None, drafts too.

    A row must have one token of each group in `required` (`documents.category_token`).
    """

    now: datetime | None
    kinds: Sequence[str] = PUBLIC_KINDS
    required: Sequence[Sequence[str]] = ()
    limit: int = LIMIT


@dataclass(frozen=True)
class Found:
    """The result of a search: ranks of every kind in one order, best first."""

    ranks: Sequence[Rank] = ()
    query: Query | None = None
    """What was searched for; None if nothing was typed."""
    corrected: str = ""
    """The corrected query; empty if nothing was corrected."""
    lacks_words: bool = False
    """Whether every result lacks some of the words."""
    nearest: Sequence[Rank] = field(default_factory=tuple)
    """If nothing was found: the names most similar to the typed text."""

    def keys(self, kind: SearchKind) -> list[int]:
        """The primary keys of the results of one kind, best first."""
        return _keys(self.ranks, kind)

    def nearest_keys(self, kind: SearchKind) -> list[int]:
        """The primary keys of rows of one kind with the names most similar to the typed text."""
        return _keys(self.nearest, kind)

    @property
    def named(self) -> list[Rank]:
        """The results whose names have the words, or resemble them."""
        return [row for row in self.ranks if row.place in IN_NAME]


def _keys(ranks: Iterable[Rank], kind: SearchKind) -> list[int]:
    return [row.candidate.object_id for row in ranks if row.candidate.kind == kind]


class AtOnce:
    """Whether marked rows are indexed before each search, as in tests; else in the background."""

    enabled = False


def search(text: str, scope: Scope, *, is_literal: bool = False) -> Found:
    """Search; `is_literal` excludes corrections and similar names.

    At most 30 queries, regardless of the number of rows.
    """
    typed = tuple(words(text[:MAX_LETTERS]))
    if not typed:
        return Found()
    if AtOnce.enabled:
        indexing.index_all()
        vocabulary.renew()
    vocabulary.load()
    telling = telling_words(typed)
    query = literal_query(typed, vocabulary, synonyms_of(telling), scope.required)
    query = with_usages(query, scope.kinds, scope.now)
    exact = _run(query, scope)
    known = all(word in vocabulary for word in query.words)
    if is_literal:
        return Found(exact, query)
    if exact and known:
        return Found(_with_lacking(query, exact, scope), query)
    return _forgiving(query, exact, scope)


def _forgiving(query: Query, exact: list[Rank], scope: Scope) -> Found:
    """The fuzzy search, for a text that found nothing or has a word that is not in the index."""
    guess = corrected_query(query, vocabulary)
    ranks = exact
    if guess.units != query.units:
        ranks = _run(replace(guess, usages=query.usages), scope)
    if exact:
        return Found(_with_lacking(query, _with_better(ranks, exact), scope), query)
    corrected = _sentence(query, ranks[0]) if ranks else ""
    if lacking := _with_lacking(query, ranks, scope):
        return Found(lacking, query, corrected, lacks_words=not ranks)
    similar = Found(_run(similar_query(query, vocabulary), scope))
    return Found(query=query, nearest=similar.named[:NEAREST])


def _with_lacking(query: Query, ranks: list[Rank], scope: Scope) -> list[Rank]:
    """These ranks, and if they are few, those of rows that lack some of the words."""
    is_named = bool(ranks) and ranks[0].place in WHOLE_NAME
    if len(ranks) >= ENOUGH or is_named or len(query.units) == 1:
        return ranks
    if not all(usage.is_found for usage in query.usages):
        query = corrected_query(query, vocabulary, only_missing=True)
        query = with_usages(query, scope.kinds, scope.now)
    relaxed = relaxed_query(query)
    return _with_better(_run(relaxed, scope), ranks) if relaxed else ranks


def _with_better(ranks: Iterable[Rank], exact: Iterable[Rank]) -> list[Rank]:
    """Merge both results in one order; a row in both gets the better of its ranks."""
    best: dict[tuple[str, int], Rank] = {}
    for row in sorted((*exact, *ranks), key=lambda row: row.order):
        best.setdefault((row.candidate.kind, row.candidate.object_id), row)
    return list(best.values())


def _run(query: Query, scope: Scope) -> list[Rank]:
    """The ranked results of a query."""
    if not all(fits(unit, vocabulary) for unit in query.units):
        return []
    found: list[SearchCandidate] = []
    first = [kind for kind in scope.kinds if kind == SearchKind.TOOL]
    others = [kind for kind in scope.kinds if kind != SearchKind.TOOL]
    for kinds in filter(None, (first, others)):
        found += candidates(query, kinds, scope.now, scope.limit)
    return ranked(query, found, _votes(found))


def _votes(found: Iterable[SearchCandidate]) -> Mapping[int, int]:
    """The counted votes on the tools among these; one query."""
    keys = [row.object_id for row in found if row.kind == SearchKind.TOOL]
    rows = ToolTally.objects.filter(tool__in=keys)
    return {row.tool_id: row.value.total for row in rows}


def _sentence(query: Query, best: Rank) -> str:
    """The corrected query as text: each word as in the best row."""
    words_found = (best.corrected.get(at, word) for at, word in enumerate(query.words))
    searched = " ".join(dict.fromkeys(words_found))
    return "" if searched == " ".join(query.words) else searched
