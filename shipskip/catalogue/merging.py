"""Merges rows of a document into a table: compares, writes, and adds histories."""

import itertools
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from operator import eq
from typing import Generic, TypeVar

from django.db import models
from simple_history.utils import get_history_manager_for_model

from comparisons.models import Comparison
from reviews.models import Take, TakeChange
from reviews.take_changes import Judgement, judgement, take_change, unfinished, was_public
from shipskip.catalogue.changes import ChangeLog, FieldChange, LoadContext, RowChange, RowCounts
from shipskip.catalogue.faults import Fault, SiteChangedError
from shipskip.catalogue.schema import Row
from shipskip.web.publishing import Publishable, withdrawal
from shipskip.web.text import has_visible_text
from tools.models import Tool

CHUNK = 500

_KEYS = {"published_at": "published", "category_id": "category", "tool_ids": "tools"}
_LISTED_KEYS = ("score", "verdict", "published")
"""The keys of a new row that the change log lists."""
_LAST_VERSION = (
    *("tool_id", "reviewer_id", "score", "verdict", "published_at", "withdrawn_at"),
    *("history_type", "history_date"),
)
_MAX_REASON = 100
"""The maximum length of a history's change reason."""

M = TypeVar("M", bound=Publishable)
K = TypeVar("K", bound=Hashable)


@dataclass
class Batch(Generic[M, K]):
    """Some rows of one kind: the stored ones, the wanted ones, and the key that matches both.

    `name_of` gives the name of a key, `slugs` the names of the rows it refers to, `equal` compares
    a stored value with a wanted one. For takes, `tools` are their tools as they were before this
    load, `reasons` the reasons for public changes, by key, and `place_of` the place of a field in
    the file.
    """

    kind: str
    stored: "models.QuerySet[M]"
    wanted: Mapping[K, Row]
    key_of: Callable[[M], K]
    name_of: Callable[[K], str]
    count: RowCounts
    slugs: Mapping[int, str] = field(default_factory=dict)
    equal: Callable[[object, object], bool] = eq
    tools: Mapping[int, Tool] = field(default_factory=dict)
    reasons: Mapping[K, str] = field(default_factory=dict)
    place_of: Callable[[K, str], str] = lambda key, name: f"{key}, {name}"

    pks: dict[K, int] = field(default_factory=dict)
    """The primary keys of all wanted rows, once they are merged."""
    before: dict[int, Tool] = field(default_factory=dict)
    """The rows as they were before, if they are tools."""
    created: set[int] = field(default_factory=set)
    changed: dict[str, set[int]] = field(default_factory=dict)
    """The primary keys of the changed rows, by field."""
    unexplained: list[K] = field(default_factory=list)
    """The keys of takes whose public score or verdict changed without a reason."""

    @property
    def all_changed(self) -> set[int]:
        """The primary keys of all changed rows."""
        return set().union(*self.changed.values())

    def differing(self, row: M, key: K) -> list[str]:
        """The fields in which a row differs from the wanted one."""
        wanted = self.wanted[key]
        return [name for name in wanted if not self.equal(getattr(row, name), wanted[name])]

    def as_in_document(self, name: str, value: object) -> object:
        """The value of a field as in a document: slugs for keys."""
        if name.endswith("_id") and isinstance(value, int):
            return self.slugs.get(value, value)
        if name == "verdict":
            return value or None
        if name == "tool_ids" and isinstance(value, list):
            return [self.slugs[key] for key in value]
        if name == "choose_if" and isinstance(value, dict):
            return sorted(f"{self.slugs[int(key)]}: {text}" for key, text in value.items())
        return value


