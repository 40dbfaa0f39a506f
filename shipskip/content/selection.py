"""Find the public tools that match the filters of a list, and count those of each choice."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import and_

from django.utils.functional import cached_property

from reviews.models import ToolTally
from reviews.scoring import Weights
from shipskip.content.content import Content
from shipskip.content.fact_columns import FactColumn
from shipskip.content.fact_filters import FACT_PREFIX, FactFilter, choices_of, key_of
from shipskip.content.records import Attribute, Category, Tool
from shipskip.content.tool_sets import ToolSet, any_of, in_order, set_of

SORTED = "sort"
"""The name of the filter that excludes tools without a value to sort by."""


@dataclass(frozen=True)
class Wanted:
    """The filters and the order that a reader chose for a list of tools."""

    choices: Mapping[str, Collection[str]]
    """The chosen categories (slugs), entry prices and verdicts."""
    attributes: Sequence[Attribute] = ()
    """The attributes that the list can be filtered by."""
    facts: Sequence[FactFilter] = ()
    only_confirmed: bool = False
    """Whether facts that are imported and not confirmed are left out."""
    sort: str = ""
    by: Attribute | None = None
    """The attribute to sort by; tools without a value are left out."""
    within: Category | None = None
    found: Sequence[int] | None = None
    """The results of a search (primary keys), best first; None without a search."""
    weights: Weights = field(default_factory=dict)
    """A reader's own; they change verdicts and scores."""


@dataclass(frozen=True)
class WithoutValue:
    """How many tools have no value of an attribute."""

    attribute: Attribute
    unrecorded: int
    """Tools without an answer."""
    silent: int
    """Tools whose source was read and does not say."""
    unconfirmed: int
    """Tools whose answer is left out, because no editor has confirmed it."""


