"""The public record of facts and prices: what tools state, before and after a change."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import TypeAlias

from tools.models import Fact, FactChange, Plan, Tool

Stated: TypeAlias = Mapping[int, Mapping[str, str]]
"""For each tool, by primary key: its answers and prices in words, by question and plan."""


def stated_facts(tools: Collection[int]) -> Stated:
    """What these tools (primary keys) state now; two queries."""
    found: dict[int, dict[str, str]] = {key: {} for key in tools}
    for fact in Fact.objects.filter(tool__in=tools).select_related("attribute"):
        found[fact.tool_id][fact.attribute.name] = fact.words
    for plan in Plan.objects.filter(tool__in=tools):
        subject = f"{plan.name}, per {plan.per}, in {plan.currency}"
        found[plan.tool_id][subject] = plan.price
    return found


def record_changes(before: Stated, now: datetime) -> list[FactChange]:
    """Write an entry for each answer or price that differs from `before`, of tools that readers
    could see at `now` or earlier; return the entries. Three queries and a write.

    A first value is not a change, because readers saw no earlier one.
    """
    after = stated_facts(before.keys())
    tools = Tool.everything.in_bulk(list(before))
    entries = [
        FactChange(
            tool_id=key, subject=subject, before=old, after=after[key].get(subject, ""), at=now
        )
        for key, answers in before.items()
        if key in tools and tools[key].has_been_public(now)
        for subject, old in answers.items()
        if after[key].get(subject, "") != old
    ]
    return FactChange.objects.bulk_create(entries)
