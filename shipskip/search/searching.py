"""Search: from the typed text to ranked results.

It searches for exactly the typed words first. If that finds nothing, or the index does not have one
of the words, it tries corrections, then rows that lack one of the words, then similar names.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from reviews.models import ToolTally
from shipskip.search import indexing
from shipskip.search.candidates import LIMIT, SearchCandidate, candidates
from shipskip.search.models import SearchKind
from shipskip.search.parsing import (
    MAX_LETTERS,
    corrected_query,
    literal_query,
    may_fit,
    relaxed_query,
    similar_query,
    synonyms_of,
    telling_words,
)
from shipskip.search.queries import Query
from shipskip.search.ranking import IN_NAME, Rank, ranked
from shipskip.search.vocabulary import vocabulary
from shipskip.search.words import words

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
    corrected: str = ""
    """The corrected query; empty if nothing was corrected."""
    lacks_a_word: bool = False
    nearest: Sequence[Rank] = field(default_factory=tuple)
    """If nothing was found: the names most similar to the typed text."""

    def keys(self, kind: SearchKind) -> list[int]:
        """The primary keys of the results of one kind, best first."""
        return [row.candidate.object_id for row in self.ranks if row.candidate.kind == kind]

    def nearest_keys(self, kind: SearchKind) -> list[int]:
        """The primary keys of rows of one kind with the names most similar to the typed text."""
        return [row.candidate.object_id for row in self.nearest if row.candidate.kind == kind]


class AtOnce:
    """Whether marked rows are indexed before each search, as in tests; else in the background."""

    enabled = False


def search(text: str, scope: Scope, *, is_literal: bool = False) -> Found:
    """Search; `is_literal` excludes corrections and similar names.

    At most 20 queries, regardless of the number of rows.
    """
    if AtOnce.enabled:
        indexing.index_all()
        vocabulary.check()
    typed = tuple(words(text[:MAX_LETTERS]))
    if not typed:
        return Found()
    vocabulary.load_new()
    query = literal_query(typed, vocabulary, synonyms_of(telling_words(typed)), scope.required)
    exact = _run(query, scope) if may_fit(query, vocabulary) else []
    known = all(word in vocabulary for word in query.words)
    if is_literal or (exact and known):
        return Found(exact)
    return _forgiving(query, exact, scope)


def _forgiving(query: Query, exact: list[Rank], scope: Scope) -> Found:
    """The fuzzy search, for a text that found nothing or has a word that is not in the index."""
    guess = corrected_query(query, vocabulary)
    ranks = exact
    if guess.units != query.units and may_fit(guess, vocabulary):
        ranks = _run(guess, scope)
    if exact:
        return Found(_with_better(ranks, exact))
    if ranks:
        return Found(ranks, corrected=_sentence(query, ranks[0]))
    if len(query.units) > 1 and (ranks := _run(relaxed_query(guess), scope)):
        return Found(ranks, lacks_a_word=True)
    named = [row for row in _run(similar_query(query, vocabulary), scope) if row.place in IN_NAME]
    return Found(nearest=named[:NEAREST])


def _with_better(ranks: Iterable[Rank], exact: Iterable[Rank]) -> list[Rank]:
    """Merge both results in one order; a row in both gets the better of its ranks."""
    best = {(row.candidate.kind, row.candidate.object_id): row for row in ranks}
    for row in exact:
        key = (row.candidate.kind, row.candidate.object_id)
        best[key] = min(row, best.get(key, row), key=lambda each: each.order)
    return sorted(best.values(), key=lambda row: row.order)


def _run(query: Query, scope: Scope) -> list[Rank]:
    """The ranked results of a query."""
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
