"""History entries: author, time, and each difference from the previous version."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from typing import Any, TypeAlias

from django.db import models
from django.db.models import OuterRef, QuerySet, Subquery
from django.urls import NoReverseMatch, reverse
from django.utils.text import capfirst

from shipskip.editing.diffs import Piece, difference
from shipskip.editing.moments import moment_in_words
from shipskip.web.key_lists import KeyListField
from shipskip.web.paging import Page
from shipskip.web.publishing import ALWAYS

PAGE_SIZE = 20
MAX_SHORT = 100
"""Maximum length of values shown side by side; longer ones are compared word by word."""

MOMENTS = ("published_at", "withdrawn_at", "deleted_at")
"""Fields that together make up a row's state."""

Version: TypeAlias = Any
"""A version of a row, as django-simple-history makes it; that library has no types."""
VersionQuerySet: TypeAlias = "QuerySet[Any]"
"""Versions of rows of one model."""
ModelField: TypeAlias = "models.Field[Any, Any]"
"""A field whose value a version contains."""
Related = dict[tuple[type[models.Model], object], models.Model]
"""Rows that versions refer to, by model and primary key."""


@dataclass(frozen=True)
class FieldDifference:
    """How one value differs between two versions; `pieces` if it is a long text."""

    label: str
    before: str
    after: str
    pieces: list[Piece] = field(default_factory=list)


@dataclass(frozen=True)
class HistoryEntry:
    """One entry of a history: a version, the previous one of the same row (None for the first),
    the name of the row, and what the versions refer to.
    """

    version: Version
    before: Version | None
    subject: str
    related: Related = field(repr=False)

    @property
    def action(self) -> str:
        """What was done, in a word or two."""
        return action_of(self.version, self.before)

    @property
    def who(self) -> str:
        """The author."""
        return author_of(self.version)

    @property
    def kind(self) -> str:
        """The name of the row's model: `Tool`."""
        return capfirst(str(self.version.instance_type._meta.verbose_name))

    @cached_property
    def changes(self) -> list[FieldDifference]:
        """Every difference from the previous version; all values of a row that was created or
        deleted with a form of another row, because it has no page of its own that shows them.
        """
        if not self.url and self.version.history_type in ("+", "-"):
            return own_values(self.version, self.related)
        if self.before is None:
            return []
        return changes_between(self.before, self.version, self.related)

    @property
    def when(self) -> str:
        """The moment as text."""
        return moment_in_words(self.version.history_date)

    @property
    def url(self) -> str:
        """The page of this version; empty for rows without one."""
        return self._url("version", self.version.id, self.version.history_id)

    @property
    def history_url(self) -> str:
        """The page of the row's history."""
        return self._url("history", self.version.id)

    def _url(self, screen: str, *keys: int) -> str:
        options = self.version.instance_type._meta
        try:
            return reverse(f"admin:{options.app_label}_{options.model_name}_{screen}", args=keys)
        except NoReverseMatch:
            return ""


def author_of(version: Version) -> str:
    """The author of a version: an editor's name, the catalogue, or an unknown user."""
    user = version.history_user
    if user:
        return str(user.get_full_name() or user.get_username())
    return (
        "The catalogue" if "catalogue" in (version.history_change_reason or "") else "Unknown user"
    )


def fields_of(version: Version) -> list[ModelField]:
    """The fields of a version, except the primary key and the moments of its state."""
    return [
        each for each in version.tracked_fields if not each.primary_key and each.name not in MOMENTS
    ]


def related_to(versions: Iterable[Version]) -> Related:
    """What these versions or rows refer to, deleted or not; one query for each model."""
    wanted: dict[type[models.Model], set[object]] = defaultdict(set)
    for version in versions:
        for each in getattr(version, "tracked_fields", version._meta.concrete_fields):
            if isinstance(each, models.ForeignKey):
                wanted[each.related_model].add(getattr(version, each.attname))
            elif isinstance(each, KeyListField):
                wanted[each.row_model].update(each.keys(getattr(version, each.attname)))
    return {
        (model, pk): row
        for model, pks in wanted.items()
        for pk, row in model._base_manager.in_bulk(pks - {None}).items()
    }


def as_row(version: Version, related: Related) -> Version:
    """A version as an unsaved row of its model; `related` contains what it refers to."""
    row = version.instance_type()
    for each in version.tracked_fields:
        value = getattr(version, each.attname)
        if isinstance(each, models.ForeignKey) and value is not None:
            setattr(row, each.name, _row_or_deleted(each.related_model, value, related))
        elif isinstance(each, KeyListField):
            keys = each.keys(value)
            setattr(row, each.rows, [_row_or_deleted(each.row_model, k, related) for k in keys])
            setattr(row, each.attname, value)
        else:
            setattr(row, each.attname, value)
    return row


def _row_or_deleted(model: type[models.Model], key: object, related: Related) -> models.Model:
    """The row that a version refers to; if it was deleted, an unsaved row named “a deleted …”."""
    named = {"name": _deleted_label(model)} if hasattr(model, "name") else {}
    return related.get((model, key)) or model(pk=key, **named)


def _deleted_label(model: type[models.Model]) -> str:
    return f"a deleted {model._meta.verbose_name}"


