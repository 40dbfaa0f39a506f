"""Rows as they are wanted, merged into a table: compared, written, and written down."""

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
from reviews.take_changes import Judgement, judgement, take_change, was_public
from shipskip.catalogue.changes import Change, Count, Difference, Journal, Signature
from shipskip.catalogue.faults import ConflictError
from shipskip.catalogue.schema import Row
from shipskip.web.publishing import Publishable, withdrawal
from shipskip.web.text import has_visible_text
from tools.models import Tool

CHUNK = 500

_KEYS = {"published_at": "published", "category_id": "category"}
_TELLING = ("score", "verdict", "published")
"""The keys of a new row that are told."""
_LAST = (
    *("tool_id", "reviewer_id", "score", "verdict", "published_at", "withdrawn_at"),
    *("history_type", "history_date"),
)
_LONGEST_REASON = 100
"""What a history's change reason holds."""
# A comparison's tools change places in one statement: halfway it would hold one of them twice.
_TOGETHER = dict.fromkeys(("first_id", "second_id"), ("first_id", "second_id"))


M = TypeVar("M", bound=Publishable)
K = TypeVar("K", bound=Hashable)


@dataclass
class Batch(Generic[M, K]):
    """Some rows of one kind: what is stored, what is wanted of it, by what key both are matched.

    `name_of` gives a key's name, `slugs` the names of the rows it refers to, `equal` tells whether
    a stored value will do for a wanted one. Of takes, `tools` holds their tools as they were
    before this load, and `reasons` why public scores change, by key.
    """

    kind: str
    stored: "models.QuerySet[M]"
    wanted: Mapping[K, Row]
    key_of: Callable[[M], K]
    name_of: Callable[[K], str]
    count: Count
    slugs: Mapping[int, str] = field(default_factory=dict)
    equal: Callable[[object, object], bool] = eq
    tools: Mapping[int, Tool] = field(default_factory=dict)
    reasons: Mapping[K, str] = field(default_factory=dict)

    pks: dict[K, int] = field(default_factory=dict)
    """The primary keys of all wanted rows, once they are merged."""
    before: dict[int, Tool] = field(default_factory=dict)
    """The rows as they were before, if they are tools."""
    created: set[int] = field(default_factory=set)
    changed: dict[str, set[int]] = field(default_factory=dict)
    """Those of the rows that changed, by field."""
    unexplained: list[K] = field(default_factory=list)
    """The keys of takes whose public score or verdict changed without a reason."""

    @property
    def all_changed(self) -> set[int]:
        """Those of the rows that changed at all."""
        return set().union(*self.changed.values())

    def differing(self, row: M, key: K) -> list[str]:
        """The fields in which a row is not as it is wanted."""
        wanted = self.wanted[key]
        return [name for name in wanted if not self.equal(getattr(row, name), wanted[name])]

    def named(self, name: str, value: object) -> object:
        """The value of a field as a document has it: of what it refers to, the slug."""
        if name.endswith("_id") and isinstance(value, int):
            return self.slugs.get(value, value)
        return value


