"""A batch: the stored and the wanted rows of one kind, and their names in the change log."""

from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from operator import eq
from typing import Generic, TypeVar

from django.db import models

from reviews.take_changes import Judgement
from shipskip.catalogue.change_log import FieldChange, RowChange, RowCounts
from shipskip.catalogue.entry_parsers import EntryRow
from shipskip.catalogue.fact_answers import amount_text
from tools.fact_values import NOT_APPLICABLE, in_words
from tools.models import Fact, Tool

_KEYS = {
    "published_at": "published",
    "category_id": "category",
    "family_id": "family",
    "tool_ids": "tools",
    "category_ids": "categories",
    "checked_on": "checked",
} | dict.fromkeys(["applies", "number", "yes_no", "text", "date"], "value")
_UNNAMED = ("tool_id", "reviewer_id", "tool_ids", "attribute_id")
"""The fields that the name of a new row contains."""
_LISTED_KEYS = ("score", "verdict", "value", "amount", "published")
"""The keys of a new row that the change log lists."""

M = TypeVar("M", bound=models.Model)
K = TypeVar("K", bound=Hashable)


@dataclass
class Batch(Generic[M, K]):
    """Some rows of one kind: the stored ones, the wanted ones, and the key that matches both.

    `name_of` returns the name of a key; `slugs` and `families` map the keys of referenced rows to
    names; `equal` compares a stored value with a wanted one; `tools` are the rows' tools as they
    were before this load. For takes, `reasons` are those of public changes, and `place_of` returns
    the place of a field in the file. `is_removed`: whether a stored row that is not wanted is
    removed.
    """

    kind: str
    stored: "models.QuerySet[M]"
    wanted: Mapping[K, EntryRow]
    key_of: Callable[[M], K]
    name_of: Callable[[K], str]
    count: RowCounts
    slugs: Mapping[int, str] = field(default_factory=dict)
    families: Mapping[int, str] = field(default_factory=dict)
    equal: Callable[[object, object], bool] = eq
    tools: Mapping[int, Tool] = field(default_factory=dict)
    reasons: Mapping[K, str] = field(default_factory=dict)
    place_of: Callable[[K, str], str] = lambda key, name: f"{key}, {name}"
    is_removed: Callable[[M], bool] = lambda row: False

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

    def field_changes(self, row: M, key: K, names: Collection[str]) -> tuple[FieldChange, ...]:
        """The changes of these fields of a row, as keys of a document."""
        before = self._in_document({name: getattr(row, name) for name in self.wanted[key]})
        after = self._in_document(self.wanted[key])
        changed = {_KEYS.get(name, name) for name in names}
        return tuple(
            FieldChange(name, before[name], after[name]) for name in after if name in changed
        )

    def creation(self, key: K, before: Judgement | None) -> RowChange:
        """The change for a new row.

        `before` is the public judgement of a deleted take, if this one differs from it.
        """
        wanted = self.wanted[key]
        row = self._in_document({name: wanted[name] for name in wanted if name not in _UNNAMED})
        old = dict(zip(("score", "verdict"), before or (), strict=False))
        changes = tuple(
            FieldChange(name, old.get(name), row[name]) for name in _LISTED_KEYS if name in row
        )
        name, rest, again = self.name_of(key), tuple(row.items()), bool(before)
        return RowChange(self.kind, name, changes, rest, created=True, on_record=again)

    def removal(self, row: M) -> RowChange:
        """The change for a fact or a plan that is removed."""
        was = self._in_document(
            {each.attname: getattr(row, each.attname) for each in row._meta.concrete_fields}
        )
        changes = tuple(FieldChange(name, was[name], None) for name in _LISTED_KEYS if name in was)
        return RowChange(self.kind, self.name_of(self.key_of(row)), changes, removed=True)

    def _in_document(self, values: EntryRow) -> dict[str, object]:
        """The values of fields as in a document: slugs for keys, one value for several columns."""
        found = {
            _KEYS.get(name, name): self._value(name, value)
            for name, value in values.items()
            if name != "kind" or "applies" not in values
        }
        if "applies" in values:
            columns = ("kind", "applies", "number", "yes_no", "text", "date")
            fact = Fact(**{name: values[name] for name in columns})
            words = in_words(fact.value) if fact.applies else NOT_APPLICABLE
            found = {"value": words} | found | {"value": words}
        return found

    def _value(self, name: str, value: object) -> object:
        if name in ("category_id", "family_id") and isinstance(value, int):
            names = self.slugs if name == "category_id" else self.families
            return names.get(value, value)
        if name == "verdict":
            return value or None
        if name in ("tool_ids", "category_ids") and isinstance(value, list):
            return [self.slugs.get(key, str(key)) for key in value]
        if name == "choose_if" and isinstance(value, dict):
            return sorted(f"{self.slugs[int(key)]}: {text}" for key, text in value.items())
        if isinstance(value, Decimal):
            return amount_text(value)
        return value
