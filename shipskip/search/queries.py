"""What a search looks for: units, alternatives and terms. No database here.

A query is a list of units, one for each word; a row fits if every unit fits. A unit fits if one of
its alternatives does: the word itself, words written as one, a synonym, a correction. An
alternative is one or more terms, all of which have to be there.

The index stores each word with a letter in front: `k` for a whole name written as one word, `n`
for a word of a name, `s` for one of the other fields, `w` for one of a long text, `d` for the kind
of the row, `c` and `e` for the category and the entry price of a tool.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from shipskip.search.words import written_as_one


@dataclass(frozen=True)
class Term:
    """A word of the index; as a prefix, every word that begins with it. `distance` counts the
    letters that differ from what was typed.
    """

    word: str
    is_prefix: bool = False
    distance: int = 0


Alternative = tuple[Term, ...]
Unit = tuple[Alternative, ...]


class Reach(Enum):
    """The places in which a query looks for its words, by their letters."""

    NAME = "n"
    FIELDS = "ns"
    EVERYTHING = "nsw"


@dataclass(frozen=True)
class Query:
    """A search. `words` are those that were typed."""

    words: tuple[str, ...]
    units: tuple[Unit, ...]
    lacking: int = 0
    """How many of the units a row may lack: 0 or 1."""
    required: tuple[tuple[str, ...], ...] = ()
    """Tokens with their letters: a row must have one of each of these."""
    reaches: tuple[Reach, ...] = tuple(Reach)
    """Where it looks, one after the other, until enough is found."""
    is_corrected: bool = False
    """Whether corrections of its words are among the alternatives."""
    typed: tuple[str, ...] = ()
    """All that was typed: those of `words`, words that say nothing, and what was cut off."""

    @cached_property
    def key(self) -> str:
        """All words written as one."""
        return written_as_one(self.words)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """What a name is if it is what was typed, or its telling words, written as one."""
        return tuple(dict.fromkeys((written_as_one(self.typed or self.words), self.key)))


class Dialect(Enum):
    """How the databases write a condition on words."""

    SQLITE = ("{}", "{}*", " AND ", " OR ")
    POSTGRESQL = ("'{}'", "'{}':*", "&", "|")

    def term(self, token: str, *, is_prefix: bool) -> str:
        """One word; tokens hold letters and digits only, so that nothing has to be escaped."""
        return self.value[is_prefix].format(token)

    def every(self, parts: Iterable[str]) -> str:
        """All of these conditions."""
        return f"({self.value[2].join(parts)})"

    def any(self, parts: Iterable[str]) -> str:
        """At least one of them."""
        return f"({self.value[3].join(dict.fromkeys(parts))})"


def condition(query: Query, reach: Reach, kinds: Iterable[str], dialect: Dialect) -> str:
    """The condition on a row's words, as the database reads it."""
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
    """The kinds are words as well: their rows need not be told from the others one by one."""
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
