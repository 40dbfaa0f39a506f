"""Bit sets of tools, to find, count and sort the tools that match each choice of a list's filters.

A set is an integer whose bit n is the nth public tool. An intersection takes a microsecond, however
many tools there are, so that a list counts every combination of choices without a query. The
database is queried once for each content version.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import compress
from operator import and_, or_
from typing import TypeVar

from reviews.judged_tools import JudgedToolQuerySet, judged_tools
from reviews.models import ToolTally
from shipskip.page_cache.per_version import Snapshot
from shipskip.web.text import sort_key
from tools.fact_filters import FactFilter, FactLimit, stated_choices, within_limits
from tools.models import Attribute

V = TypeVar("V")

ToolSet = int
Keys = Sequence[int]
"""Primary keys of tools."""


@dataclass(frozen=True)
class PublicTools:
    """The public tools of one content version, with a set for each category, entry price and
    verdict.
    """

    keys: Keys
    categories: Sequence[int]
    entries: Sequence[str]
    verdicts: Sequence[str]

    def __sizeof__(self) -> int:
        """The approximate size in bytes, which a snapshot limits."""
        return 200 * len(self.keys)

    @cached_property
    def _places(self) -> Mapping[int, int]:
        return {key: place for place, key in enumerate(self.keys)}

    @cached_property
    def all(self) -> ToolSet:
        """All of them."""
        return (1 << len(self.keys)) - 1

    @cached_property
    def by_category(self) -> Mapping[int, ToolSet]:
        """Those of each category, by its primary key."""
        return self._by(self.categories)

    @cached_property
    def by_entry(self) -> Mapping[str, ToolSet]:
        """Those with each entry price."""
        return self._by(self.entries)

    @cached_property
    def by_verdict(self) -> Mapping[str, ToolSet]:
        """Those with each panel verdict."""
        return self._by(self.verdicts)

    def having(self, keys: Iterable[int]) -> ToolSet:
        """Those with these primary keys."""
        found = map(self._places.get, keys)
        return self._set(place for place in found if place is not None)

    def in_order(self, keys: Keys, among: ToolSet) -> list[int]:
        """Those of these primary keys that are in a set, in the order of the keys."""
        flags = f"{among:0{len(self.keys)}b}"[::-1]
        places = self._places
        inside = (key in places and flags[places[key]] == "1" for key in keys)
        return list(compress(keys, inside))

    def _by(self, values: Sequence[V]) -> Mapping[V, ToolSet]:
        places: dict[V, list[int]] = {}
        for place, value in enumerate(values):
            places.setdefault(value, []).append(place)
        return {value: self._set(found) for value, found in places.items()}

    def _set(self, places: Iterable[int]) -> ToolSet:
        found = bytearray(len(self.keys) // 8 + 1)
        for place in places:
            found[place >> 3] |= 1 << (place & 7)
        return int.from_bytes(found, "little")


def public_tools(snapshot: Snapshot) -> PublicTools:
    """The public tools; one query for each content version."""

    def load() -> PublicTools:
        rows = list(judged_tools().published(snapshot.now).filter_values())
        columns = zip(*rows, strict=True) if rows else ((), (), (), ())
        return PublicTools(*columns)

    found: PublicTools = snapshot.get("public tools", load)
    return found


FactSets = Mapping[str, ToolSet]
"""The tools by their choice of an attribute; under an empty text all tools that have a value."""


def fact_sets(
    snapshot: Snapshot, tools: PublicTools, attributes: Sequence[Attribute]
) -> Mapping[int, FactSets]:
    """The sets of tools by value for each of these attributes (primary keys); a few queries for
    each content version, one for each kind and not for each attribute.
    """
    rows = {("facts", row.pk): row for row in attributes}

    def load(keys: Sequence[tuple[str, int]]) -> Mapping[tuple[str, int], FactSets]:
        having: dict[int, dict[str, list[int]]] = {key: {"": []} for _, key in keys}
        for attribute, tool, choices in stated_choices(rows[key] for key in keys):
            found = having[attribute]
            found[""].append(tool)
            for choice in choices:
                found.setdefault(choice, []).append(tool)
        return {
            ("facts", attribute): {choice: tools.having(rows) for choice, rows in found.items()}
            for attribute, found in having.items()
        }

    found = snapshot.get_many(list(rows), load)
    return {attribute: sets for (_, attribute), sets in found.items()}


def limit_sets(
    snapshot: Snapshot, tools: PublicTools, filters: Sequence[FactFilter]
) -> Mapping[int, ToolSet]:
    """The tools within the limits of each of these filters, by its attribute's primary key; one
    query for each content version.
    """
    by_key = {(row.attribute.pk, row.least, row.most): row for row in filters}

    def load(
        keys: Sequence[tuple[int, FactLimit, FactLimit]],
    ) -> Mapping[tuple[int, FactLimit, FactLimit], ToolSet]:
        having: dict[int, list[int]] = {}
        for attribute, tool in within_limits([by_key[key] for key in keys]):
            having.setdefault(attribute, []).append(tool)
        return {key: tools.having(having.get(key[0], ())) for key in keys}

    return {key[0]: found for key, found in snapshot.get_many(list(by_key), load).items()}


@dataclass(frozen=True)
class Matching:
    """The tools that match the chosen filters; each filter has a name and a set."""

    within: ToolSet
    """The tools of the list without filters."""
    filters: Mapping[str, ToolSet]

    @cached_property
    def all(self) -> ToolSet:
        """Those that match every filter."""
        return reduce(and_, self.filters.values(), self.within)

    def without(self, name: str) -> ToolSet:
        """Those that match every filter but one."""
        if name not in self.filters:
            return self.all
        others = (found for other, found in self.filters.items() if other != name)
        return reduce(and_, others, self.within)


def any_of(sets: Mapping[str, ToolSet], choices: Iterable[str]) -> ToolSet:
    """The tools with any of these choices."""
    return reduce(or_, (sets.get(choice, 0) for choice in choices), 0)


def by_name(snapshot: Snapshot) -> Keys:
    """The public tools by name, sorted without case and accents; one query for each content
    version.
    """

    def load() -> Keys:
        rows = judged_tools().published(snapshot.now).order_by().values_list("name", "slug", "pk")
        return [row[2] for row in sorted((sort_key(name), slug, pk) for name, slug, pk in rows)]

    found: Keys = snapshot.get("by name", load)
    return found


def in_groups(snapshot: Snapshot, tools: PublicTools, groups: Iterable[ToolSet]) -> Keys:
    """The tools of these sets, set after set, sorted by name within each."""
    names = by_name(snapshot)
    return [key for group in groups for key in tools.in_order(names, group)]


def ordered(snapshot: Snapshot, name: str, rows: JudgedToolQuerySet) -> Keys:
    """The primary keys of ordered rows, cached under a unique name; one query for each content
    version.
    """

    def load() -> Keys:
        return list(rows.select_related(None).values_list("pk", flat=True))

    found: Keys = snapshot.get(("order", name), load)
    return found


def by_figure(names: Keys, figures: Mapping[int, float]) -> Keys:
    """Sort by figure, the greatest first and those without one last; ties in the order of `names`.

    Sorted here, because the figures change with each vote: the database takes four times as long to
    join and sort all tools by figure and name.
    """
    return sorted(names, key=lambda key: -figures.get(key, -1))


def disagreements(snapshot: Snapshot) -> Mapping[int, int]:
    """The difference of the displayed shares of panel and community, in points, for each public
    tool that has both; two queries, one of them once for each content version.
    """
    rows = judged_tools().published(snapshot.now)
    panel: Mapping[int, int] = snapshot.get("panel shares", rows.panel_shares)
    community = ToolTally.shares()
    return {key: abs(panel[key] - share) for key, share in community.items() if key in panel}
