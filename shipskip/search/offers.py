"""What a search offers before its results: a comparison, a list of tools, and whether a name that
it has is not here.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.urls import reverse

from comparisons.addresses import MAX_TOOLS
from shipskip.content.content import Content
from shipskip.content.fact_filters import KINDS_WITH_CHOICES, FactFilter, choices_of, key_of
from shipskip.content.judged_tools import judged
from shipskip.content.records import Attribute, Category
from shipskip.content.selection import Selection, Wanted
from shipskip.content.side_by_side import Pair
from shipskip.search.candidates import LIMIT
from shipskip.search.models import SearchKind
from shipskip.search.naming import Names, Places
from shipskip.search.queries import MIN_SHARE, Query, Term
from shipskip.search.searching import Found, Scope
from shipskip.search.usage import with_usages
from shipskip.search.words import NEGATIONS, WEAK_WORDS, root, spans, words
from shipskip.web.filters import query_of
from tools.fact_values import AttributeKind
from tools.models import EntryPrice

MAX_PHRASE_WORDS = 6
MIN_CATEGORY_SHARE = 0.5
"""The share of the weight of a category's name that names the category."""


@dataclass(frozen=True)
class ListOffer:
    """A list of tools that a query asks for."""

    title: str
    url: str
    number: int
    """How many tools it has."""


@dataclass(frozen=True)
class Offers:
    """What a page shows before the results of a search."""

    unknown: str = ""
    """A name in the query that nothing here bears, as typed."""
    pair: Pair | None = None
    tools: ListOffer | None = None
    named: Sequence[int] = ()
    """The tools that the query names (primary keys), which come first among the results."""


def offers(text: str, found: Found, scope: Scope, content: Content) -> Offers:
    """The offers for a typed text; six statements at most, and those for facts at first use."""
    if found.query is None:
        return Offers()
    names = Names(found.query, scope)
    tools = content.having(row.object_id for row in names.compared[:MAX_TOOLS])
    pair = Pair.answered(judged(content.in_page_order(tools))) if len(tools) > 1 else None
    asked = _Reader(found, names, content).filters
    order = {key: at for at, key in enumerate(found.keys(SearchKind.TOOL))}
    named = sorted(names.tools, key=lambda row: (row.order[:2], order.get(row.object_id, LIMIT)))
    return Offers(
        unknown=as_typed(text, found.query.typed, names.unknown(asked.places)),
        pair=pair,
        tools=None if names.tools else list_offer(asked, content),
        named=[row.object_id for row in named],
    )


def as_typed(text: str, typed: Sequence[str], places: Sequence[int]) -> str:
    """The words at these places as they were typed, else as they were searched for."""
    parts = [(part, len(words(part))) for part in text.split() if any(map(str.isalnum, part))]
    starts = [sum(number for _, number in parts[:at]) for at in range(len(parts))]
    shown = [
        part.strip(",;:.?!\"'()“”‘’")
        for (part, number), start in zip(parts, starts, strict=True)
        if set(range(start, start + number)) & set(places)
    ]
    is_whole = sum(number for _, number in parts) >= len(typed)
    return " ".join(shown if is_whole else [typed[place] for place in places])


@dataclass(frozen=True)
class Filters:
    """The filters of lists that a query names, and the places of the words that name them."""

    category: Category | None = None
    entries: Sequence[str] = ()
    facts: Sequence[FactFilter] = ()
    places: Places = field(default_factory=frozenset)


@dataclass(frozen=True)
class _Phrase:
    """An expression for a category, an entry price or a value of an attribute."""

    category: Category | None = None
    entry: str = ""
    fact: FactFilter | None = None
    is_one_word: bool = False


