"""Bulk write of facts, with their histories and the public record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TypeAlias

from django.contrib.auth.models import User
from simple_history.utils import bulk_create_with_history, bulk_update_with_history

from shipskip.editing.row_locks import locked
from tools.fact_changes import record_changes, stated_facts
from tools.fact_values import FactAnswer
from tools.models import Attribute, Fact, Tool

FactKey: TypeAlias = tuple[int, int]
"""The primary keys of a fact's tool and attribute."""

_FIELDS = [
    *("kind", "applies", "number", "yes_no", "text", "date"),
    *("note", "source", "checked_on"),
]


@dataclass(frozen=True)
class FactEdit:
    """An edit of a fact: its new answer, None to remove it, and the new values of `note`, `source`
    and `checked_on` if they change.
    """

    answer: FactAnswer | None
    fields: Mapping[str, str | date | None] = field(default_factory=dict)


def lock_tools(keys: Sequence[int]) -> list[Tool]:
    """Read these tools with their categories, with row locks until the transaction ends; always
    lock tools before their facts.
    """
    tools = Tool.objects.filter(pk__in=keys).order_by("pk").select_related("category")
    return list(locked(tools))


def write_facts(
    edits: Mapping[FactKey, FactEdit],
    attributes: Mapping[int, Attribute],
    editor: User | None,
    now: datetime,
    reason: str = "",
) -> None:
    """Apply edits of facts, and write their histories, with the editor, and the public record.
    `attributes` are those of the facts, by primary key; the caller must have locked the tools.

    The number of queries depends on the number of removed facts, not on that of the edits.
    """
    tools = {tool for tool, _ in edits}
    before = stated_facts(tools)
    rows = Fact.objects.filter(tool__in=tools, attribute__in={key for _, key in edits})
    facts = {(fact.tool_id, fact.attribute_id): fact for fact in locked(rows.order_by("pk"))}
    created: list[Fact] = []
    changed: list[Fact] = []
    for (tool, key), edit in edits.items():
        fact = facts.get((tool, key))
        if edit.answer is None:
            if fact:
                fact.changed_by(editor, reason or None)
                fact.delete()
            continue
        (changed if fact else created).append(fact := fact or Fact(tool_id=tool))
        fact.attribute = attributes[key]
        _set(fact, edit, edit.answer)
    how = {"default_user": editor, "default_change_reason": reason, "default_date": now}
    bulk_create_with_history(created, Fact, **how)
    bulk_update_with_history(changed, Fact, _FIELDS, **how)
    record_changes(before, now)


def _set(fact: Fact, edit: FactEdit, answer: FactAnswer) -> None:
    fact.set_value(answer.value)
    fact.applies = answer.applies
    for name, value in edit.fields.items():
        setattr(fact, name, value)
