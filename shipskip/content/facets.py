"""Facets: the filters of a list, with a count for each choice and links that remove choices."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from shipskip.content.fact_filters import KINDS_WITH_LIMITS, choices_of
from shipskip.content.records import Attribute
from shipskip.web.filters import query_of
from shipskip.web.paging import Chosen
from tools.facet_groups import FacetChoice, FacetGroup, FacetLimit
from tools.fact_values import AttributeKind, in_words

EMPTY: Mapping[str, object] = {}


@dataclass(frozen=True)
class Chip:
    """A chosen value, and the address of the list without it."""

    label: str
    key: str
    address: str
    count: int = 0
    """How many tools match without this filter."""


@dataclass(frozen=True)
class Facets:
    """The filters of one list."""

    groups: Sequence[FacetGroup] = ()
    facts: Sequence[FacetGroup] = ()
    chips: Sequence[Chip] = ()
    suggested: Sequence[Chip] = field(default_factory=list)
    """If no tool matches: filters whose removal gives results."""

    @property
    def facts_chosen(self) -> int:
        """The number of attributes with an active filter."""
        return sum(group.is_chosen for group in self.facts)


Count = Callable[[str, str], int | None]
"""A function of query key and value: how many tools match if the filter has only this choice."""


def choice_group(
    key: str, label: str, choices: Sequence[tuple[str, str]], chosen: Chosen, count: Count
) -> FacetGroup:
    """A filter with choices."""
    found = [
        FacetChoice(value, name, value in (chosen[key] or ()), count(key, value))
        for value, name in choices
    ]
    return FacetGroup(key, label, found)


def fact_group(row: Attribute, key: str, chosen: Chosen, count: Count) -> FacetGroup | None:
    """The filter of an attribute; None for a text."""
    if row.kind in KINDS_WITH_LIMITS:
        is_date = row.kind == AttributeKind.DATE
        ends = (("min", "from", "at least"), ("max", "until", "at most"))
        limits = [
            FacetLimit(
                f"{key}.{end}",
                day if is_date else number,
                _plain(chosen[f"{key}.{end}"]),
                "date" if is_date else "number",
            )
            for end, day, number in ends
        ]
        unit = f" ({row.unit})" if row.unit else ""
        return FacetGroup(key, f"{row.name}{unit}", limits=limits)
    choices = choices_of(row)
    return choice_group(key, row.name, choices, chosen, count) if choices else None


def chips(
    groups: Sequence[FacetGroup],
    attributes: Mapping[str, Attribute],
    chosen: Chosen,
    categories: Mapping[str, int],
) -> list[Chip]:
    """A chip for each chosen value, in the order of the filters. `attributes` are those of the list
    by query key, `categories` the primary keys of all by slug: if a category is removed, the
    filters of attributes that only it has are removed too.
    """
    found = []
    if chosen.get("q"):
        found.append(Chip(f"“{chosen['q']}”", "q", address_without(chosen, ["q"])))
    for group in groups:
        row = attributes.get(group.key)
        for choice in group.choices:
            if choice.chosen:
                rest = [value for value in chosen[group.key] if value != choice.value]
                gone = (
                    _asked_nowhere(rest, attributes, categories) if group.key == "category" else []
                )
                label = f"{row.name}: {choice.label}" if row else choice.label
                found.append(
                    Chip(label, group.key, address_without(chosen, gone, {group.key: rest}))
                )
        for limit in group.limits:
            if row and limit.value:
                label = f"{row.name}: {limit.label} {in_words(chosen[limit.key], row.unit)}"
                found.append(Chip(label, group.key, address_without(chosen, [limit.key])))
    return found


def address_without(
    chosen: Chosen, keys: Iterable[str], changes: Mapping[str, object] = EMPTY
) -> str:
    """The address of the first page of the list without these query keys, and with changes."""
    found = query_of({**chosen, **dict.fromkeys(keys), **changes, "page": 1})
    return f"?{found}" if found else "."


def _asked_nowhere(
    slugs: Sequence[str], attributes: Mapping[str, Attribute], categories: Mapping[str, int]
) -> list[str]:
    """The query keys of attributes that apply to none of these categories."""
    left = {categories[slug] for slug in slugs}
    gone = [
        key
        for key, row in attributes.items()
        if row.category_ids and not left & set(row.category_ids)
    ]
    return [name for key in gone for name in keys_of(key)]


def keys_of(key: str) -> list[str]:
    """The query keys of a filter: its own, and those of its limits."""
    return [key, f"{key}.min", f"{key}.max"]


def _plain(value: object) -> str:
    """Format a number or date for a form field."""
    if value is None:
        return ""
    return value.isoformat() if isinstance(value, date) else f"{value:f}"
