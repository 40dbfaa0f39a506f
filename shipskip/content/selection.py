"""Find the public tools that match the filters of a list, and count those of each choice."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from reviews.judged_tools import judged_tools
from reviews.models import ToolTally
from reviews.tool_sets import (
    Keys,
    Matching,
    ToolSet,
    any_of,
    by_figure,
    by_name,
    disagreements,
    fact_sets,
    in_groups,
    limit_sets,
    ordered,
    public_tools,
)
from reviews.weighed_tools import WeighedTools, weighed_tools
from shipskip.page_cache.per_version import per_version
from tools.fact_filters import FACT_PREFIX, KINDS_WITH_LIMITS, FactFilter, choices_of, key_of
from tools.fact_values import AttributeKind, Better
from tools.models import VALUE_COLUMNS, Attribute, Category, EntryPrice

SORTED = "sort"
"""The name of the filter that excludes tools without a value to sort by."""


@dataclass(frozen=True)
class Wanted:
    """The filters and the order that a reader chose for a list of tools."""

    now: datetime
    categories: Sequence[Category]
    """All categories that can be chosen."""
    choices: Mapping[str, Collection[str]]
    """The chosen categories (slugs), entry prices and verdicts."""
    attributes: Sequence[Attribute] = ()
    """The attributes that the list can be filtered by."""
    facts: Sequence[FactFilter] = ()
    sort: str = ""
    by: Attribute | None = None
    """The attribute to sort by; tools without a value are left out."""
    within: Category | None = None
    found: Sequence[int] | None = None
    """The results of a search, best first; None without a search."""
    weights: Mapping[int, int] = field(default_factory=dict)
    """A reader's own weights, by the reviewer's primary key; they change verdicts and scores."""


class Selection:
    """The tools that match; a few queries for each content version, then none."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._snapshot = per_version.snapshot(wanted.now)
        self._tools = public_tools(self._snapshot)
        rows = [row for row in wanted.attributes if choices_of(row) or row in self.asked_attributes]
        self._facts = fact_sets(self._snapshot, self._tools, rows)
        category = wanted.within
        within = self._tools.by_category.get(category.pk, 0) if category else self._tools.all
        self.matching = Matching(within, self._filters())

    @cached_property
    def asked_attributes(self) -> list[Attribute]:
        """The attributes by which the list is filtered or sorted, in their order."""
        named = {each.attribute.pk for each in self._wanted.facts}
        by = self._wanted.by
        return [row for row in self._wanted.attributes if row == by or row.pk in named]

    @cached_property
    def keys(self) -> Keys:
        """The primary keys of those that match, in the chosen order."""
        return self._tools.in_order(self._order(), self.matching.all)

    @property
    def total(self) -> int:
        """The number of tools of the list without filters."""
        return self.matching.within.bit_count()

    def count(self, key: str, choice: str) -> int:
        """The number of tools that match if the filter has only this choice."""
        return (self.matching.without(key) & self._sets(key).get(choice, 0)).bit_count()

    def count_without(self, key: str) -> int:
        """How many match without this filter."""
        return self.matching.without(key).bit_count()

    def not_stating(self) -> list[tuple[Attribute, int]]:
        """For each attribute in the filters or the order: how many tools have no value, of those
        that match the filters that are not about attributes.
        """
        others = [
            key for key in self.matching.filters if key.startswith(FACT_PREFIX) or key == SORTED
        ]
        tools = Matching(self.matching.within, self._without(others)).all
        return [
            (row, (tools & ~self._facts[row.pk][""]).bit_count()) for row in self.asked_attributes
        ]

    def _without(self, keys: Collection[str]) -> dict[str, ToolSet]:
        return {key: found for key, found in self.matching.filters.items() if key not in keys}

    def _filters(self) -> dict[str, ToolSet]:
        wanted = self._wanted
        found = {key: any_of(self._sets(key), rows) for key, rows in wanted.choices.items() if rows}
        limits = [each for each in wanted.facts if not each.choices]
        within = limit_sets(self._snapshot, self._tools, limits) if limits else {}
        for each in wanted.facts:
            row = each.attribute
            chosen = any_of(self._facts[row.pk], each.choices)
            found[key_of(row)] = chosen if each.choices else within[row.pk]
        if wanted.by:
            found[SORTED] = self._facts[wanted.by.pk][""]
        if wanted.found is not None:
            found["q"] = self._tools.having(wanted.found)
        return found

    def _sets(self, key: str) -> Mapping[str, ToolSet]:
        return self._all_sets.get(key, {})

    @cached_property
    def _all_sets(self) -> Mapping[str, Mapping[str, ToolSet]]:
        """The tools of each choice by query key."""
        of = self._tools.by_category
        found: dict[str, Mapping[str, ToolSet]] = {
            "category": {row.slug: of.get(row.pk, 0) for row in self._wanted.categories},
            "entry": self._tools.by_entry,
            "verdict": self._weighed.by_verdict if self._weighed else self._tools.by_verdict,
        }
        facts = {key_of(row): row.pk for row in self._wanted.attributes}
        return found | {key: self._facts[pk] for key, pk in facts.items() if pk in self._facts}

    @cached_property
    def _weighed(self) -> WeighedTools | None:
        weights = self._wanted.weights
        return weighed_tools(self._snapshot, self._tools, weights) if weights else None

    def _order(self) -> Keys:
        wanted, snapshot = self._wanted, self._snapshot
        rows = judged_tools().published(snapshot.now)
        if wanted.by:
            return self._by_fact(wanted.by)
        if wanted.sort == "name":
            return by_name(snapshot)
        if wanted.sort == "entry":
            entries = (self._tools.by_entry.get(entry, 0) for entry in EntryPrice.values)
            return in_groups(snapshot, self._tools, entries)
        if wanted.found is not None and not wanted.sort:
            return wanted.found
        if wanted.sort == "community":
            return by_figure(by_name(snapshot), ToolTally.lower_bounds())
        if wanted.sort == "disagreement":
            return by_figure(by_name(snapshot), disagreements(snapshot))
        if self._weighed and (wanted.sort or "score") == "score":
            return self._weighed.keys
        orders = {"newest": rows.newest, "judged": rows.by_verdict_date}
        return ordered(snapshot, wanted.sort or "score", orders.get(wanted.sort, rows.ranked)())

    def _by_fact(self, row: Attribute) -> Keys:
        """Keys sorted by a fact: the best first, or if none is better the greatest or latest; yes
        before no; choices in the editors' order.
        """
        snapshot = self._snapshot
        if row.kind not in KINDS_WITH_LIMITS:
            groups = (self._facts[row.pk].get(value, 0) for value, _ in choices_of(row))
            return in_groups(snapshot, self._tools, groups)
        column, descending = VALUE_COLUMNS[AttributeKind(row.kind)], row.better != Better.LOWER
        rows = judged_tools().published(snapshot.now)
        rows = rows.by_fact(row.pk, column, descending=descending)
        return ordered(snapshot, key_of(row), rows)
