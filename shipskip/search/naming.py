"""The names in a query: tools that it names, and names that nothing here bears.

A word is a proper name if a name has it and most texts that have it write it like a name:
“Copilot”, but not “code”. A tool is named by its whole name, or by a proper name in it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import cached_property

from shipskip.search.candidates import SearchCandidate, counts, dialect, matching
from shipskip.search.models import SearchKind
from shipskip.search.queries import Query
from shipskip.search.searching import Scope
from shipskip.search.usage import MAX_COUNTED
from shipskip.search.vocabulary import vocabulary
from shipskip.search.words import SEPARATORS, WEAK_WORDS, root, written_as_one

MAX_NAME_WORDS = 6
MAX_PLACES = 16
"""How many of the typed words are searched for names."""
MAX_CORRECTIONS = 3
MAX_TOOLS = 20
MAX_TEXTS = 100
"""How many texts with a word are counted."""

Places = frozenset[int]


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


@dataclass(frozen=True)
class NamedTool:
    """A tool that a query names, and the places of the typed words that name it."""

    object_id: int
    places: Places
    order: tuple[float, ...]


class Names:
    """The names in a query."""

    def __init__(self, query: Query, scope: Scope) -> None:
        self.query = query
        self.typed = query.typed[:MAX_PLACES]
        self._corrections = {
            word: [each for each, _ in vocabulary.corrections(word)[:MAX_CORRECTIONS]]
            for word in query.words
            if word not in vocabulary
        }
        frequent = {
            word
            for word, usage in zip(query.words, query.usages, strict=True)
            if usage.tools >= MAX_COUNTED
        }
        rare = [word for word in query.words if word not in frequent]
        checked = [*rare, *(each for row in self._corrections.values() for each in row)]
        self.scope = scope
        self.uses = {**word_uses(checked, scope), **dict.fromkeys(frequent, COMMON_USE)}

    @cached_property
    def tools(self) -> list[NamedTool]:
        """The tools that the query names, the best first; one statement."""
        syntax = dialect()
        parts = [syntax.term(f"k{key}") for key in self._spans]
        parts += [syntax.term(f"n{form}") for forms in self._proper.values() for form in forms]
        if not parts:
            return []
        required = [syntax.any(map(syntax.term, group)) for group in self.scope.required]
        condition = syntax.every([syntax.any(parts), syntax.term("dtool"), *required])
        rows = matching([condition], self.scope.now, MAX_TOOLS)
        named = [self._named(row) for row in rows]
        return sorted((row for row in named if row.places), key=lambda row: row.order)

    @cached_property
    def places_of_tools(self) -> Places:
        """The places of the words that name tools."""
        return frozenset(place for tool in self.tools for place in tool.places)

    @property
    def compared(self) -> list[NamedTool]:
        """The tools between which the query asks: the best one on each side of a separator, if
        there are two sides with one.
        """
        parts: list[set[int]] = [set()]
        for place, word in enumerate(self.typed):
            if word in SEPARATORS and place not in self.places_of_tools:
                parts.append(set())
            else:
                parts[-1].add(place)
        best = [next((row for row in self.tools if row.places <= part), None) for part in parts]
        tools = {row.object_id: row for row in best if row}
        return list(tools.values()) if len(tools) > 1 else []

    def unknown(self, explained: Collection[int]) -> list[int]:
        """The places of the first name that nothing here bears: a word without any other use, and
        the words around it that are not weak and not at `explained` places.
        """
        open_places = [
            place
            for place, word in enumerate(self.typed)
            if word in self.uses and place not in explained and place not in self.places_of_tools
        ]
        unknown = next((at for at in open_places if self._is_unknown(self.typed[at])), None)
        if unknown is None:
            return []
        first = last = unknown
        while first - 1 in open_places:
            first -= 1
        while last + 1 in open_places:
            last += 1
        return list(range(first, last + 1))

    def _is_unknown(self, word: str) -> bool:
        use, place = self.uses[word], self.query.words.index(word)
        if use.is_known or self._corrections.get(word):
            return False
        forms = {word, root(word)}
        others = [terms for terms in self.query.units[place] if terms[0].word not in forms]
        is_found = self.query.usages[place].is_found
        return not is_found or (use.mentions > 0 and not others)

    @cached_property
    def _spans(self) -> Mapping[str, Places]:
        """The places of consecutive words that are not all weak, by these words written as one."""
        found: dict[str, Places] = {}
        for start in range(len(self.typed)):
            for end in range(start + 1, min(start + MAX_NAME_WORDS, len(self.typed)) + 1):
                span = self.typed[start:end]
                if not WEAK_WORDS.issuperset(span):
                    found[written_as_one(span)] = frozenset(range(start, end))
        for place, word in enumerate(self.typed):
            found |= {each: frozenset([place]) for each in self._corrections.get(word, ())}
        return found

    @cached_property
    def _proper(self) -> Mapping[int, Collection[str]]:
        """The forms of the proper names among the words, corrected if needed, by place."""
        found = {}
        for place, word in enumerate(self.typed):
            forms = [word, *self._corrections.get(word, ())]
            if proper := [each for each in forms if self._is_proper(each)]:
                found[place] = {form for each in proper for form in (each, root(each))}
        return found

    def _is_proper(self, word: str) -> bool:
        return word in self.uses and self.uses[word].is_proper_name

    def _named(self, row: SearchCandidate) -> NamedTool:
        """The places at which the query names this row: as a whole, or by proper names."""
        lines = [line.lstrip("~").split() for line in row.names.split("\n")]
        whole = [self._spans.get(written_as_one(line), frozenset()) for line in lines]
        spoken = {form for line in lines for word in line for form in (word, root(word))}
        proper = frozenset(at for at, forms in self._proper.items() if spoken & set(forms))
        places = max([*whole, proper], key=len)
        is_whole = bool(places) and places in whole
        order = (-len(places), not is_whole, -row.votes, -row.score, row.length, row.object_id)
        return NamedTool(row.object_id, places, order)


def word_uses(words: Iterable[str], scope: Scope) -> Mapping[str, WordUse]:
    """How public rows use these words in names and fields, and all in texts; two statements."""
    found = list(dict.fromkeys(words))
    described = [_with(word, letter, scope.kinds) for word in found for letter in "ns"]
    written = [_with(word, letter, SearchKind.values) for word in found for letter in "pw"]
    public, texts = counts(described, scope.now, 1), counts(written, None, MAX_TEXTS)
    return {
        word: WordUse(bool(public[at]), bool(public[at + 1]), texts[at], texts[at + 1])
        for word, at in zip(found, range(0, len(public), 2), strict=True)
    }


def _with(word: str, letter: str, kinds: Sequence[str]) -> str:
    """The condition that a row of these kinds has a word, in any form, in a field."""
    syntax = dialect()
    forms = syntax.any(syntax.term(f"{letter}{form}") for form in (word, root(word)))
    return syntax.every([forms, syntax.any(syntax.term(f"d{kind}") for kind in kinds)])
