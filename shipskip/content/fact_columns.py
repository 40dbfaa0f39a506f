"""The facts by which lists are filtered and sorted: the answers to one attribute, of all tools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TypeAlias, cast

from shipskip.content.fact_filters import KINDS_WITH_LIMITS, FactLimit, choices_of
from shipskip.content.records import Attribute
from shipskip.content.tool_sets import ToolSet, in_order, set_of
from tools.fact_values import AttributeKind, Better, in_words
from tools.models import VALUE_COLUMNS, Fact

Ordered: TypeAlias = Decimal | date


@dataclass(frozen=True)
class FactColumn:
    """The tools that state a value of an attribute: by choice, or by place with number or day; and
    the tools that answer it without a value.
    """

    attribute: Attribute
    stating: ToolSet
    silent: ToolSet
    """The tools whose source was read and does not say."""
    inapplicable: ToolSet
    """The tools to which it does not apply."""
    by_choice: Mapping[str, ToolSet]
    values: Mapping[int, Ordered]

    def within(self, least: FactLimit, most: FactLimit) -> ToolSet:
        """The tools whose number or day is in a closed interval; None is an open end."""
        places = [
            place
            for place, value in self.values.items()
            if (least is None or least <= value) and (most is None or value <= most)  # type: ignore[operator]
        ]
        return set_of(places, self.stating.bit_length())

    def without(self, tools: ToolSet) -> "FactColumn":
        """The column as if these tools had no answer."""
        return FactColumn(
            self.attribute,
            self.stating & ~tools,
            self.silent & ~tools,
            self.inapplicable & ~tools,
            {choice: found & ~tools for choice, found in self.by_choice.items()},
            {place: value for place, value in self.values.items() if not tools >> place & 1},
        )

    def words_at(self, place: int) -> str:
        """What the tool at a place states, as readers see it; choices in the attribute's order."""
        if self.attribute.kind in KINDS_WITH_LIMITS:
            return in_words(self.values.get(place), self.attribute.unit)
        labels = dict(choices_of(self.attribute))
        chosen = [choice for choice, found in self.by_choice.items() if found >> place & 1]
        return ", ".join(labels.get(choice, choice) for choice in chosen)

    def best_first(self, names: Sequence[int]) -> list[int]:
        """The places that state a value, sorted by it: the best first, or if none is better the
        greatest or latest; yes before no; choices in the editors' order. Ties in the order of
        `names`.
        """
        if self.attribute.kind in KINDS_WITH_LIMITS:
            stating = [place for place in names if place in self.values]
            descending = self.attribute.better != Better.LOWER
            # Stable also when reversed.
            return sorted(stating, key=self.values.__getitem__, reverse=descending)
        groups = (in_order(names, found) for found in self.by_choice.values())
        return [place for group in groups for place in group]


def read_columns(
    attributes: Sequence[Attribute], places: Mapping[int, int]
) -> dict[int, FactColumn]:
    """The columns of these attributes by primary key; `places` are those of the tools by primary
    key. One query for each kind of value, and one for the answers without a value.
    """
    by_column: dict[str, list[int]] = {}
    for row in attributes:
        by_column.setdefault(VALUE_COLUMNS[AttributeKind(row.kind)], []).append(row.pk)
    stated: dict[int, list[tuple[object, list[int]]]] = {row.pk: [] for row in attributes}
    for column, keys in by_column.items():
        for attribute, value, tools in Fact.objects.stated(keys, column).tools_by_value(column):
            found = [places[tool] for tool in tools if tool in places]
            stated[attribute].append((value, found))
    valueless: dict[tuple[int, bool], list[int]] = {}
    for attribute, applies, tool in Fact.objects.without_value(list(stated)):
        if tool in places:
            valueless.setdefault((attribute, applies), []).append(places[tool])
    number = len(places)
    return {
        row.pk: _column(
            row,
            stated[row.pk],
            silent=set_of(valueless.get((row.pk, True), ()), number),
            inapplicable=set_of(valueless.get((row.pk, False), ()), number),
            number=number,
        )
        for row in attributes
    }


def read_unconfirmed(places: Mapping[int, int]) -> dict[int, ToolSet]:
    """The tools whose answer is imported and not confirmed, by attribute (primary key); one query.
    `places` are those of the tools by primary key.
    """
    return {
        attribute: set_of([places[tool] for tool in tools if tool in places], len(places))
        for attribute, tools in Fact.objects.unconfirmed().tools_by_attribute()
    }


def _column(
    attribute: Attribute,
    stated: Sequence[tuple[object, Sequence[int]]],
    *,
    silent: ToolSet,
    inapplicable: ToolSet,
    number: int,
) -> FactColumn:
    """The column of an attribute with the places that state each value."""
    stating = set_of((place for _, found in stated for place in found), number)
    if attribute.kind in KINDS_WITH_LIMITS:
        values = {place: cast(Ordered, value) for value, found in stated for place in found}
        return FactColumn(attribute, stating, silent, inapplicable, {}, values)
    sets: dict[str, ToolSet] = {choice: 0 for choice, _ in choices_of(attribute)}
    if sets:
        for value, found in stated:
            for choice in _choices(value):
                sets[choice] = sets.get(choice, 0) | set_of(found, number)
    return FactColumn(attribute, stating, silent, inapplicable, sets, {})


def _choices(value: object) -> Sequence[str]:
    """The choices in a column of a fact."""
    if isinstance(value, str):
        return value.strip("\n").split("\n")
    return ("yes",) if value else ("no",)
