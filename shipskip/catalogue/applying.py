"""Write the changes that a comparison found: all of them in one transaction, or nothing."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from django.db import DatabaseError, transaction

from comparisons.models import Comparison
from reviews.take_writing import TakeEdit, write_takes
from shipskip.catalogue.answers import answer_of
from shipskip.catalogue.changes import NO_ENTRY, Change, Changes
from shipskip.catalogue.comparing import BATCH, compare, content_version
from shipskip.catalogue.entries import FACT, KINDS, PARTS, PLAN, SYNONYM, TAKE, TOOL, Kind
from shipskip.catalogue.faults import SiteChangedError
from shipskip.catalogue.featured_order import places
from shipskip.catalogue.reading import Progress
from shipskip.catalogue.rows import SLUGGED, Slugs, Values, fields_of
from shipskip.editing.bulk_saves import insert_rows, update_rows
from shipskip.editing.row_locks import hold, is_concurrent_save, locked
from shipskip.search.models import Synonym
from shipskip.web.publishing import Publishable, withdrawal
from tools.fact_changes import RECORDED_FIELDS, record_changes, stated_facts
from tools.fact_writing import (
    FactEdit,
    PlanEdit,
    answer_fields,
    set_fields,
    write_facts,
    write_plans,
)
from tools.models import Attribute, Category, FormerSlug, Tool


def apply(changes: Changes, progress: Progress | None = None) -> None:
    """Write these changes, with histories and the public record.

    Raises SiteChangedError if the site has changed since the comparison, so that a load would
    change something else; then nothing is written.
    """
    try:
        with transaction.atomic():
            _Application(_still_true(changes), progress).write()
    except DatabaseError as error:
        if not is_concurrent_save(error):
            raise
        raise SiteChangedError(
            "somebody else changed the site while the file was being loaded"
        ) from error


def _still_true(changes: Changes) -> Changes:
    """Lock the rows that change. If the content version is another one than that of the comparison,
    compare again; raise SiteChangedError if other changes are found.
    """
    _lock(changes)
    has_synonyms = changes.document.number_of(SYNONYM.name)  # they have no content version
    if content_version() == changes.version and not has_synonyms:
        return changes
    again = compare(changes.document, changes.save, changes.reason)
    if again.fingerprint != changes.fingerprint:
        raise SiteChangedError("the site changed, and the file would now make other changes")
    _lock(again)
    if content_version() != again.version:
        raise SiteChangedError("somebody else changes the site at this moment")
    return again


def _lock(changes: Changes) -> None:
    """Lock the stored rows that change, tools before their takes, each kind by primary key."""
    for kind in KINDS.values():
        keys = sorted(each.pk for each in changes.rows.get(kind.name, ()) if each.pk is not None)
        for at in range(0, len(keys), BATCH):
            rows = kind.model._base_manager.filter(pk__in=keys[at : at + BATCH]).order_by("pk")
            list(locked(rows).values_list("pk"))


class _Application:
    """One load: its changes are written kind by kind, in batches."""

    def __init__(self, changes: Changes, progress: Progress | None) -> None:
        self._changes, self._document, self._save = changes, changes.document, changes.save
        self._progress = progress
        self._slugs = Slugs.now()
        self._published_now: set[int] = set()

    def write(self) -> None:
        """Write everything."""
        for kind in KINDS.values():
            changes = self._changes.rows.get(kind.name, [])
            done = 0
            for batch in _batches(changes):
                if kind.name in PARTS:
                    self._write_parts(kind, batch)
                else:
                    self._write_rows(kind, batch)
                done += len(batch)
                if self._progress:
                    self._progress(f"Writing {kind.name}", done, len(changes))
        if self._changes.featured is not None:
            self._set_order(self._changes.featured)

    def _entries(self, kind: Kind, batch: list[Change]) -> Iterator[tuple[Change, Values, Values]]:
        """The changes of a batch, each with its entry, or that of its tool, and its own values."""
        section = TOOL.name if kind.name in PARTS else kind.name
        last, entry = NO_ENTRY, Values()
        for change in batch:
            if change.entry != last:
                last, is_given = change.entry, change.entry != NO_ENTRY
                entry = self._document.entry(section, last) if is_given else Values()
            values = entry[kind.name][change.part] if change.part >= 0 else entry
            yield change, entry, {**values, **(change.own or {})}

    def _fields(self, kind: Kind, change: Change, values: Values) -> dict[str, Any]:
        """The model fields that change, and of a fact or plan whether it is confirmed."""
        keys = [*(change.keys or ()), "unconfirmed"]
        changed = {key: values[key] for key in keys if key in values}
        return fields_of(kind, changed, self._slugs)

    def _write_rows(self, kind: Kind, batch: list[Change]) -> None:
        """Create and change rows other than takes, facts and plans."""
        stored = kind.model._base_manager.in_bulk([each.pk for each in batch if each.pk])
        created: list[Any] = []
        changed: list[tuple[Any, list[str]]] = []
        former: dict[str, Any] = {}
        for change, _, values in self._entries(kind, batch):
            fields = self._fields(kind, change, values)
            if change.pk is None:
                row = kind.model(**fields)
                created.append(row)
            elif change.pk in stored:
                row = stored[change.pk]
                changed.append((row, self._set_fields(row, fields)))
            else:
                raise SiteChangedError(f"some of the {kind.name} were deleted during the load")
            if isinstance(row, Synonym):
                row.set_keys()
            if "former_slugs" in (change.keys or ()):
                former |= dict.fromkeys(values["former_slugs"], row)
        moved = [row for row, names in changed if {"category_id", "category_ids"} & {*names}]
        hold(Category.objects.all(), _categories_of([*created, *moved]))
        recorded = {
            row.pk
            for row, names in changed
            if isinstance(row, Tool) and not RECORDED_FIELDS.isdisjoint(names)
        }
        before = stated_facts(recorded - self._published_now)
        update_rows([(row, names) for row, names in changed if names], self._save)
        record_changes(before, self._save.now)
        insert_rows(created, self._save)
        if kind in SLUGGED:
            self._slugs.keys[kind.name] |= {row.slug: row.pk for row in created}
        if former:
            self._add_former_slugs(former)

    def _set_fields(self, row: Any, fields: dict[str, Any]) -> list[str]:
        """Set these fields of a stored row and those that follow; return the names of all."""
        if isinstance(row, Tool) and not row.has_been_public(self._save.now):
            self._published_now.add(row.pk)
        before = row.published_at if isinstance(row, Publishable) else None
        names = set_fields(row, fields)
        if isinstance(row, Publishable) and withdrawal(before, row.published_at, self._save.now):
            names += row.record_withdrawal(self._save.now)
        if isinstance(row, Comparison) and "featured" in names and not row.featured:
            row.position = None
            names.append("position")
        if isinstance(row, Synonym):
            names += ["word_key", "means_key"]
        return names

    def _add_former_slugs(self, tools: dict[str, Tool]) -> None:
        """Add earlier slugs of tools, taken from deleted drafts."""
        stored = FormerSlug.objects.filter(slug__in=tools)
        stored.filter(tool__deleted_at__isnull=False).delete()
        known = set(stored.values_list("slug", "tool_id"))
        FormerSlug.objects.bulk_create(
            FormerSlug(slug=slug, tool=tool)
            for slug, tool in tools.items()
            if (slug, tool.pk) not in known
        )

    def _write_parts(self, kind: Kind, batch: list[Change]) -> None:
        """Create, change and remove takes, facts or plans."""
        save = replace(self._save, published_now=self._published_now)
        if kind is TAKE:
            write_takes(list(self._take_edits(batch)), save, self._changes.reason)
        elif kind is FACT:
            write_facts(list(self._fact_edits(batch)), save)
        elif kind is PLAN:
            write_plans(list(self._plan_edits(batch)), save)

    def _take_edits(self, batch: list[Change]) -> Iterator[TakeEdit]:
        for change, entry, values in self._entries(TAKE, batch):
            tool = self._slugs.key("tools", entry["slug"])
            reviewer = self._slugs.key("reviewers", values["reviewer"])
            fields = self._fields(TAKE, change, values)
            reason, is_new = values.get("reason") or "", change.pk is None
            yield TakeEdit(tool, reviewer, fields, reason, is_new=is_new)

    @cached_property
    def _questions(self) -> dict[str, Attribute]:
        """The attributes by slug; they are written before facts."""
        return Attribute.objects.in_bulk(field_name="slug")

    def _fact_edits(self, batch: list[Change]) -> Iterator[FactEdit]:
        for change, entry, values in self._entries(FACT, batch):
            tool = self._slugs.key("tools", entry["slug"])
            question = self._questions[values["attribute"]]
            fields = self._fields(FACT, change, values)
            if "value" in (change.keys or ()):
                asked = {"kind": question.kind, "choices": question.choices}
                answer = answer_of(values, asked, is_cell=self._document.is_csv)
                fields |= answer_fields(answer, question.kind)
            fields.pop("attribute_id", None)
            key, is_removed = (tool, question.pk), change.keys is None
            yield FactEdit(key, None if is_removed else fields, is_new=change.pk is None)

    def _plan_edits(self, batch: list[Change]) -> Iterator[PlanEdit]:
        for change, entry, values in self._entries(PLAN, batch):
            tool = self._slugs.key("tools", entry["slug"])
            fields = self._fields(PLAN, change, values)
            yield PlanEdit(tool, change.pk, None if change.keys is None else fields)

    def _set_order(self, order: list[frozenset[str]]) -> None:
        """Give the featured comparisons this order."""
        pks = {frozenset(place.slugs): place.pk for place in places(Slugs.now())}
        Comparison.objects.featured().set_positions([pks[key] for key in order])


def _categories_of(rows: list[Any]) -> set[int]:
    """The categories to which tools and attributes refer; none for other rows."""
    found = {row.category_id for row in rows if isinstance(row, Tool)}
    return found.union(*(row.category_ids for row in rows if isinstance(row, Attribute)))


def _batches(rows: list[Change]) -> Iterator[list[Change]]:
    """Lists of some BATCH changes; those of one entry are never in two of them."""
    batch: list[Change] = []
    for change in rows:
        if len(batch) >= BATCH and change.entry != batch[-1].entry:
            yield batch
            batch = []
        batch.append(change)
    if batch:
        yield batch
