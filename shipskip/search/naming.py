"""The names in a query: tools that it names, and names that nothing here bears.

A word is a proper name if a name has it and most texts that have it write it like a name:
“Copilot”, but not “code”. A tool is named by its whole name, or by a proper name in it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import chain

from django.utils.functional import cached_property

from shipskip.search.candidates import SearchCandidate, dialect, matching
from shipskip.search.queries import Query
from shipskip.search.row_names import names_of
from shipskip.search.searching import Scope
from shipskip.search.usage import COMMON_USE, MAX_COUNTED, word_uses
from shipskip.search.vocabulary import vocabulary
from shipskip.search.words import SEPARATORS, WEAK_WORDS, root, spans, written_as_one

MAX_NAME_WORDS = 6
MAX_PLACES = 16
"""How many of the typed words are searched for names."""
MAX_CORRECTIONS = 3
MAX_TOOLS = 20

Places = frozenset[int]


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
        similar = {
            word: [each for each, _ in vocabulary.corrections(word)]
            for word, usage in zip(query.words, query.usages, strict=True)
            if not usage.is_found
        }
        frequent = {
            word
            for word, usage in zip(query.words, query.usages, strict=True)
            if usage.tools >= MAX_COUNTED
        }
        rare = [word for word in query.words if word not in frequent]
        other = [term.word for unit in query.units for terms in unit for term in terms[:1]]
        checked = dict.fromkeys([*rare, *chain.from_iterable(similar.values()), *other])
        self.scope = scope
        self.uses = {
            **word_uses(checked, scope.kinds, scope.now),
            **dict.fromkeys(frequent, COMMON_USE),
        }
        # The vocabulary has the words of all rows: what rows in the scope lack is no correction,
        # or a search would tell what a draft has.
        self._corrections = {
            word: [each for each in found if self.uses[each].is_known][:MAX_CORRECTIONS]
            for word, found in similar.items()
        }

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
        others = [
            terms
            for terms in self.query.units[place]
            if terms[0].word not in forms and self.uses[terms[0].word].is_known
        ]
        is_found = self.query.usages[place].is_found
        return not is_found or (use.mentions > 0 and not others)

    @cached_property
    def _spans(self) -> Mapping[str, Places]:
        """The places of consecutive words that are not all weak, by these words written as one."""
        found: dict[str, Places] = {}
        for start, end in spans(len(self.typed), MAX_NAME_WORDS):
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
        names = names_of(row.names)
        whole = [self._spans.get(key, frozenset()) for key in names.keys_with_former]
        proper = frozenset(
            at for at, forms in self._proper.items() if not names.words.isdisjoint(forms)
        )
        places = max([*whole, proper], key=len)
        is_whole = bool(places) and places in whole
        order = (-len(places), not is_whole, -row.votes, -row.score, row.length, row.object_id)
        return NamedTool(row.object_id, places, order)
