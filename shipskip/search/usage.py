"""How many of the public rows use a word."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from shipskip.search.candidates import counts, dialect
from shipskip.search.models import SearchKind
from shipskip.search.queries import EVERYWHERE, Query, Term, Unit, Usage, of_kinds, unit_condition
from shipskip.search.words import root

MAX_COUNTED = 500
"""A word of more tools is as frequent as one of this many: counting takes time."""
MAX_TEXTS = 100
"""How many texts with a word are counted."""


@dataclass(frozen=True)
class WordUse:
    """How the rows use a word."""

    in_names: bool
    in_fields: bool
    mentions: int
    """How many texts only have it with a capital, up to a limit."""
    other_uses: int
    """How many texts have it otherwise."""

    @property
    def is_proper_name(self) -> bool:
        """Whether it is usually part of a name that something here bears."""
        return self.in_names and (self.mentions > self.other_uses or not self.other_uses)

    @property
    def is_known(self) -> bool:
        """Whether something here has it in a name or field, or a text has it as another word."""
        return self.in_names or self.in_fields or self.other_uses > 0


COMMON_USE = WordUse(in_names=False, in_fields=True, mentions=0, other_uses=MAX_COUNTED)
"""The use of a word that very many tools have: no name, without counting."""


def with_usages(query: Query, kinds: Sequence[str], now: datetime | None) -> Query:
    """The same query with the usage of each of its words; two statements at most."""
    whole = [_without_prefixes(unit) for unit in query.units]
    in_tools = [_rows_with(unit, EVERYWHERE, [SearchKind.TOOL]) for unit in whole]
    tools = counts(in_tools, now, MAX_COUNTED)
    rare = [unit for unit, number in zip(query.units, tools, strict=True) if not number]
    elsewhere = iter(counts([_rows_with(unit, EVERYWHERE, kinds) for unit in rare], now, 1))
    usages = [Usage(number, bool(number or next(elsewhere))) for number in tools]
    return replace(query, usages=tuple(usages))


def word_uses(
    words: Iterable[str], kinds: Sequence[str], now: datetime | None
) -> Mapping[str, WordUse]:
    """How public rows use these words, in any form: those of these kinds in names and fields, all
    in texts; two statements.
    """
    units = {word: ((Term(word),), (Term(root(word)),)) for word in words}
    described = [_rows_with(unit, field, kinds) for unit in units.values() for field in "ns"]
    written = [
        _rows_with(unit, field, SearchKind.values) for unit in units.values() for field in "pw"
    ]
    public, texts = counts(described, now, 1), counts(written, now, MAX_TEXTS)
    return {
        word: WordUse(bool(public[at]), bool(public[at + 1]), texts[at], texts[at + 1])
        for word, at in zip(units, range(0, len(public), 2), strict=True)
    }


def _without_prefixes(unit: Unit) -> Unit:
    """The alternatives of a unit that are no prefix, or all."""
    return tuple(terms for terms in unit if not any(term.is_prefix for term in terms)) or unit


def _rows_with(unit: Unit, letters: str, kinds: Sequence[str]) -> str:
    """The condition that a row of these kinds has a unit in the fields of these letters."""
    syntax = dialect()
    return syntax.every([unit_condition(unit, letters, syntax), of_kinds(kinds, syntax)])