class _Reader:
    """Reads the filters in a query, outside of the names of tools."""

    def __init__(self, found: Found, names: Names, content: Content) -> None:
        self._found, self._query, self._names = found, names.query, names
        self._content = content
        self._phrases = _phrases(content)
        self._open = set(range(len(names.typed))) - names.places_of_tools

    @property
    def filters(self) -> Filters:
        """All of them: the longest expressions first, then a category by a part of its name or by
        its description.
        """
        named = self._named()
        category = next((row.category for _, row in named if row.category), None)
        places = {at for found, _ in named for at in found}
        if category is None:
            category, more = self._category_in_part(self._open - places)
            places |= more
        if category is None and not named:
            category = self._described_category()
        kept = [(at, row) for at, row in named if self._is_clear(at, row, category)]
        kept = [(at, row) for at, row in kept if not self._is_odd(at, row)]
        facts = _merged(self._negated(at, row.fact) for at, row in kept if row.fact)
        entries = [row.entry for _, row in kept if row.entry]
        explained = places - {at for found, _ in named for at in found}
        explained |= {at for found, _ in kept for at in found}
        return Filters(category, entries, facts, frozenset(explained))

    def _described_category(self) -> Category | None:
        """The best category whose name and description have all words of the query."""
        keys = [
            rank.candidate.object_id
            for rank in self._found.ranks
            if rank.candidate.kind == SearchKind.CATEGORY and rank.has_all_words
        ]
        several = len(self._query.words) > 1 and not self._found.corrected
        return next(iter(self._content.categories_having(keys)), None) if several else None

    def _named(self) -> list[tuple[Places, _Phrase]]:
        """The expressions in the query, the longest first, with their places."""
        left, found = set(self._open), []
        for places, key in sorted(self._keys(), key=lambda row: (-len(row[0]), min(row[0]))):
            if key in self._phrases and places <= left:
                found.append((places, self._phrases[key]))
                left -= places
        return found

    def _keys(self) -> Iterable[tuple[Places, str]]:
        """The keys of consecutive words, with and without weak ones, and of synonyms."""
        typed = self._names.typed
        strong = [place for place, word in enumerate(typed) if word in self._query.words]
        for order in (list(range(len(typed))), strong):
            for start, end in spans(len(order), MAX_PHRASE_WORDS):
                span = [typed[place] for place in order[start:end]]
                if not WEAK_WORDS.issuperset(span):
                    yield frozenset(order[start:end]), _key(span)
        for unit in self._query.units:
            for terms in unit:
                places = {
                    typed.index(word)
                    for word, each in zip(self._query.words, self._query.units, strict=True)
                    if terms in each and word in typed
                }
                if places and not any(term.is_prefix or term.distance for term in terms):
                    yield frozenset(places), _key(term.word for term in terms)

    def _category_in_part(self, places: Collection[int]) -> tuple[Category | None, Places]:
        """The category of whose name the words at these places are at least half by weight."""
        typed = {root(self._names.typed[place]): place for place in places}
        categories = self._content.categories
        parts = {row.pk: {root(word) for word in words(row.name)} for row in categories}
        begun = [row for row in categories if parts[row.pk] & typed.keys()]
        weights = self._rarities({word for row in begun for word in parts[row.pk]})
        shares = {
            row.pk: sum(weights[word] for word in parts[row.pk] & typed.keys())
            / sum(weights[word] for word in parts[row.pk])
            for row in begun
        }
        best = max(begun, key=lambda row: shares[row.pk], default=None)
        if best is None or shares[best.pk] < MIN_CATEGORY_SHARE:
            return None, frozenset()
        return best, frozenset(typed[word] for word in parts[best.pk] & typed.keys())

    def _rarities(self, roots: Collection[str]) -> Mapping[str, float]:
        found, scope = tuple(sorted(roots)), self._names.scope
        query = Query(found, tuple(((Term(word),),) for word in found))
        weights = with_usages(query, scope.kinds, scope.now).weights
        return dict(zip(found, weights, strict=True))

    def _is_clear(self, places: Places, row: _Phrase, category: Category | None) -> bool:
        """Whether a value is meant. Beside its category it is; otherwise a value that only some
        categories have is so if it is a large part of the query, and not a word of usual language.
        """
        if row.fact is None:
            return True
        asked = row.fact.attribute
        if category:
            return asked.is_asked_in(category.pk)
        uses = [self._names.uses.get(self._names.typed[place]) for place in places]
        if row.is_one_word and any(use and use.other_uses for use in uses):
            return False
        return not asked.category_ids or self._share(places) >= MIN_SHARE

    def _share(self, places: Places) -> float:
        """The share of the words at these places in the weight of all words."""
        weights = dict(zip(self._query.words, self._query.weights, strict=True))
        named = {self._names.typed[place] for place in places}
        return sum(weights.get(word, 0) for word in named) / sum(weights.values())

    def _is_odd(self, places: Places, row: _Phrase) -> bool:
        """Whether the query excludes the value, and there is no list of all others."""
        is_yes = row.fact is not None and row.fact.attribute.kind == AttributeKind.YES_NO
        return self._is_negated(places) and not is_yes

    def _is_negated(self, places: Places) -> bool:
        before = min(places) - 1
        return before >= 0 and self._names.typed[before] in NEGATIONS

    def _negated(self, places: Places, fact: FactFilter) -> FactFilter:
        return replace(fact, choices=("no",)) if self._is_negated(places) else fact


