"""Merge rows of a document into a table: compare, write, and add history versions."""

import itertools
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import models
from simple_history.utils import get_history_manager_for_model

from comparisons.models import Comparison
from reviews.models import Take, TakeChange
from reviews.take_changes import Judgement, judgement, take_change, unfinished, was_public
from shipskip.catalogue.batches import Batch, K, M
from shipskip.catalogue.bulk_rows import CHUNK, add_versions, delete
from shipskip.catalogue.change_log import ChangeLog, FieldChange, LoadContext, RowChange
from shipskip.catalogue.faults import Fault, SiteChangedError
from shipskip.web.publishing import Publishable, withdrawal
from shipskip.web.text import has_visible_text
from tools.fact_changes import Stated, record_changes, stated_facts
from tools.models import Fact, Plan, Tool

_LAST_VERSION = (
    *("tool_id", "reviewer_id", "score", "verdict", "published_at", "withdrawn_at"),
    *("history_type", "history_date"),
)
_MAX_REASON = 100
"""The maximum length of a history's change reason."""


class Merger:
    """Merge batches under one load context, and add each change to the change log.

    A dry run only reads; the rows that it would create get negative keys.
    """

    def __init__(self, load_context: LoadContext, change_log: ChangeLog, *, dry_run: bool) -> None:
        self._load_context = load_context
        self._change_log = change_log
        self._dry_run = dry_run
        self._placeholder_keys = itertools.count(-1, -1)
        self.faults: list[Fault] = []
        """Takes that are not drafts and would lack score or verdict; after one, write nothing."""

    def merge(self, batch: Batch[M, K]) -> None:
        """Change the table so that it matches the batch.

        One query reads the rows, one locks those that differ, one writes each changed field, and
        the others create rows and write the histories.
        """
        outdated: dict[K, int] = {}
        gone: list[int] = []
        for old in batch.stored.order_by().iterator(chunk_size=CHUNK):
            key = batch.key_of(old)
            if key not in batch.wanted:
                if batch.is_removed(old):
                    gone.append(old.pk)
                continue
            batch.pks[key] = old.pk
            if isinstance(old, Tool):
                batch.before[old.pk] = old
            if batch.differing(old, key):
                outdated[key] = old.pk
        # In the order of the document, so that two loads of it have equal change lists.
        keys = [key for key in batch.wanted if key in outdated]
        locked = self._lock_rows(batch, [outdated[key] for key in keys])
        removed = self._lock_rows(batch, gone)
        before = self._stated(batch, [*locked, *removed])
        self._remove(batch, removed)
        self._change(batch, dict(zip(keys, locked, strict=True)))
        batch.count.left_alone += len(batch.pks) - len(batch.all_changed)
        self._create(batch)
        if before:
            record_changes(before, self._load_context.now)

    def add_former_slugs(self, name: str, slugs: list[str]) -> None:
        """Add the new earlier slugs of a tool that existed before."""
        added = FieldChange("former_slugs", None, slugs)
        self._change_log.add(RowChange("tools", name, (added,)))

    def overrule_entry(self, name: str, given: str, follows: str) -> None:
        """Report an entry price that contradicts the tool's plans."""
        change = FieldChange("entry", given, follows)
        self._change_log.overrule(RowChange("tools", name, (change,)))

    def add_place_change(self, name: str, before: int, after: int) -> None:
        """Add the new place of a featured comparison among those of the document."""
        move = FieldChange("place among the featured", before, after)
        self._change_log.add(RowChange("comparisons", name, (move,)))

    def _lock_rows(self, batch: Batch[M, K], pks: list[int]) -> list[M]:
        """Read these rows again, in full and in this order, with row locks until the load is done.

        So the comparison includes changes since the first read, and does not overwrite them.
        """
        if not pks:
            return []
        rows = batch.stored.model._default_manager.order_by("pk")
        if not self._dry_run:
            rows = rows.select_for_update(no_key=True)
        found = rows.in_bulk(pks)
        if len(found) < len(pks):
            raise SiteChangedError(f"some of the {batch.kind} were deleted during the load")
        return [found[pk] for pk in pks]

    def _stated(self, batch: Batch[M, K], rows: Sequence[M]) -> Stated:
        """The facts and plans of these rows' tools that readers could see."""
        keys = {row.tool_id for row in rows if isinstance(row, (Fact, Plan))}
        known = {key for key in keys if batch.tools[key].has_been_public(self._load_context.now)}
        return stated_facts(known) if known and not self._dry_run else {}

    def _remove(self, batch: Batch[M, K], rows: list[M]) -> None:
        """Delete these rows, with a last version in their histories."""
        for row in rows:
            self._change_log.add(batch.removal(row))
        batch.count.removed += len(rows)
        if self._dry_run or not rows:
            return
        pks = [row.pk for row in rows]
        add_versions(batch.stored.model, pks, "-", self._load_context)
        delete(batch.stored.model, pks)

    def _change(self, batch: Batch[M, K], locked: Mapping[K, M]) -> None:
        """Write the fields in which these rows differ, and the fields that depend on them."""
        columns: dict[str, list[M]] = {}
        record: list[TakeChange] = []
        changed: list[M] = []
        for key, row in locked.items():
            names = batch.differing(row, key)
            if not names:
                continue
            change = self._row_change(batch, row, key, names)
            self._change_log.add(change)
            before = judgement(row) if isinstance(row, Take) else None
            for name in names:
                setattr(row, name, batch.wanted[key][name])
            names += _set_dependent_fields(row, names, change, self._load_context.now)
            for name in names:
                columns.setdefault(name, []).append(row)
                batch.changed.setdefault(name, set()).add(row.pk)
            if self._is_unfinished(batch, row, key):
                continue
            if before and change.on_record and isinstance(row, Take):
                record.append(self._record_entry(batch, row, key, before))
            changed.append(row)
        for name, rows in [] if self._dry_run else sorted(columns.items()):
            batch.stored.model._default_manager.bulk_update(rows, [name])
        batch.count.changed += len(changed)
        self._write_history(batch, changed, record, created=False)

    def _is_unfinished(self, batch: Batch[M, K], row: M, key: K) -> bool:
        """Whether a take that is not a draft lacks score or verdict; after one, only read."""
        if not isinstance(row, Take) or (row.published_at is None and row.withdrawn_at is None):
            return False
        lacking = unfinished(row.score, row.verdict)
        why = "is missing or empty; only a draft that was never public can be without it"
        self.faults += [Fault(batch.place_of(key, name), why) for name in lacking]
        self._dry_run = self._dry_run or bool(lacking)
        return bool(lacking)

    def _row_change(self, batch: Batch[M, K], row: M, key: K, names: list[str]) -> RowChange:
        """The change of a row that is about to be written."""
        wanted, now = batch.wanted[key], self._load_context.now
        on_record = (
            isinstance(row, Take)
            and not {"score", "verdict"}.isdisjoint(names)
            and was_public(row, batch.tools[row.tool_id], now)
        )
        withdrawn = (
            isinstance(row, Publishable)
            and "published_at" in names
            and withdrawal(row.published_at, wanted["published_at"], now)
        )
        name, changes = batch.name_of(key), batch.field_changes(row, key, names)
        return RowChange(batch.kind, name, changes, on_record=on_record, withdrawn=withdrawn)

    def _record_entry(
        self, batch: Batch[M, K], take: Take, key: K, before: Judgement
    ) -> TakeChange:
        """The entry on the public record; its reason is also stored in the take's history."""
        reasons = batch.reasons.get(key, ""), self._load_context.reason
        reason = next(filter(has_visible_text, reasons), "")
        if not reason:
            batch.unexplained.append(key)
        take._change_reason = f"{self._load_context.history_note}: {reason}"[:_MAX_REASON]
        return take_change(take, before, reason, self._load_context.now)

    def _create(self, batch: Batch[M, K]) -> None:
        """Create the missing rows."""
        model = batch.stored.model
        keys = [key for key in batch.wanted if key not in batch.pks]
        made = [model(**batch.wanted[key]) for key in keys]
        new = zip(keys, made, strict=True)
        takes = {key: row for key, row in new if isinstance(row, Take)}
        known = _deleted_in_public(takes, batch.tools)
        for key, take in known.items():  # so that a later change needs a reason
            takes[key].withdrawn_at = take.withdrawn_at
        faulty = {key for key, row in takes.items() if self._is_unfinished(batch, row, key)}
        if self._dry_run:
            for row in made:
                row.pk = next(self._placeholder_keys)
        else:
            made = model._default_manager.bulk_create(made)
        record: list[TakeChange] = []
        for key, row in zip(keys, made, strict=True):
            batch.pks[key] = row.pk
            batch.created.add(row.pk)
            before = None
            if isinstance(row, Take) and key in known and key not in faulty:
                before = judgement(known[key])
                if before == judgement(row):
                    before = None
                else:
                    record.append(self._record_entry(batch, row, key, before))
            self._change_log.add(batch.creation(key, before))
        batch.count.created += len(made)
        self._write_history(batch, made, record, created=True)

    def _write_history(
        self, batch: Batch[M, K], rows: list[M], record: list[TakeChange], *, created: bool
    ) -> None:
        """Add versions of these rows to their histories, and entries to the public record."""
        if self._dry_run or not rows:
            return
        TakeChange.objects.bulk_create(record)
        if created and issubclass(batch.stored.model, (Fact, Plan)):
            add_versions(batch.stored.model, [row.pk for row in rows], "+", self._load_context)
            return
        get_history_manager_for_model(batch.stored.model).bulk_history_create(
            rows,
            update=not created,
            default_user=self._load_context.user,
            default_change_reason=self._load_context.history_note,
            default_date=self._load_context.now,
        )