def state_of(version: Version) -> str:
    """The state of a version as text that does not depend on the current time; empty for a row that
    is not published.
    """
    if getattr(version, "deleted_at", None):
        return "Deleted"
    if not hasattr(version, "published_at"):
        return ""
    if version.published_at is None:
        return "Withdrawn" if version.withdrawn_at else "Draft"
    if version.published_at == ALWAYS:
        return "Public"
    return f"Public from {moment_in_words(version.published_at)}"


def value_of(version: Version, each: ModelField, related: Related) -> str:
    """A value of a version as text; empty if there is none."""
    value = getattr(version, each.attname)
    if value is None or value == "":
        return ""
    if isinstance(each, models.ForeignKey):
        return str(related.get((each.related_model, value)) or _deleted_label(each.related_model))
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, Decimal):
        return f"{value.normalize():,f}"
    if isinstance(each, KeyListField):
        model = each.row_model
        return each.as_text(
            value, lambda key: str(related.get((model, key)) or _deleted_label(model))
        )
    if isinstance(value, list):
        return "\n".join(str(line) for line in value)
    if each.choices:
        return str(dict(each.flatchoices).get(value, value))
    return str(value)


def changes_between(before: Version, after: Version, related: Related) -> list[FieldDifference]:
    """Every difference between two versions: the state first, then the order of the fields."""
    states = state_of(before), state_of(after)
    found = [FieldDifference("State", *states)] if states[0] != states[1] else []
    return found + changed_values(before, after, fields_of(after), related)


def changed_values(
    before: Version, after: Version, fields: list[ModelField], related: Related
) -> list[FieldDifference]:
    """How the values of these fields differ between two versions, or a version and a row."""
    found = []
    for each in fields:
        old, new = value_of(before, each, related), value_of(after, each, related)
        label = capfirst(str(each.verbose_name))
        if is_multiline(each) or max(len(old), len(new)) > MAX_SHORT:
            pieces = difference(old, new)
            found += [FieldDifference(label, old, new, pieces)] if pieces else []
        elif old != new:
            found.append(FieldDifference(label, old, new))
    return found


def own_values(version: Version, related: Related) -> list[FieldDifference]:
    """The values that a new version sets or a deletion removes, without references (they name the
    row), fields that no form shows, and values that a row has anyway.
    """
    empty = version.instance_type()
    fields = [
        each
        for each in fields_of(version)
        if each.editable and not isinstance(each, models.ForeignKey)
    ]
    is_deleted = version.history_type == "-"
    sides = (version, empty) if is_deleted else (empty, version)
    changes = changed_values(*sides, fields, related)
    return [replace(each, after="") if is_deleted else replace(each, before="") for each in changes]


def is_multiline(each: ModelField) -> bool:
    """Whether a field contains text of several lines."""
    return isinstance(each, models.TextField | models.JSONField)


def action_of(version: Version, before: Version | None) -> str:
    """The action that made a version, in a word or two."""
    if before is None:
        return {"+": "Created", "-": "Deleted"}.get(version.history_type, "First recorded version")
    was_deleted = before.history_type == "-" or bool(getattr(before, "deleted_at", None))
    is_deleted = version.history_type == "-" or bool(getattr(version, "deleted_at", None))
    if was_deleted != is_deleted:
        return "Deleted" if is_deleted else "Brought back"
    return "Changed"


def timeline(
    sources: Sequence[VersionQuerySet],
    subject_of: Callable[[models.Model], str],
    number: int,
    size: int = PAGE_SIZE,
) -> Page[HistoryEntry]:
    """Page `number` (from 1) of these histories, merged, newest first.

    At most three queries for each history and one for each model that they refer to, regardless of
    their length. `subject_of` receives a row as it was and returns its name, or an empty text.
    """
    start = (number - 1) * size
    newest = ("-history_date", "-history_id")
    keys = sorted(
        (
            (*key, place)
            for place, source in enumerate(sources)
            for key in source.order_by(*newest).values_list("history_date", "history_id")[
                : start + size + 1
            ]
        ),
        reverse=True,
    )
    chosen = keys[start : start + size]
    found: dict[tuple[int, int], tuple[Version, Version]] = {}
    for place, source in enumerate(sources):
        ids = [key[1] for key in chosen if key[2] == place]
        found |= {(pk, place): row for pk, row in _with_before(source, ids).items()} if ids else {}
    versions = [found[key[1:]] for key in chosen]
    entries = _entries(versions, subject_of)
    return Page(entries, number, has_next=len(keys) > start + size)


def _with_before(source: VersionQuerySet, ids: list[int]) -> dict[int, tuple[Version, Version]]:
    """Versions by id, each with the previous one of the same row (None for the first)."""
    history = source.model._default_manager
    earlier = history.filter(id=OuterRef("id"), history_id__lt=OuterRef("history_id"))
    before = Subquery(earlier.order_by("-history_id").values("history_id")[:1])
    rows = list(
        history.filter(history_id__in=ids).select_related("history_user").annotate(before_id=before)
    )
    befores = history.in_bulk({row.before_id for row in rows if row.before_id})
    return {row.history_id: (row, befores.get(row.before_id)) for row in rows}


def _entries(
    versions: list[tuple[Version, Version]], subject_of: Callable[[models.Model], str]
) -> list[HistoryEntry]:
    related = related_to(version for pair in versions for version in pair if version)
    return [
        HistoryEntry(version, before, subject_of(as_row(version, related)), related)
        for version, before in versions
    ]
