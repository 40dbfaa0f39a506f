"""The functions that write facts and plans, for every form, file and restore."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

from django.db import IntegrityError
from django.db.models import CharField, Model, Value
from django.db.models.functions import Cast, Concat

from shipskip.editing.bulk_saves import Save, delete_rows, insert_rows, update_rows
from shipskip.editing.row_locks import locked
from tools.fact_changes import record_changes, stated_facts
from tools.fact_values import FactAnswer
from tools.models import Fact, Plan, Tool, columns_of

FactKey: TypeAlias = tuple[int, int]
"""The primary keys of a fact's tool and attribute."""
Fields: TypeAlias = Mapping[str, object]
"""New values of model fields, by name."""

PLAN_KEY = ("name", "currency", "per")
"""The fields that are unique together among the plans of a tool."""


@dataclass(frozen=True)
class FactEdit:
    """New values of the fact with this key, which is created if it is missing; None removes it."""

    key: FactKey
    fields: Fields | None
    note: str = ""
    """The note in its history, if it is not that of the save."""
    is_new: bool = False
    """Whether it must be missing; if somebody else has created it, IntegrityError is raised."""


@dataclass(frozen=True)
class PlanEdit:
    """New values of a plan of a tool; without a primary key it is a new one, None removes it."""

    tool: int
    plan: int | None
    fields: Fields | None


def answer_fields(answer: FactAnswer, kind: str) -> dict[str, object]:
    """The fields of a fact that contain its answer to a question of this kind."""
    return {"kind": kind, "applies": answer.applies, **columns_of(answer.value)}


def lock_tools(keys: Collection[int]) -> list[Tool]:
    """Read these tools with their categories, with row locks until the transaction ends; always
    lock tools before their facts, plans and takes.
    """
    tools = Tool.everything.filter(pk__in=keys).order_by("pk").select_related("category")
    return list(locked(tools))


def write_facts(edits: Sequence[FactEdit], save: Save) -> None:
    """Create, change and remove facts, in a transaction, with histories and the public record.

    The number of queries does not depend on the number of edits.
    """
    tools = {edit.key[0] for edit in edits}
    seen = _seen(lock_tools(tools), save)
    rows = Fact.objects.filter(tool__in=tools, attribute__in={edit.key[1] for edit in edits})
    facts = {(fact.tool_id, fact.attribute_id): fact for fact in locked(rows.order_by("pk"))}
    before = stated_facts(seen)
    created: list[Fact] = []
    changed: list[tuple[Fact, list[str]]] = []
    removed: list[int] = []
    notes: dict[int, str] = {}
    for edit in edits:
        fact = facts.get(edit.key)
        if fact is None:
            if edit.fields is not None:
                tool, attribute = edit.key
                created.append(Fact(tool_id=tool, attribute_id=attribute, **edit.fields))
            continue
        if edit.is_new:
            raise IntegrityError("Somebody else has created this fact.")
        if edit.note:
            notes[fact.pk] = edit.note
        if edit.fields is None:
            removed.append(fact.pk)
        elif names := set_fields(fact, _confirming(edit.fields)):
            changed.append((fact, names))
    delete_rows(Fact, removed, save, notes)
    update_rows(changed, save, notes)
    insert_rows(created, save)
    record_changes(before, save.now)


def write_plans(edits: Sequence[PlanEdit], save: Save) -> None:
    """Create, change and remove plans, in a transaction, with histories and the public record, and
    derive the entry prices of their tools.
    """
    tools = {tool.pk: tool for tool in lock_tools({edit.tool for edit in edits})}
    keys = [edit.plan for edit in edits if edit.plan is not None]
    plans = {plan.pk: plan for plan in locked(Plan.objects.filter(pk__in=keys).order_by("pk"))}
    before = stated_facts(_seen(tools.values(), save))
    created: list[Plan] = []
    changed: list[tuple[Plan, list[str]]] = []
    removed: list[int] = []
    for edit in edits:
        plan = plans.get(edit.plan or 0)
        if plan is None:
            if edit.fields is not None:
                created.append(Plan(tool_id=edit.tool, **edit.fields))
        elif edit.fields is None:
            removed.append(plan.pk)
        elif names := set_fields(plan, _confirming(edit.fields)):
            changed.append((plan, names))
    delete_rows(Plan, removed, save)
    _free_names(changed)
    update_rows(changed, save)
    insert_rows(created, save)
    _follow_plans(tools, save)
    record_changes(before, save.now)


def confirm_imported(tools: Sequence[Tool], save: Save, today: date) -> tuple[int, int]:
    """Confirm all facts and plans of these tools that are from open data, as checked today, in a
    transaction; return their numbers.
    """
    lock_tools([tool.pk for tool in tools])
    confirmed: Fields = {"unconfirmed": False, "checked_on": today}
    facts = [
        FactEdit((fact.tool_id, fact.attribute_id), confirmed)
        for fact in Fact.objects.on(tools).unconfirmed()
    ]
    plans = [
        PlanEdit(plan.tool_id, plan.pk, confirmed) for plan in Plan.objects.on(tools).unconfirmed()
    ]
    write_facts(facts, save)
    write_plans(plans, save)
    return len(facts), len(plans)


def _seen(tools: Collection[Tool], save: Save) -> set[int]:
    """Those of these tools that readers could see before the save."""
    known = {tool.pk for tool in tools if tool.has_been_public(save.now)}
    return known - set(save.published_now)


def _confirming(fields: Fields) -> Fields:
    """The fields of an edit, which confirms the row unless it says otherwise: only an import does,
    and a place among other plans confirms nothing.
    """
    if fields.keys() <= {"position"}:
        return fields
    return {"unconfirmed": False, **fields}


def set_fields(row: Model, fields: Fields) -> list[str]:
    """Set these fields; return the names of those that differed."""
    names = [name for name, value in fields.items() if getattr(row, name) != value]
    for name in names:
        setattr(row, name, fields[name])
    return names


def _free_names(changed: Sequence[tuple[Plan, list[str]]]) -> None:
    """Give plans whose name, currency or period changes a temporary unique name, so that two plans
    can swap names without violating the constraint.
    """
    moved = [(plan, names) for plan, names in changed if {*PLAN_KEY} & {*names}]
    for _, names in moved:
        if "name" not in names:
            names.append("name")
    name = Concat(Value("\n"), Cast("pk", CharField()))
    if moved:
        Plan.objects.filter(pk__in=[plan.pk for plan, _ in moved]).update(name=name)


def _follow_plans(tools: Mapping[int, Tool], save: Save) -> None:
    """Derive the entry prices of these tools from their plans, if they have any."""
    changed: list[tuple[Tool, list[str]]] = []
    notes: dict[int, str] = {}
    for pk, price in Plan.objects.entry_prices(tools.keys()).items():
        if tools[pk].entry != price:
            tools[pk].entry, notes[pk] = price, "Follows from its plans"
            changed.append((tools[pk], ["entry"]))
    update_rows(changed, save, notes)