class Selection:
    """The tools that match. At most two queries: for facts at their first use, and for votes in an
    order by votes.
    """

    def __init__(self, content: Content, wanted: Wanted) -> None:
        self._content, self._wanted = content, wanted
        self._standings = content.standings(wanted.weights)
        rows = [row for row in wanted.attributes if choices_of(row) or row in self.asked_attributes]
        columns_of = content.confirmed_columns if wanted.only_confirmed else content.fact_columns
        self._columns = columns_of(rows)
        everything = (1 << len(content.tools)) - 1
        category = wanted.within
        self.within = content.by_category.get(category.pk, 0) if category else everything
        """The tools of the list without filters."""
        self.filters = self._filters()
        """The tools that match each active filter, by its name."""

    @cached_property
    def asked_attributes(self) -> list[Attribute]:
        """The attributes by which the list is filtered or sorted, in their order."""
        named = {each.attribute.pk for each in self._wanted.facts}
        by = self._wanted.by
        return [row for row in self._wanted.attributes if row is by or row.pk in named]

    @cached_property
    def tools(self) -> list[Tool]:
        """Those that match, in the chosen order."""
        rows = self._content.tools
        return [rows[place] for place in in_order(self._order(), self._matching())]

    @property
    def shared(self) -> dict[str, str]:
        """What all of those that match have in common, in words: "price", "category", "maker";
        empty unless there are two.
        """
        if len(self.tools) < 2:
            return {}
        first, found = self.tools[0], {}
        if _are_equal((tool.entry, tool.cheapest_plan) for tool in self.tools):
            found["price"] = first.price
        if _are_equal(tool.category.pk for tool in self.tools):
            found["category"] = first.category.name
        if first.maker and _are_equal(tool.maker for tool in self.tools):
            found["maker"] = first.maker
        return found

    @property
    def total(self) -> int:
        """The number of tools of the list without filters."""
        return self.within.bit_count()

    def count(self, key: str, choice: str) -> int:
        """The number of tools that match if the filter has only this choice."""
        return (self._matching([key]) & self._sets(key).get(choice, 0)).bit_count()

    def count_without(self, key: str) -> int:
        """How many match without this filter."""
        return self._matching([key]).bit_count()

    def without_value(self) -> list[WithoutValue]:
        """For each attribute in the filters or the order: how many tools have no value, of those
        that match the filters that are not about attributes.
        """
        about_facts = [key for key in self.filters if key.startswith(FACT_PREFIX) or key == SORTED]
        tools = self._matching(about_facts)
        found = []
        for row in self.asked_attributes:
            column = self._columns[row.pk]
            answered = column.stating | column.silent | column.inapplicable
            lacking = tools & self._asked(row) & ~answered
            imported = self._content.unconfirmed.get(row.pk, 0)
            unconfirmed = lacking & imported if self._wanted.only_confirmed else 0
            groups = lacking & ~unconfirmed, tools & column.silent, unconfirmed
            found.append(WithoutValue(row, *(each.bit_count() for each in groups)))
        return found

    def _asked(self, row: Attribute) -> ToolSet:
        """The tools of the list that an attribute is asked of."""
        if not row.category_ids:
            return self.within
        asked = any_of(self._content.by_category, row.category_ids)
        return self.within & asked

    def statements(self, tools: Sequence[Tool]) -> dict[str, list[tuple[str, str]]]:
        """Name and value of the attributes that were asked for, for each of these tools by slug."""
        columns = [self._columns[row.pk] for row in self.asked_attributes]
        return {tool.slug: [self._stated(column, tool) for column in columns] for tool in tools}

    def _stated(self, column: FactColumn, tool: Tool) -> tuple[str, str]:
        return column.attribute.name, column.words_at(self._content.places[tool.pk])

    def _matching(self, without: Collection[str] = ()) -> ToolSet:
        """The tools that match every filter but these."""
        sets = (found for key, found in self.filters.items() if key not in without)
        return reduce(and_, sets, self.within)

    def _filters(self) -> dict[str, ToolSet]:
        wanted = self._wanted
        found = {key: any_of(self._sets(key), rows) for key, rows in wanted.choices.items() if rows}
        for each in wanted.facts:
            column = self._columns[each.attribute.pk]
            found[key_of(each.attribute)] = (
                any_of(column.by_choice, each.choices)
                if each.choices
                else column.within(each.least, each.most)
            )
        if wanted.by:
            found[SORTED] = self._columns[wanted.by.pk].stating
        if wanted.found is not None:
            found["q"] = set_of(self._found_places(), len(self._content.tools))
        return found

    def _sets(self, key: str) -> Mapping[str, ToolSet]:
        """The tools of each choice of a filter."""
        return self._all_sets.get(key, {})

    @cached_property
    def _all_sets(self) -> Mapping[str, Mapping[str, ToolSet]]:
        content = self._content
        found: dict[str, Mapping[str, ToolSet]] = {
            "category": {
                row.slug: content.by_category.get(row.pk, 0) for row in content.categories
            },
            "entry": content.by_entry,
            "status": content.by_status,
            "verdict": self._standings.by_verdict,
        }
        columns = {key_of(row): self._columns.get(row.pk) for row in self._wanted.attributes}
        return found | {key: column.by_choice for key, column in columns.items() if column}

    def _found_places(self) -> list[int]:
        places = self._content.places
        return [places[key] for key in self._wanted.found or () if key in places]

    def _order(self) -> Sequence[int]:
        """The places of all tools that can match, in the chosen order."""
        wanted, content = self._wanted, self._content
        if wanted.by:
            return self._columns[wanted.by.pk].best_first(content.orders["name"])
        if wanted.found is not None and not wanted.sort:
            return self._found_places()
        if wanted.sort == "community":
            return self._by_figure(ToolTally.lower_bounds())
        if wanted.sort == "disagreement":
            return self._by_figure(self._disagreements())
        if wanted.sort in ("", "score"):
            return self._standings.ranked
        return content.orders[wanted.sort]

    def _by_figure(self, figures: Mapping[int, float]) -> list[int]:
        """The tools with a figure (by primary key) first, the greatest first; ties by name."""
        tools = self._content.tools
        return sorted(range(len(tools)), key=lambda place: -figures.get(tools[place].pk, -1))

    def _disagreements(self) -> dict[int, int]:
        """The difference of the displayed shares of panel and community, in points, for each public
        tool that has both.
        """
        places, panels = self._content.places, self._content.ours.panels
        found = {}
        for key, share in ToolTally.shares().items():
            ours = panels[places[key]].share if key in places else None
            if ours is not None:
                found[key] = abs(ours - share)
        return found


def _are_equal(values: Iterable[object]) -> bool:
    """Whether all values are the same; stops at the first that differs."""
    rest = iter(values)
    first = next(rest, None)
    return all(value == first for value in rest)
