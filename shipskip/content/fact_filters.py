"""Filters by facts, and the queries for the facts that match them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from tools.fact_values import AttributeKind
from tools.models import VALUE_COLUMNS, Attribute, Fact, Tool

FACT_PREFIX = "fact."
"""The prefix of attributes' query keys: `fact.self-hosted`, `fact.context-window.min`."""

KINDS_WITH_CHOICES = (AttributeKind.YES_NO, AttributeKind.CHOICE, AttributeKind.CHOICES)
KINDS_WITH_LIMITS = (AttributeKind.NUMBER, AttributeKind.DATE)
YES_NO = (("yes", "Yes"), ("no", "No"))

FactLimit = Decimal | date | None


@dataclass(frozen=True)
class FactFilter:
    """A reader's filter on one attribute: any of `choices`, or a value within limits."""

    attribute: Attribute
    choices: tuple[str, ...] = ()
    """`yes`, `no`, or some of the attribute's choices."""
    least: FactLimit = None
    most: FactLimit = None


def key_of(attribute: Attribute) -> str:
    """The query key of an attribute; the limits of a number or date add `.min` and `.max`."""
    return f"{FACT_PREFIX}{attribute.slug}"


def choices_of(attribute: Attribute) -> list[tuple[str, str]]:
    """The choices of an attribute, as value and label; none for other kinds."""
    if attribute.kind == AttributeKind.YES_NO:
        return list(YES_NO)
    return (
        [(each, each) for each in attribute.choices] if attribute.kind in KINDS_WITH_CHOICES else []
    )


def stated_choices(attributes: Iterable[Attribute]) -> Iterable[tuple[int, int, Sequence[str]]]:
    """Attribute, tool and choices of every fact that states a value of these attributes; a number,
    date or text has no choices. One query for each column that such values use.
    """
    columns: dict[str, list[int]] = {}
    for row in attributes:
        columns.setdefault(VALUE_COLUMNS[AttributeKind(row.kind)], []).append(row.pk)
    for column, keys in columns.items():
        facts = Fact.objects.stated(keys, column).order_by()
        if column in ("number", "date"):
            for attribute, tool in facts.values_list("attribute", "tool"):
                yield attribute, tool, ()
        else:
            for attribute, tool, value in facts.values_list("attribute", "tool", column):
                yield attribute, tool, _choices(value)


def _choices(value: bool | str) -> Sequence[str]:  # noqa: FBT001 - a column's value
    """The choices in a column of a fact."""
    if isinstance(value, str):
        return value.strip("\n").split("\n")
    return ("yes",) if value else ("no",)


def within_limits(filters: Sequence[FactFilter]) -> Iterable[tuple[int, int]]:
    """Attribute and tool of every fact within the limits that these filters set; one query."""
    limits = [(each.attribute, each.least, each.most) for each in filters]
    return Fact.objects.within_any(limits).order_by().values_list("attribute", "tool")


def statements(
    tools: Sequence[Tool], attributes: Sequence[Attribute]
) -> Mapping[str, Sequence[tuple[str, str]]]:
    """Name and value of these attributes, in order, for each tool by its slug; one query."""
    rows = Fact.objects.on(tools).answering(attributes)
    named = {row.pk: row for row in attributes}
    slugs = {tool.pk: tool.slug for tool in tools}
    found: dict[str, list[tuple[str, str]]] = {}
    for fact in rows:
        fact.attribute = named[fact.attribute_id]
        found.setdefault(slugs[fact.tool_id], []).append((fact.attribute.name, fact.words))
    return found
