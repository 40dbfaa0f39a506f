"""What the history of rows tells: who, when, and each difference from the version before."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from django.db import models
from django.db.models import OuterRef, QuerySet, Subquery
from django.urls import reverse
from django.utils.text import capfirst

from shipskip.editing.diffs import Piece, difference
from shipskip.web.paging import Page
from shipskip.web.publishing import ALWAYS

PAGE_SIZE = 20
LONGEST_SHORT = 100
"""Characters up to which two values are shown side by side; longer ones word by word."""

MOMENTS = ("published_at", "withdrawn_at", "deleted_at")
"""Fields that together make up a row's state."""

Record: TypeAlias = Any
"""A version of a row, as django-simple-history makes it; that library has no types."""
Records: TypeAlias = "QuerySet[Any]"
"""Versions of rows of one model."""
Value: TypeAlias = "models.Field[Any, Any]"
"""A field whose value a version holds."""
Related = dict[tuple[type[models.Model], object], models.Model]
"""Rows that versions refer to, by model and primary key."""


@dataclass(frozen=True)
class Change:
    """How one value differs between two versions; `pieces` where it is a long text."""

    label: str
    before: str
    after: str
    pieces: list[Piece] = field(default_factory=list)


@dataclass(frozen=True)
class Entry:
    """One line of a history."""

    record: Record
    act: str
    who: str
    subject: str
    changes: list[Change]

    @property
    def when(self) -> str:
        """The moment in words."""
        return moment_in_words(self.record.history_date)

    @property
    def url(self) -> str:
        """The page of this version."""
        options = self.record.instance_type._meta
        name = f"admin:{options.app_label}_{options.model_name}_version"
        return reverse(name, args=[self.record.id, self.record.history_id])


def moment_in_words(moment: datetime) -> str:
    """A moment (UTC) as in `3 May 2026 09:12`."""
    return f"{moment.day} {moment:%b %Y %H:%M}"


def who(record: Record) -> str:
    """Who made a version: an editor's name; the catalogue, or somebody who is not known."""
    user = record.history_user
    if user:
        return str(user.get_full_name() or user.get_username())
    return (
        "The catalogue" if "catalogue" in (record.history_change_reason or "") else "Unknown user"
    )


def fields_of(record: Record) -> list[Value]:
    """The fields that a version holds, but for the primary key and the moments of its state."""
    return [
        each for each in record.tracked_fields if not each.primary_key and each.name not in MOMENTS
    ]


def related_to(records: Iterable[Record]) -> Related:
    """What these versions or rows refer to, deleted or not; one query for each model."""
    wanted: dict[type[models.Model], set[object]] = defaultdict(set)
    for record in records:
        for each in getattr(record, "tracked_fields", record._meta.concrete_fields):
            if isinstance(each, models.ForeignKey):
                wanted[each.related_model].add(getattr(record, each.attname))
    return {
        (model, pk): row
        for model, pks in wanted.items()
        for pk, row in model._base_manager.in_bulk(pks - {None}).items()
    }


def as_row(record: Record, related: Related) -> Record:
    """A version as a row of its model, not to be saved; what it refers to stands in `related`."""
    row = record.instance_type()
    for each in record.tracked_fields:
        value = getattr(record, each.attname)
        if isinstance(each, models.ForeignKey) and value is not None:
            model = each.related_model
            named = {"name": _missing(model)} if hasattr(model, "name") else {}
            setattr(row, each.name, related.get((model, value)) or model(pk=value, **named))
        else:
            setattr(row, each.attname, value)
    return row


def _missing(model: type[models.Model]) -> str:
    return f"a deleted {model._meta.verbose_name}"


def state_of(record: Record) -> str:
    """The state of a version in words that stay true whenever they are read."""
    if getattr(record, "deleted_at", None):
        return "Deleted"
    if record.published_at is None:
        return "Withdrawn" if record.withdrawn_at else "Draft"
    if record.published_at == ALWAYS:
        return "Public"
    return f"Public from {moment_in_words(record.published_at)}"


