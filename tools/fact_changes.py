"""The public record of statuses, facts and prices: what tools state, before and after a change."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import TypeAlias

from tools.models import Fact, FactChange, Plan, Tool
from tools.models.public_record import SLIP, slips
from tools.tool_status import recorded_status

Stated: TypeAlias = Mapping[int, Mapping[str, str]]
"""For each tool, by primary key: its status, answers and prices in words, by question and plan."""
STATUS = "Status"
ENTRY_PRICE = "Entry price"
RECORDED_FIELDS = {"status", "status_on", "entry"}
"""The fields of a tool whose changes go on the record."""


def plan_subject(name: str, per: str, currency: str) -> str:
    """What the record calls the price of a plan."""
    return f"{name}, per {per}, in {currency}"


def stated_facts(tools: Collection[int]) -> Stated:
    """What these tools (primary keys) state now; three queries."""
    found: dict[int, dict[str, str]] = {key: {} for key in tools}
    for tool in Tool.everything.filter(pk__in=tools).only(*RECORDED_FIELDS):
        found[tool.pk][STATUS] = recorded_status(tool.status, tool.status_on)
        found[tool.pk][ENTRY_PRICE] = tool.get_entry_display()
    for fact in Fact.objects.filter(tool__in=tools).select_related("attribute"):
        found[fact.tool_id][fact.attribute.name] = fact.words
    for plan in Plan.objects.filter(tool__in=tools):
        subject = plan_subject(plan.name, plan.per, plan.currency)
        found[plan.tool_id][subject] = plan.price
    return found


def record_changes(before: Stated, now: datetime) -> list[FactChange]:
    """Write an entry for each status, answer or price that differs from `before`, of tools that
    readers could see at `now` or earlier; return the entries. Six queries at most.

    A first value is not a change, because readers saw no earlier one. A value that is the earlier
    one again within `SLIP` ends the slip that it undoes, and is no new entry.
    """
    if not before:
        return []
    after = stated_facts(before.keys())
    undone = _end_slips(after, now)
    tools = Tool.everything.in_bulk(list(before))
    entries = [
        FactChange(
            tool_id=key, subject=subject, before=old, after=after[key].get(subject, ""), at=now
        )
        for key, answers in before.items()
        if key in tools and tools[key].has_been_public(now)
        for subject, old in answers.items()
        if after[key].get(subject, "") != old and (key, subject) not in undone
    ]
    return FactChange.objects.bulk_create(entries)


def _end_slips(after: Stated, now: datetime) -> set[tuple[int, str]]:
    """Mark the recent changes of these tools whose earlier value is stated again; return the tool
    and the subject of each. A query, and one that writes.
    """
    rows = FactChange.objects.filter(tool__in=after.keys(), at__gt=now - SLIP, undone_at=None)
    recent: dict[tuple[int, str], list[FactChange]] = {}
    for change in rows.order_by("at", "pk"):
        recent.setdefault((change.tool_id, change.subject), []).append(change)
    undone: dict[tuple[int, str], list[FactChange]] = {}
    for (key, subject), changes in recent.items():
        if ended := slips(changes, [after[key].get(subject, "")], ["before"]):
            undone[key, subject] = ended
    pks = [change.pk for changes in undone.values() for change in changes]
    if pks:
        FactChange.objects.filter(pk__in=pks).update(undone_at=now)
    return set(undone)
