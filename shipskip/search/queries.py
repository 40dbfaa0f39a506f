"""Search queries: units, alternatives and terms. No database here.

A query is a conjunction of units, one for each word: a row matches if every unit matches. A unit is
a disjunction of alternatives: the word itself, words written as one, a synonym, a correction. An
alternative is one or more terms, all of which must be present.

The index stores each word with a prefix of one letter: `k` for a whole name written as one word,
`n` for a word of a name, `s` for one of the other fields, `w` for one of a long text, `d` for the
kind of the row, `c` and `e` for the category and the entry price of a tool.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from shipskip.search.words import written_as_one


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


class Reach(Enum):
    """The fields in which a query searches its words, as prefix letters."""

    NAME = "n"
    FIELDS = "ns"
    EVERYTHING = "nsw"


@dataclass(frozen=True)
class Query:
    """A search query. `words` are the typed words."""

    words: tuple[str, ...]
    units: tuple[Unit, ...]
    lacking: int = 0
    """The number of units that a row may lack: 0 or 1."""
    required: tuple[tuple[str, ...], ...] = ()
    """Groups of tokens with their letters: a row must have at least one token of each group."""
    reaches: tuple[Reach, ...] = tuple(Reach)
    """The fields to search, one reach after the other, until enough rows are found."""
    is_corrected: bool = False
    """Whether corrections of its words are among the alternatives."""
    typed: tuple[str, ...] = ()
    """All typed words: `words`, stop words, and truncated ones."""

    @cached_property
    def key(self) -> str:
        """All words written as one."""
        return written_as_one(self.words)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """All typed words, and those without stop words, each written as one, to compare names."""
        return tuple(dict.fromkeys((written_as_one(self.typed or self.words), self.key)))


class Dialect(Enum):
    """The syntax of a condition on words in each database."""

    SQLITE = ("{}", "{}*", " AND ", " OR ")
    POSTGRESQL = ("'{}'", "'{}':*", "&", "|")

    def term(self, token: str, *, is_prefix: bool) -> str:
        """One word; tokens contain only letters and digits, so that no escaping is needed."""
        return self.value[is_prefix].format(token)

    def every(self, parts: Iterable[str]) -> str:
        """All of these conditions."""
        return f"({self.value[2].join(parts)})"

    def any(self, parts: Iterable[str]) -> str:
        """At least one of them."""
        return f"({self.value[3].join(dict.fromkeys(parts))})"


def condition(query: Query, reach: Reach, kinds: Iterable[str], dialect: Dialect) -> str:
    """The condition on a row's words, in the database's syntax."""
    units = [_unit(unit, reach, dialect) for unit in query.units]
    fits = [dialect.every(units)]
    if query.lacking and len(units) > 1:
        fits = [dialect.every(units[:at] + units[at + 1 :]) for at in range(len(units))]
    found = [dialect.any(fits)]
    if query.words:
        found += [dialect.term(f"k{key}", is_prefix=True) for key in query.keys]
    return dialect.every([dialect.any(found), *_required(query, kinds, dialect)])


def exact(query: Query, kinds: Iterable[str], dialect: Dialect) -> str:
    """The condition that one of a row's names is the query, written as one word."""
    whole = dialect.any(dialect.term(f"k{key}", is_prefix=False) for key in query.keys)
    return dialect.every([whole, *_required(query, kinds, dialect)])


def _required(query: Query, kinds: Iterable[str], dialect: Dialect) -> list[str]:
    """Conditions on kinds and required tokens. Kinds are tokens too, so that the index filters."""
    required = [*query.required, tuple(f"d{kind}" for kind in kinds)]
    return [
        dialect.any(dialect.term(token, is_prefix=False) for token in tokens) for tokens in required
    ]


def _unit(unit: Unit, reach: Reach, dialect: Dialect) -> str:
    return dialect.any(_alternative(each, reach, dialect) for each in unit)


def _alternative(terms: Sequence[Term], reach: Reach, dialect: Dialect) -> str:
    return dialect.every(
        dialect.any(
            dialect.term(f"{letter}{term.word}", is_prefix=term.is_prefix) for letter in reach.value
        )
        for term in terms
    )