def value_of(record: Record, each: Value, related: Related) -> str:
    """A value of a version as an editor reads it; empty where there is none."""
    value = getattr(record, each.attname)
    if value is None or value == "":
        return ""
    if isinstance(each, models.ForeignKey):
        return str(related.get((each.related_model, value)) or _missing(each.related_model))
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, list):
        return "\n".join(str(line) for line in value)
    if each.choices:
        return str(dict(each.flatchoices).get(value, value))
    return str(value)


def changes(before: Record, after: Record, related: Related) -> list[Change]:
    """Every difference between two versions: the state first, then the order of the fields."""
    states = state_of(before), state_of(after)
    found = [Change("State", *states)] if states[0] != states[1] else []
    return found + changed_values(before, after, fields_of(after), related)


def changed_values(
    before: Record, after: Record, fields: list[Value], related: Related
) -> list[Change]:
    """How the values of these fields differ between two versions, or a version and a row."""
    found = []
    for each in fields:
        old, new = value_of(before, each, related), value_of(after, each, related)
        label = capfirst(str(each.verbose_name))
        if is_long(each) or max(len(old), len(new)) > LONGEST_SHORT:
            pieces = difference(old, new)
            found += [Change(label, old, new, pieces)] if pieces else []
        elif old != new:
            found.append(Change(label, old, new))
    return found


def is_long(each: Value) -> bool:
    """Whether a field holds a text of many lines."""
    return isinstance(each, models.TextField | models.JSONField)


def act_of(record: Record, before: Record | None) -> str:
    """What was done, in a word or two."""
    if before is None:
        return "Created" if record.history_type == "+" else "First recorded version"
    was_gone = before.history_type == "-" or bool(getattr(before, "deleted_at", None))
    is_gone = record.history_type == "-" or bool(getattr(record, "deleted_at", None))
    if was_gone != is_gone:
        return "Deleted" if is_gone else "Brought back"
    return "Changed"


def timeline(
    sources: Sequence[Records], subject_of: Callable[[models.Model], str], number: int
) -> Page[Entry]:
    """Page `number` (from 1) of these histories together, newest first.

    At most three queries for each history and one for each model that they refer to, however
    long they are. `subject_of` is given a row as it was and names it, where that needs saying.
    """
    start = (number - 1) * PAGE_SIZE
    newest = ("-history_date", "-history_id")
    keys = sorted(
        (
            (*key, place)
            for place, source in enumerate(sources)
            for key in source.order_by(*newest).values_list("history_date", "history_id")[
                : start + PAGE_SIZE + 1
            ]
        ),
        reverse=True,
    )
    chosen = keys[start : start + PAGE_SIZE]
    found: dict[tuple[int, int], tuple[Record, Record]] = {}
    for place, source in enumerate(sources):
        ids = [key[1] for key in chosen if key[2] == place]
        found |= {(pk, place): row for pk, row in _with_before(source, ids).items()} if ids else {}
    versions = [found[key[1:]] for key in chosen]
    entries = _entries(versions, subject_of)
    return Page(entries, number, has_next=len(keys) > start + PAGE_SIZE)


def _with_before(source: Records, ids: list[int]) -> dict[int, tuple[Record, Record]]:
    """Versions by id, each with the one before it of the same row (None for the first)."""
    history = source.model._default_manager
    earlier = history.filter(id=OuterRef("id"), history_id__lt=OuterRef("history_id"))
    before = Subquery(earlier.order_by("-history_id").values("history_id")[:1])
    rows = list(
        history.filter(history_id__in=ids).select_related("history_user").annotate(before_id=before)
    )
    befores = history.in_bulk({row.before_id for row in rows if row.before_id})
    return {row.history_id: (row, befores.get(row.before_id)) for row in rows}


def _entries(
    versions: list[tuple[Record, Record]], subject_of: Callable[[models.Model], str]
) -> list[Entry]:
    related = related_to(record for pair in versions for record in pair if record)
    return [
        Entry(
            record,
            act_of(record, before),
            who(record),
            subject_of(as_row(record, related)),
            changes(before, record, related) if before else [],
        )
        for record, before in versions
    ]
