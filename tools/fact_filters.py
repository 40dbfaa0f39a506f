"""Lists of tools by what they state: filtered, sorted, and how many do not state it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TypeVar

from django.db.models import Count, Q

from tools.fact_sheet import within_sentence
from tools.fact_values import Better, Kind
from tools.models import VALUE_COLUMNS, Attribute, Fact, FactQuerySet, Tool, ToolQuerySet

T = TypeVar("T", bound=ToolQuerySet)


@dataclass(frozen=True)
class FactFilter:
    """What a reader asks of one attribute; without a condition, that it is stated."""

    attribute: Attribute
    choice: str = ""
    """`yes`, `no`, or one of the attribute's choices."""
    least: Decimal | date | None = None
    most: Decimal | date | None = None

    def facts(self) -> FactQuerySet:
        """The facts that meet it."""
        facts = Fact.objects.stating(self.attribute)
        if self.choice and self.attribute.kind == Kind.YES_NO:
            return facts.saying(yes=self.choice == "yes")
        if self.choice:
            return facts.with_choice(self.choice)
        return facts.between(VALUE_COLUMNS[Kind(self.attribute.kind)], self.least, self.most)


def that_state(tools: T, filters: Sequence[FactFilter]) -> T:
    """Those of the tools that meet every filter."""
    for each in filters:
        tools = tools.among(each.facts().tools())
    return tools


def in_order_of(tools: T, attribute: Attribute) -> T:
    """The tools that state an attribute, sorted by it: the best first, where one is better, else
    the greatest or latest.
    """
    column = VALUE_COLUMNS[Kind(attribute.kind)]
    return tools.by_fact(attribute.pk, column, descending=attribute.better != Better.LOWER)


def left_out(tools: ToolQuerySet, attributes: Sequence[Attribute]) -> str:
    """How many of the tools do not state each of these attributes, as a sentence; empty where all
    do. One query.
    """
    counts = {
        f"count_{row.pk}": Count("pk", filter=~Q(pk__in=Fact.objects.stating(row).tools()))
        for row in attributes
    }
    found = tools.order_by().aggregate(**counts) if counts else {}
    parts = []
    for row in attributes:
        if number := found[f"count_{row.pk}"]:
            what = "it" if len(attributes) == 1 else f"“{within_sentence(row.name)}”"
            parts.append(f"{number:,} {_tools_do(number)} not state {what}")
    return f"{', '.join(parts)}." if parts else ""


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


def _tools_do(number: int) -> str:
    return "tool does" if number == 1 else "tools do"