def _deleted_in_public(takes: Mapping[K, Take], tools: Mapping[int, Tool]) -> dict[K, Take]:
    """For new takes that replace deleted public ones: the last versions of those, as withdrawn
    takes; one query. `tools` are the tools that existed before the load.
    """
    takes = {key: take for key, take in takes.items() if take.tool_id in tools}
    if not takes:
        return {}
    past = Take.history.filter(tool__in={take.tool_id for take in takes.values()})
    rows = past.order_by("history_id").values(*_LAST_VERSION).iterator()
    last = {(row["tool_id"], row["reviewer_id"]): row for row in rows}
    found: dict[K, Take] = {}
    for key, take in takes.items():
        row = last.get((take.tool_id, take.reviewer_id), {})
        if row.pop("history_type", "") == "-":
            when, before = row.pop("history_date"), Take(**row)
            if was_public(before, tools[take.tool_id], when):
                if before.state(when) == "public":
                    before.withdrawn_at = when
                found[key] = before
    return found


def _set_dependent_fields(
    row: models.Model, names: list[str], change: RowChange, now: datetime
) -> list[str]:
    """Set derived fields, which no document has but a change affects; return their names."""
    found = []
    if change.withdrawn and isinstance(row, Publishable):
        found += row.record_withdrawal(now)
    if isinstance(row, Take):
        row.checked_at = now
        found.append("checked_at")
    if isinstance(row, Comparison) and "featured" in names and not row.featured:
        row.position = None
        found.append("position")
    return found
