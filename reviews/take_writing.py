"""The function that writes takes, for every form, file and restore."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError

from reviews.models import Reviewer, Take, TakeChange
from reviews.take_changes import judgement, take_change, was_public
from shipskip.editing.bulk_saves import Save, insert_rows, update_rows
from shipskip.editing.row_locks import hold, locked
from shipskip.web.publishing import withdrawal
from shipskip.web.text import has_visible_text
from tools.fact_writing import Fields, lock_tools, set_fields
from tools.models import Tool
from tools.models.public_record import SLIP, slips

CONTENT = {"score", "verdict", "basis", "because", "body"}
"""The fields whose change counts as a check."""
_MAX_NOTE = 500


@dataclass(frozen=True)
class TakeEdit:
    """New values of the take of a reviewer on a tool (primary keys), which is created if it is
    missing.
    """

    tool: int
    reviewer: int
    fields: Fields
    reason: str = ""
    """Why it changes, for its history and, if readers could see the judgement, for them."""
    is_new: bool = False
    """Whether it must be missing; if somebody else has created it, IntegrityError is raised."""


def write_takes(edits: Sequence[TakeEdit], save: Save, reason: str = "") -> list[Take]:
    """Create and change takes, in a transaction, with histories and the public record; return them.

    `reason` is for readers where an edit has none. The number of queries does not depend on the
    number of edits.
    """
    tools = {tool.pk: tool for tool in lock_tools({edit.tool for edit in edits})}
    rows = Take.objects.filter(tool__in=tools, reviewer__in={edit.reviewer for edit in edits})
    takes = {(take.tool_id, take.reviewer_id): take for take in locked(rows.order_by("pk"))}
    new = {(edit.tool, edit.reviewer) for edit in edits} - takes.keys()
    if new:
        hold(Reviewer.objects.all(), {reviewer for _, reviewer in new})
    deleted = deleted_in_public(new, tools) if new else {}
    written: list[Take] = []
    created: list[Take] = []
    changed: list[tuple[Take, Collection[str]]] = []
    of_created: dict[int, str] = {}
    of_changed: dict[int, str] = {}
    record: list[TakeChange] = []
    for edit in edits:
        key = edit.tool, edit.reviewer
        take, before = takes.get(key), deleted.get(key)
        if take and edit.is_new:
            raise IntegrityError("Somebody else has created this take.")
        if take is None:
            fields: dict[str, object] = {"withdrawn_at": before.withdrawn_at} if before else {}
            fields |= {"tool_id": edit.tool, "reviewer_id": edit.reviewer}
            take = Take(**{**fields, **edit.fields})
            seen = judgement(before) if before else None
            names: set[str] = set()
        else:
            is_seen = edit.tool not in save.published_now
            is_seen = is_seen and was_public(take, tools[edit.tool], save.now)
            seen = judgement(take) if is_seen else None
            names = _set_fields(take, edit.fields, save)
        written.append(take)
        on_record = seen is not None and seen != judgement(take)
        why = edit.reason if has_visible_text(edit.reason) or not on_record else reason
        note = ": ".join(filter(None, [save.note, why]))[:_MAX_NOTE]
        if seen is not None and on_record:
            record.append(take_change(take, seen, why, save.now))
        if key not in takes:
            of_created[len(created)] = note
            created.append(take)
        elif names:
            of_changed[take.pk] = note
            changed.append((take, names))
    update_rows(changed, save, of_changed)
    insert_rows(created, save, of_created)
    TakeChange.objects.bulk_create(_without_undone_slips(record, save.now))
    return written


def _without_undone_slips(record: Sequence[TakeChange], now: datetime) -> list[TakeChange]:
    """The changes that are new lines of the record. One that undoes a slip is none: the line of the
    slip says when it ended. A query, and one that writes.
    """
    if not record:
        return []
    rows = TakeChange.objects.filter(
        tool__in={change.tool_id for change in record}, at__gt=now - SLIP, undone_at=None
    )
    recent: dict[tuple[int, int], list[TakeChange]] = {}
    for row in rows.order_by("at", "pk"):
        recent.setdefault((row.tool_id, row.reviewer_id), []).append(row)
    new, undone = [], []
    for change in record:
        own = recent.get((change.tool_id, change.reviewer_id), [])
        again = [change.score_after, change.verdict_after]
        ended = slips(own, again, ["score_before", "verdict_before"])
        undone += [row.pk for row in ended]
        new += [] if ended else [change]
    if undone:
        TakeChange.objects.filter(pk__in=undone).update(undone_at=now)
    return new


def _set_fields(take: Take, fields: Fields, save: Save) -> set[str]:
    """Set these fields and those that follow from them; return the names of all that differed."""
    before = take.published_at
    names = set(set_fields(take, fields))
    if names & CONTENT and "checked_at" not in fields:
        take.checked_at = save.now
        names.add("checked_at")
    if withdrawal(before, take.published_at, save.now):
        names.update(take.record_withdrawal(save.now))
    return names


def deleted_in_public(
    keys: Collection[tuple[int, int]], tools: Mapping[int, Tool]
) -> dict[tuple[int, int], Take]:
    """For takes that are missing: the latest of those that were deleted after readers could see
    them; one query. `tools` are theirs, by primary key.
    """
    gone = Take.everything.deleted_after_publication().filter(
        tool__in={tool for tool, _ in keys if tool in tools}
    )
    found: dict[tuple[int, int], Take] = {}
    for take in gone.order_by("deleted_at", "pk").defer("body"):
        key, when = (take.tool_id, take.reviewer_id), take.deleted_at
        if when and key in keys and was_public(take, tools[take.tool_id], when):
            found[key] = take
    return found