class Merger:
    """Merges batch after batch under one signature, and notes each change in a journal.

    A dry run only reads, and gives the rows it would create keys that no row has.
    """

    def __init__(self, signature: Signature, journal: Journal, *, dry_run: bool) -> None:
        self._signature = signature
        self._journal = journal
        self._dry_run = dry_run
        self._no_keys = itertools.count(-1, -1)

    def merge(self, batch: Batch[M, K]) -> None:
        """Make the table say what the batch wants.

        One query to read, one to hold what differs, as many as there are fields to change, the
        rest to create and to keep the history.
        """
        stale: dict[K, int] = {}
        for old in batch.stored.order_by().iterator(chunk_size=CHUNK):
            key = batch.key_of(old)
            if key not in batch.wanted:
                continue
            batch.pks[key] = old.pk
            if isinstance(old, Tool):
                batch.before[old.pk] = old
            if batch.differing(old, key):
                stale[key] = old.pk
        # In the order of the document, so that two loads of one tell the same.
        keys = [key for key in batch.wanted if key in stale]
        held = self._held(batch, [stale[key] for key in keys])
        self._change(batch, dict(zip(keys, held, strict=True)))
        batch.count.left_alone += len(batch.pks) - len(batch.all_changed)
        self._create(batch)

    def tell_place(self, name: str, before: int, after: int) -> None:
        """Note that a featured comparison changes places with others of the document."""
        move = Difference("place among the featured", before, after)
        self._journal.note(Change("comparisons", name, (move,)))

    def _held(self, batch: Batch[M, K], pks: list[int]) -> list[M]:
        """These rows in full and in this order, kept from others until the load is done.

        Whatever was written to one since it was first read is compared with, not overwritten.
        """
        if not pks:
            return []
        rows = batch.stored.model._default_manager.order_by("pk")
        if not self._dry_run:
            rows = rows.select_for_update(no_key=True)
        found = rows.in_bulk(pks)
        if len(found) < len(pks):
            raise ConflictError(f"some of the {batch.kind} were taken away during the load")
        return [found[pk] for pk in pks]

    def _change(self, batch: Batch[M, K], held: Mapping[K, M]) -> None:
        """Write the fields in which these rows differ, and those that follow from them."""
        columns: dict[tuple[str, ...], list[M]] = {}
        record: list[TakeChange] = []
        changed: list[M] = []
        for key, row in held.items():
            names = batch.differing(row, key)
            if not names:
                continue
            change = self._told(batch, row, key, names)
            self._journal.note(change)
            before = judgement(row) if isinstance(row, Take) else None
            for name in names:
                setattr(row, name, batch.wanted[key][name])
            names += _consequences(row, names, change, self._signature.now)
            for together in {_TOGETHER.get(name, (name,)) for name in names}:
                columns.setdefault(together, []).append(row)
            for name in names:
                batch.changed.setdefault(name, set()).add(row.pk)
            if before and change.judged and isinstance(row, Take):
                record.append(self._entry(batch, row, key, before))
            changed.append(row)
        for fields, rows in [] if self._dry_run else sorted(columns.items()):
            batch.stored.model._default_manager.bulk_update(rows, fields)
        batch.count.changed += len(changed)
        self._keep(batch, changed, record, created=False)

    def _told(self, batch: Batch[M, K], row: M, key: K, names: list[str]) -> Change:
        """The change that a row is about to undergo."""
        wanted, now = batch.wanted[key], self._signature.now
        told = [
            Difference(
                _KEYS.get(name, name),
                batch.named(name, getattr(row, name)),
                batch.named(name, wanted[name]),
            )
            for name in names
            if name not in _TOGETHER
        ]
        if isinstance(row, Comparison) and "first_id" in names:
            pair = [batch.slugs[row.first_id], batch.slugs[row.second_id]]
            told.append(Difference("tools", pair, pair[::-1]))
        judged = (
            isinstance(row, Take)
            and not {"score", "verdict"}.isdisjoint(names)
            and was_public(row, batch.tools[row.tool_id], now)
        )
        taken_back = "published_at" in names and withdrawal(
            row.published_at, wanted["published_at"], now
        )
        name = batch.name_of(key)
        return Change(batch.kind, name, tuple(told), judged=judged, taken_back=taken_back)

    def _entry(self, batch: Batch[M, K], take: Take, key: K, before: Judgement) -> TakeChange:
        """The entry on the public record; the take's history gives its reason too."""
        reasons = batch.reasons.get(key, ""), self._signature.reason
        reason = next(filter(has_visible_text, reasons), "")
        if not reason:
            batch.unexplained.append(key)
        take._change_reason = f"{self._signature.act}: {reason}"[:_LONGEST_REASON]
        return take_change(take, before, reason, self._signature.now)

    def _create(self, batch: Batch[M, K]) -> None:
        """Create the rows that are not there."""
        model = batch.stored.model
        keys = [key for key in batch.wanted if key not in batch.pks]
        made = [model(**batch.wanted[key]) for key in keys]
        new = zip(keys, made, strict=True)
        takes = {key: row for key, row in new if isinstance(row, Take)}
        known = _known_to_readers(takes, batch.tools)
        for key, take in known.items():  # so that whoever changes it later has to say why
            takes[key].withdrawn_at = take.withdrawn_at
        if self._dry_run:
            for row in made:
                row.pk = next(self._no_keys)
        else:
            made = model._default_manager.bulk_create(made)
        record: list[TakeChange] = []
        for key, row in zip(keys, made, strict=True):
            batch.pks[key] = row.pk
            batch.created.add(row.pk)
            before = None
            if isinstance(row, Take) and key in known:
                before = judgement(known[key])
                if before == judgement(row):
                    before = None
                else:
                    record.append(self._entry(batch, row, key, before))
            self._journal.note(_told_of_new(batch, key, before))
        batch.count.created += len(made)
        self._keep(batch, made, record, created=True)

    def _keep(
        self, batch: Batch[M, K], rows: list[M], record: list[TakeChange], *, created: bool
    ) -> None:
        """Write these rows, as they are by now, into their history, and the record beside it."""
        if self._dry_run or not rows:
            return
        TakeChange.objects.bulk_create(record)
        get_history_manager_for_model(batch.stored.model).bulk_history_create(
            rows,
            update=not created,
            default_user=self._signature.user,
            default_change_reason=self._signature.act,
            default_date=self._signature.now,
        )


def _known_to_readers(takes: Mapping[K, Take], tools: Mapping[int, Tool]) -> dict[K, Take]:
    """Those of new takes that were deleted after readers could see them, as they were then but
    withdrawn; one query. `tools` are those that there were before.
    """
    takes = {key: take for key, take in takes.items() if take.tool_id in tools}
    if not takes:
        return {}
    past = Take.history.filter(tool__in={take.tool_id for take in takes.values()})
    rows = past.order_by("history_id").values(*_LAST).iterator()
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


def _told_of_new(batch: Batch[M, K], key: K, before: Judgement | None) -> Change:
    """The change that a new row is; its name tells what it refers to.

    `before` is what readers could see of a take that was deleted, where this one says otherwise.
    """
    row = {
        _KEYS.get(name, name): batch.named(name, value)
        for name, value in batch.wanted[key].items()
        if name not in ("tool_id", "reviewer_id", *_TOGETHER)
    }
    old = dict(zip(("score", "verdict"), before or (), strict=False))
    told = tuple(Difference(name, old.get(name), row[name]) for name in _TELLING if name in row)
    name, rest = batch.name_of(key), tuple(row.items())
    return Change(batch.kind, name, told, rest, created=True, judged=bool(before))


def _consequences(row: Publishable, names: list[str], change: Change, now: datetime) -> list[str]:
    """Set the fields that no document holds but a change entails; returns their names."""
    found = []
    if change.taken_back:
        row.withdrawn_at = now
        found.append("withdrawn_at")
    if isinstance(row, Take):
        row.checked_at = now
        found.append("checked_at")
    if isinstance(row, Comparison) and "featured" in names and not row.featured:
        row.position = None
        found.append("position")
    return found