def _phrases(content: Content) -> dict[str, _Phrase]:
    """What the lists can be filtered by, by the key of its expression; categories win."""
    found: dict[str, _Phrase] = {}

    def add(text: str, phrase: _Phrase) -> None:
        all_words = words(text)
        strong = [word for word in all_words if word not in WEAK_WORDS]
        phrase = replace(phrase, is_one_word=len(strong) == 1)
        for key in {_key(all_words), _key(strong)} - {""}:
            found.setdefault(key, phrase)

    for category in content.categories:
        add(category.name, _Phrase(category=category))
    for value, label in EntryPrice.choices:
        add(str(label), _Phrase(entry=value))
    for row in content.public_attributes:
        if row.kind == AttributeKind.YES_NO:
            add(row.name, _Phrase(fact=FactFilter(row, ("yes",))))
            add(row.slug, _Phrase(fact=FactFilter(row, ("yes",))))
        elif row.kind in KINDS_WITH_CHOICES:
            for value, label in choices_of(row):
                add(label, _Phrase(fact=FactFilter(row, (value,))))
    return found


def _merged(facts: Iterable[FactFilter]) -> list[FactFilter]:
    """One filter for each attribute, with all of its choices: a tool has any of them."""
    found: dict[int, FactFilter] = {}
    for each in facts:
        known = found.get(each.attribute.pk)
        choices = (*(known.choices if known else ()), *each.choices)
        found[each.attribute.pk] = replace(each, choices=tuple(dict.fromkeys(choices)))
    return list(found.values())


def _key(found: Iterable[str]) -> str:
    return "".join(map(root, found))


def list_offer(asked: Filters, content: Content) -> ListOffer | None:
    """The list with these filters, or that of the category alone if no tool has them all; None
    without filters, and for a list without a tool.
    """
    if not (asked.category or asked.entries or asked.facts):
        return None
    categories = [asked.category] if asked.category else _categories_of(asked.facts, content)
    wanted = Wanted(
        choices={"category": [row.slug for row in categories], "entry": asked.entries},
        attributes=[each.attribute for each in asked.facts],
        facts=asked.facts,
    )
    number = len(Selection(content, wanted).tools)
    if not number:
        has_more = asked.category and (asked.entries or asked.facts)
        return list_offer(Filters(asked.category), content) if has_more else None
    within = categories[0] if len(categories) == 1 else None
    filters: dict[str, object] = {} if within else {"category": [row.slug for row in categories]}
    filters["entry"] = list(asked.entries)
    filters |= {key_of(each.attribute): list(each.choices) for each in asked.facts}
    url = within.get_absolute_url() if within else reverse("tools:list")
    labels = [within.name if within else "Tools"]
    labels += [str(EntryPrice(entry).label) for entry in asked.entries]
    labels += [_label(each) for each in asked.facts]
    query = query_of(filters)
    return ListOffer(" · ".join(labels), f"{url}?{query}" if query else url, number)


def _label(fact: FactFilter) -> str:
    labels: Mapping[str, str] = dict(choices_of(fact.attribute))
    return f"{fact.attribute.name}: {', '.join(labels[choice] for choice in fact.choices)}"


def _categories_of(facts: Sequence[FactFilter], content: Content) -> list[Category]:
    """The categories in which all of these attributes are asked; empty if that is all of them."""
    asked: list[Attribute] = [each.attribute for each in facts if each.attribute.category_ids]
    if not asked:
        return []
    return [row for row in content.categories if all(each.is_asked_in(row.pk) for each in asked)]
