"""Search queries: units, alternatives and terms. No database here.

A query is a sequence of units, one for each word. A unit is a disjunction of alternatives: the word
itself, words written as one, a synonym, a correction. An alternative is one or more terms, all of
which must be present.

The index stores each word with a prefix of one letter: `k` for a whole name written as one word,
`n` for a word of a name, `s` for one of the other fields, `w` for one of a long text, `p` for one
that a long text only writes like a name, `d` for the kind of the row, `c` and `e` for the category
and the entry price of a tool.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import combinations
from math import log2

from django.utils.functional import cached_property

from shipskip.search.words import written_as_one

MIN_PREFIX = 3
"""Shorter words are only found whole."""

MIN_SHARE = 0.4
"""The share of the weight of a query's words that a row has at least, if it may lack words."""

MAX_LACKING_OF = 4
"""A row has enough weight in this many of the heaviest words; more would need long conditions."""


@dataclass(frozen=True)
class Term:
    """A word of the index, or every word with it as prefix. `distance` is the edit distance from
    the typed word.
    """

    word: str
    is_prefix: bool = False
    distance: int = 0


Alternative = tuple[Term, ...]
Unit = tuple[Alternative, ...]


NAMES, NAMES_AND_FIELDS, EVERYWHERE = "n", "ns", "nswp"
"""The fields in which a query searches its words, by their letters."""


@dataclass(frozen=True)
class Usage:
    """How the public rows use a word."""

    tools: int = 0
    """How many tools have it, or an alternative of its unit, anywhere, up to a limit."""
    is_found: bool = True
    """Whether any row has it, or an alternative of its unit."""

    @property
    def rarity(self) -> float:
        """The weight of the word: the less the more tools have it."""
        return 1 / log2(1 + max(1, self.tools))


@dataclass(frozen=True)
class Query:
    """A search query. `words` are the typed words without weak ones."""

    words: tuple[str, ...]
    units: tuple[Unit, ...]
    usages: tuple[Usage, ...] = ()
    """How each of the words is used; a rare one weighs more."""
    typed: tuple[str, ...] = ()
    """All typed words: `words`, weak words, and truncated ones."""
    may_lack_words: bool = False
    """Whether rows with a large part of the words match too."""
    required: tuple[tuple[str, ...], ...] = ()
    """Groups of tokens with their letters: a row must have at least one token of each group."""
    reaches: tuple[str, ...] = (NAMES, NAMES_AND_FIELDS, EVERYWHERE)
    """The fields to search; rows found in the first ones come before the others."""

    @cached_property
    def weights(self) -> tuple[float, ...]:
        """The weight of each unit."""
        return tuple(usage.rarity for usage in self.usages)

    @cached_property
    def key(self) -> str:
        """All words written as one."""
        return written_as_one(self.words)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """All typed words, and those without weak words, each written as one, to compare names."""
        return tuple(dict.fromkeys((written_as_one(self.typed or self.words), self.key)))

    @cached_property
    def beginnings(self) -> tuple[str, ...]:
        """Those of `keys` that are long enough to be the beginning of a name."""
        return tuple(key for key in self.keys if len(key) >= MIN_PREFIX)


class Dialect(Enum):
    """The syntax of a condition on words in each database."""

    SQLITE = ("{}", "{}*", " AND ", " OR ")
    POSTGRESQL = ("'{}'", "'{}':*", "&", "|")

    def term(self, token: str, *, is_prefix: bool = False) -> str:
        """One word; tokens contain only letters and digits, so that no escaping is needed."""
        return self.value[is_prefix].format(token)

    def every(self, parts: Iterable[str]) -> str:
        """All of these conditions."""
        return f"({self.value[2].join(parts)})"

    def any(self, parts: Iterable[str]) -> str:
        """At least one of them."""
        return f"({self.value[3].join(dict.fromkeys(parts))})"


def conditions(query: Query, kinds: Iterable[str], dialect: Dialect) -> list[str]:
    """The conditions on a row's words, in the database's syntax, the best rows first: a name is the
    query, then the words in each of its reaches.
    """
    common = [dialect.any(map(dialect.term, tokens)) for tokens in query.required]
    common.append(of_kinds(kinds, dialect))
    whole = [dialect.term(f"k{key}") for key in query.keys]
    begun = [dialect.term(f"k{key}", is_prefix=True) for key in query.beginnings]
    parts = [whole] if query.words else []
    parts += [[_words(query, letters, dialect), *begun] for letters in query.reaches]
    return [dialect.every([dialect.any(part), *common]) for part in parts]


def of_kinds(kinds: Iterable[str], dialect: Dialect) -> str:
    """The condition that a row is of one of these kinds."""
    return dialect.any(dialect.term(f"d{kind}") for kind in kinds)


def _words(query: Query, letters: str, dialect: Dialect) -> str:
    """The condition on the words: all of them, or sets of them that weigh enough."""
    units = [unit_condition(unit, letters, dialect) for unit in query.units]
    if not query.may_lack_words:
        return dialect.every(units)
    return dialect.any(
        dialect.every(units[place] for place in places) for places in enough(query.weights)
    )


def enough(weights: Sequence[float]) -> list[tuple[int, ...]]:
    """The smallest sets of places whose weights are at least MIN_SHARE of the sum."""
    heaviest = sorted(range(len(weights)), key=lambda place: -weights[place])[:MAX_LACKING_OF]
    least = MIN_SHARE * sum(weights)
    found: list[tuple[int, ...]] = []
    for size in range(1, len(heaviest) + 1):
        for places in combinations(heaviest, size):
            is_enough = sum(weights[place] for place in places) >= least
            if is_enough and not any(set(smaller) <= set(places) for smaller in found):
                found.append(places)
    return found or [tuple(heaviest)]


def unit_condition(unit: Unit, letters: str, dialect: Dialect) -> str:
    """The condition that a row has one of the alternatives of a unit in the fields of these
    letters.
    """
    return dialect.any(_alternative(each, letters, dialect) for each in unit)


def _alternative(terms: Sequence[Term], letters: str, dialect: Dialect) -> str:
    return dialect.every(
        dialect.any(
            dialect.term(f"{letter}{term.word}", is_prefix=term.is_prefix) for letter in letters
        )
        for term in terms
    )