class Merger:
    """Merges batches under one load context, and adds each change to the change log.

    A dry run only reads; the rows that it would create get negative keys.
    """

    def __init__(self, load_context: LoadContext, change_log: ChangeLog, *, dry_run: bool) -> None:
        self._load_context = load_context
        self._change_log = change_log
        self._dry_run = dry_run
        self._placeholder_keys = itertools.count(-1, -1)
        self.faults: list[Fault] = []
        """Takes that are no drafts and would lack score or verdict; nothing more is written."""

    def merge(self, batch: Batch[M, K]) -> None:
        """Make the table match the batch.

        One query reads, one locks the rows that differ, one for each changed field writes, and
        the others create rows and write the histories.
        """
        outdated: dict[K, int] = {}
        for old in batch.stored.order_by().iterator(chunk_size=CHUNK):
            key = batch.key_of(old)
            if key not in batch.wanted:
                continue
            batch.pks[key] = old.pk
            if isinstance(old, Tool):
                batch.before[old.pk] = old
            if batch.differing(old, key):
                outdated[key] = old.pk
        # In the order of the document, so that two loads of it list the same.
        keys = [key for key in batch.wanted if key in outdated]
        locked = self._lock_rows(batch, [outdated[key] for key in keys])
        self._change(batch, dict(zip(keys, locked, strict=True)))
        batch.count.left_alone += len(batch.pks) - len(batch.all_changed)
        self._create(batch)

    def add_place_change(self, name: str, before: int, after: int) -> None:
        """Add the new place of a featured comparison among those of the document."""
        move = FieldChange("place among the featured", before, after)
        self._change_log.add(RowChange("comparisons", name, (move,)))

    def _lock_rows(self, batch: Batch[M, K], pks: list[int]) -> list[M]:
        """These rows in full and in this order, locked until the load is done.

        A change since the first read is compared with, not overwritten.
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
        """Whether a take that is no draft lacks score or verdict; from then on only read."""
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
        field_changes = [
            FieldChange(
                _KEYS.get(name, name),
                batch.as_in_document(name, getattr(row, name)),
                batch.as_in_document(name, wanted[name]),
            )
            for name in names
        ]
        on_record = (
            isinstance(row, Take)
            and not {"score", "verdict"}.isdisjoint(names)
            and was_public(row, batch.tools[row.tool_id], now)
        )
        withdrawn = "published_at" in names and withdrawal(
            row.published_at, wanted["published_at"], now
        )
        name = batch.name_of(key)
        return RowChange(
            batch.kind, name, tuple(field_changes), on_record=on_record, withdrawn=withdrawn
        )

    def _record_entry(
        self, batch: Batch[M, K], take: Take, key: K, before: Judgement
    ) -> TakeChange:
        """The entry on the public record; the reason goes into the take's history too."""
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
            self._change_log.add(_new_row_change(batch, key, before))
        batch.count.created += len(made)
        self._write_history(batch, made, record, created=True)

    def _write_history(
        self, batch: Batch[M, K], rows: list[M], record: list[TakeChange], *, created: bool
    ) -> None:
        """Add versions of these rows to their histories, and entries to the public record."""
        if self._dry_run or not rows:
            return
        TakeChange.objects.bulk_create(record)
        get_history_manager_for_model(batch.stored.model).bulk_history_create(
            rows,
            update=not created,
            default_user=self._load_context.user,
            default_change_reason=self._load_context.history_note,
            default_date=self._load_context.now,
        )


def _deleted_in_public(takes: Mapping[K, Take], tools: Mapping[int, Tool]) -> dict[K, Take]:
    """The earlier versions, as withdrawn takes, of new takes that were deleted after readers could
    see them; one query. `tools` are those that existed before.
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


def _new_row_change(batch: Batch[M, K], key: K, before: Judgement | None) -> RowChange:
    """The change for a new row.

    `before` is the public judgement of a deleted take, if this one differs from it.
    """
    row = {
        _KEYS.get(name, name): batch.as_in_document(name, value)
        for name, value in batch.wanted[key].items()
        if name not in ("tool_id", "reviewer_id", "tool_ids")
    }
    old = dict(zip(("score", "verdict"), before or (), strict=False))
    field_changes = tuple(
        FieldChange(name, old.get(name), row[name]) for name in _LISTED_KEYS if name in row
    )
    name, rest = batch.name_of(key), tuple(row.items())
    return RowChange(batch.kind, name, field_changes, rest, created=True, on_record=bool(before))


def _set_dependent_fields(
    row: Publishable, names: list[str], change: RowChange, now: datetime
) -> list[str]:
    """Set the fields that are in no document but follow from a change; returns their names."""
    found = []
    if change.withdrawn:
        found += row.record_withdrawal(now)
    if isinstance(row, Take):
        row.checked_at = now
        found.append("checked_at")
    if isinstance(row, Comparison) and "featured" in names and not row.featured:
        row.position = None
        found.append("position")
    return found
