"""Parse a text into a query: joined words, prefixes, synonyms and corrections."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from shipskip.search.models import Synonym
from shipskip.search.queries import (
    EVERYWHERE,
    MIN_PREFIX,
    NAMES,
    Alternative,
    Query,
    Term,
    Unit,
    Usage,
)
from shipskip.search.vocabulary import Vocabulary, most_typos
from shipskip.search.words import MAX_JOINED, WEAK_WORDS, root, spans

MAX_LETTERS = 200
MAX_WORDS = 8
"""Longer texts are truncated."""

CORRECTED_WORDS = 4
"""How many words of a query are corrected; each costs milliseconds."""

Spans = Mapping[tuple[int, int], list[Alternative]]
"""Alternatives for consecutive words, by their half-open interval of positions."""


def telling_words(typed: tuple[str, ...]) -> tuple[str, ...]:
    """At most eight of these words, without weak words if there are others.

    The “VS” of “VS Code” is not weak.
    """
    first = typed[:1] if typed[:1] == ("vs",) else ()
    telling = [*first, *(word for word in typed[len(first) :] if word not in WEAK_WORDS)]
    return tuple((telling or typed)[:MAX_WORDS])


def literal_query(
    whole: tuple[str, ...],
    known: Vocabulary,
    synonyms: Spans,
    required: Sequence[Sequence[str]] = (),
) -> Query:
    """The query for exactly these words; the last one may be a prefix."""
    typed = telling_words(whole)
    units = []
    for at, word in enumerate(typed):
        prefix = at == len(typed) - 1 or word not in known
        own = [*_forms(word, is_prefix=prefix), *_joined(typed, at, known), *_split(word, known)]
        units.append((*own, *_of_spans(synonyms, at)))
    return Query(
        typed,
        tuple(units),
        typed=whole,
        required=tuple(map(tuple, required)),
    )


def corrected_query(query: Query, known: Vocabulary, *, only_missing: bool = False) -> Query:
    """The same query with corrections of each word, and of all words written as one; with
    `only_missing` words that are found stay as they are.
    """
    whole = _corrections(query.key, known) if len(query.words) > 1 else ()
    units: list[Unit] = []
    for at, (word, unit) in enumerate(zip(query.words, query.units, strict=True)):
        if only_missing and query.usages[at].is_found:
            units.append(unit)
            continue
        own = _corrections(word, known) if at < CORRECTED_WORDS else ()
        # An unknown word would rank like an uncorrected word of a long text.
        there = [terms for terms in unit if all(_is_known(term, known) for term in terms)]
        units.append((*there, *own, *whole) or unit)
    return replace(query, units=tuple(units))


def relaxed_query(query: Query) -> Query | None:
    """The same query without words that are nowhere, which also matches rows that lack some of the
    others; None without others.
    """
    places = [at for at, usage in enumerate(query.usages) if usage.is_found]
    if not places:
        return None
    return replace(
        query,
        words=tuple(query.words[at] for at in places),
        units=tuple(query.units[at] for at in places),
        usages=tuple(query.usages[at] for at in places),
        may_lack_words=True,
        reaches=(NAMES, EVERYWHERE),
    )


def fits(unit: Unit, known: Vocabulary) -> bool:
    """Whether the index has a word for this unit; otherwise no row can match."""
    return any(all(_is_known(term, known) for term in terms) for terms in unit)


def _is_known(term: Term, known: Vocabulary) -> bool:
    return term.word in known or (term.is_prefix and known.begins_any(term.word))


def similar_query(query: Query, known: Vocabulary) -> Query:
    """A query for names that are similar to the typed text."""
    near = dict.fromkeys(
        each
        for word in dict.fromkeys((query.key, *query.words[:2]))
        if len(word) > 2
        for each in known.like(word)
    )
    distance = 1 + max(most_typos(query.key), 1)
    unit = tuple((Term(word, distance=distance),) for word in near)
    units = (unit or ((Term(query.key),),),)
    return replace(query, units=units, usages=(Usage(),), reaches=(NAMES,))


def synonyms_of(typed: Sequence[str]) -> Spans:
    """The other sides of synonyms in these words, by the positions of those words; one query."""
    forms = {span: _forms_of(typed[slice(*span)]) for span in spans(len(typed), len(typed))}
    rows = Synonym.objects.about([form for found in forms.values() for form in found])
    sides: dict[str, list[str]] = {}
    for row in rows:
        sides.setdefault(row.word_key, []).append(row.means_key)
        sides.setdefault(row.means_key, []).append(row.word_key)
    return {
        span: [
            tuple(Term(root(word)) for word in other.split())
            for form in found
            for other in sides.get(form, [])
        ]
        for span, found in forms.items()
    }


def _forms_of(typed: Sequence[str]) -> set[str]:
    """The forms of an expression that a synonym may have: as typed, and roots."""
    one = [*typed[:-1], root(typed[-1])]
    return {" ".join(typed), " ".join(one), " ".join(map(root, typed))}


def _forms(word: str, *, is_prefix: bool) -> list[Alternative]:
    """A word and its root, and as a prefix if `is_prefix` and it is long enough."""
    found: list[Alternative] = [(Term(word, is_prefix=is_prefix and len(word) >= MIN_PREFIX),)]
    if root(word) != word:
        found.append((Term(root(word)),))
    return found


def _joined(typed: Sequence[str], at: int, known: Vocabulary) -> list[Alternative]:
    """Consecutive words, including this one, written as one; only those that the index has."""
    found: dict[str, bool] = {}
    for start, end in spans(len(typed), MAX_JOINED):
        if start <= at < end and end - start > 1:
            found["".join(typed[start:end])] = end == len(typed)
    found["".join(typed)] = True
    return [
        (Term(word, is_prefix=is_prefix),)
        for word, is_prefix in found.items()
        if word != typed[at] and (known.begins_any(word) if is_prefix else word in known)
    ]


def _split(word: str, known: Vocabulary) -> list[Alternative]:
    """An unknown word as two known ones."""
    if word in known:
        return []
    parts = [(word[:at], word[at:]) for at in range(3, len(word) - 1)]
    return [(Term(a), Term(root(b))) for a, b in parts if a in known and b in known]


def _of_spans(synonyms: Spans, at: int) -> list[Alternative]:
    return [each for (a, b), found in synonyms.items() if a <= at < b for each in found]


def _corrections(word: str, known: Vocabulary) -> tuple[Alternative, ...]:
    found = known.corrections(word)
    return tuple((Term(each, distance=distance),) for each, distance in found)
