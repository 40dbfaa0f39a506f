"""Django's formset for the rows of a tool: a hidden field says which row a form is about."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.db import models
from django.forms.models import BaseInlineFormSet
from django.http import HttpRequest
from django.utils.functional import cached_property

from shipskip.editing.bulk_saves import Save
from shipskip.editing.edit_conflicts import HISTORY_ID, Versions
from shipskip.editing.row_locks import locked, saving

if TYPE_CHECKING:
    Rows = BaseInlineFormSet[Any, Any, Any]
else:
    Rows = BaseInlineFormSet  # it takes no type parameters at run time

KEY = "key"
"""The name of the hidden field."""


class RowKeyField(forms.CharField):
    """The key of a form's row; Django's field would load each row alone."""

    widget = forms.HiddenInput

    def has_changed(self, initial: object, data: object) -> bool:
        """Never: it only says which row it is."""
        return False


class RowFormSet(Rows):
    """Forms that still match their rows if a colleague created or deleted others meanwhile."""

    act = Save()
    """Who saves, and when; set before the save."""

    adds_rows = False
    """Whether a form with an unknown key is a new row; else it is left out."""

    @property
    def rows(self) -> Mapping[str, Any]:
        """The rows by key, in order; those that are not stored yet are new ones."""
        raise NotImplementedError

    def shown_keys(self) -> list[str]:
        """The keys of the forms of a new page."""
        return list(self.rows)

    @cached_property
    def keys(self) -> Sequence[str]:
        """The keys of the forms, as submitted; of each key only the first form counts."""
        if not self.is_bound:
            return self.shown_keys()
        names = (f"{self.add_prefix(at)}-{KEY}" for at in range(self.total_form_count()))
        sent = [self.data.get(name, "") for name in names]
        return [key if sent.index(key) == at else "" for at, key in enumerate(sent)]

    @cached_property
    def forms(self) -> list[Any]:
        """The forms, without those whose row does not exist any more."""
        found = zip(super().forms, self.keys, strict=True)
        return [form for form, key in found if self.adds_rows or key in self.rows]

    def initial_form_count(self) -> int:
        """Zero: stored rows are found by their key, not by position."""
        return 0

    def total_form_count(self) -> int:
        """As many as were submitted, else as many as there are keys."""
        return super().total_form_count() if self.is_bound else len(self.keys)

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        own = super().get_form_kwargs(index)
        return own if index is None else own | {"instance": self.rows.get(self.keys[index])}

    def add_fields(self, form: Any, index: int | None) -> None:
        """Replace the fields of the primary key and of the tool by that of the key."""
        super().add_fields(form, index)
        form.versions = self.versions
        for name in ("id", self.fk.name):
            form.fields.pop(name, None)
        key = self.keys[index] if index is not None else ""
        form.fields[KEY] = RowKeyField(initial=key, required=False)

    def save_changed(self, changed: Sequence[Any]) -> None:
        """Write what these forms change, all together."""
        raise NotImplementedError

    def save(self, commit: bool = True) -> list[Any]:  # noqa: FBT001, FBT002
        self.new_objects, self.changed_objects, self.deleted_objects = [], [], []
        self.save_changed([form for form in self.forms if form.has_changed()])
        return []

    @cached_property
    def versions(self) -> Versions:
        """The versions of all rows, for their forms."""
        opened = [self.data[name] for name in self.data if name.endswith(f"-{HISTORY_ID}")]
        rows = self.get_queryset()
        return Versions(rows.model, [row.pk for row in rows], opened)


class RowInline(admin.TabularInline):  # type: ignore[type-arg]
    """The rows of a tool on its page, in one query; locked while they are saved."""

    can_delete = False
    related: Sequence[str] = ()
    """What is loaded with each row."""

    def get_queryset(self, request: HttpRequest) -> "models.QuerySet[Any]":
        """In the order of primary keys: the lock order that a catalogue load also uses."""
        rows = super().get_queryset(request).select_related(*self.related).order_by("pk")
        return locked(rows) if saving(request) else rows
