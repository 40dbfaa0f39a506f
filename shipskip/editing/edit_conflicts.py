"""Two editors on one row: the second save is refused, and neither loses a word.

A form carries a mark of each value as it stood when the page was opened. On saving, three
versions are told apart by them: what was opened, what is stored now, and what the editor sends.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from django import forms
from django.core.exceptions import ValidationError
from django.db import models
from django.http import QueryDict

M = TypeVar("M", bound=models.Model)
Marks = dict[str, str]
LONGEST_MARKS = 5_000
"""Characters of all marks of a form; a tool's take about a thousand."""


def mark(value: object) -> str:
    """A short mark of a field's value; equal values have equal marks.

    Equal are: a row and its primary key, nothing and an empty text, texts but for the kind of
    their line ends and white space around them, moments but for parts of a second.
    """
    if isinstance(value, models.Model):
        value = value.pk
    if isinstance(value, datetime):
        value = value.astimezone(UTC).replace(microsecond=0).isoformat()
    if isinstance(value, str):
        value = "\n".join(value.strip().splitlines())
    if value is None or value in ("", []):
        return ""
    text = json.dumps(value, default=str, sort_keys=True)
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=6).hexdigest()


@dataclass
class Conflict:
    """What a colleague saved meanwhile, beside what this editor wrote."""

    who: str
    when: datetime | None
    rows: list[tuple[str, str, str]] = field(default_factory=list)
    """Label, their text and this editor's, for each field that differs."""


class ConflictForm(forms.ModelForm, Generic[M]):  # type: ignore[type-arg]
    """A form whose row may have been changed since it was opened."""

    conflict: Conflict | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.set_by_rule: list[str] = []
        """Fields that another part of the page set, beyond what was sent for them."""
        stored = forms.model_to_dict(self.instance) if self.instance.pk else {}
        own = [name for name in self.fields if name in self._fields_of_model()]
        self.stored: dict[str, Any] = {name: stored.get(name) for name in own}

    @property
    def loaded_name(self) -> str:
        """The name of the hidden field that carries the marks."""
        return self.add_prefix("loaded")

    @property
    def loaded(self) -> str:
        """What the hidden field says on a page: the marks of what is stored.

        A refused form whose row nobody else changed keeps the marks it came with.
        """
        came = self.data.get(self.loaded_name) if self.is_bound else None
        return came or json.dumps({name: mark(value) for name, value in self.stored.items()})

    @property
    def opened(self) -> Marks:
        """The marks of what was on the page when it was opened; the stored ones without any."""
        sent = str(self.data.get(self.loaded_name, ""))
        try:
            came = json.loads(sent) if len(sent) <= LONGEST_MARKS else None
        except (ValueError, RecursionError):
            came = None
        marks = {name: mark(value) for name, value in self.stored.items()}
        if isinstance(came, Mapping):
            marks |= {name: str(came[name]) for name in marks if name in came}
        return marks

    @property
    def overtaken(self) -> list[str]:
        """The fields somebody else changed since the page was opened."""
        if not self.is_bound:
            return []
        opened = self.opened
        return [name for name, value in self.stored.items() if mark(value) != opened[name]]

    @property
    def changed_data(self) -> list[str]:
        """The fields this editor changed, without those that a colleague alone changed."""
        changed: list[str] = super().changed_data
        overtaken = self.overtaken
        own = [name for name in changed if name not in overtaken or self._touched(name)]
        return own + [name for name in self.set_by_rule if name not in own]

    def clean(self) -> dict[str, Any]:
        """Keep what a colleague alone changed; refuse where both changed the row."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        theirs = self.overtaken
        if not theirs:
            return cleaned
        mine = [name for name in self.stored if self._touched(name)]
        apart = [name for name in {*mine, *theirs} if self._differs(name)]
        if mine and apart:
            self._refuse(mine, theirs)
        for name in theirs:
            if name not in mine:
                cleaned[name] = self.fields[name].clean(self._raw(name))
                self.errors.pop(name, None)
        return cleaned

    def _refuse(self, mine: list[str], theirs: list[str]) -> None:
        """Show both versions; saving again then is the editor's decision."""
        who, when = self.last_saved()
        rows = [
            (str(self[name].label), self._text(name, self.stored[name]), self._sent_text(name))
            for name in self.stored
            if name in {*mine, *theirs} and self._differs(name)
        ]
        self.conflict = Conflict(who, when, rows)
        data = QueryDict(mutable=True)
        data.update(self.data)
        self.data = data
        for name in theirs:
            if name not in mine and self.instance.pk:
                self._put(name, data)
        marks = {name: mark(value) for name, value in self.stored.items()}
        data[self.loaded_name] = json.dumps(marks)
        did = "saved" if self.instance.pk else "deleted"
        self.add_error(
            None,
            f"{who} {did} this while you were writing. Your text is not lost: both versions "
            "are shown. Edit your text if needed, then save again to keep it.",
        )

    def last_saved(self) -> tuple[str, datetime | None]:
        """Who saved the row last, and when, as its history tells."""
        own = type(self.instance).history.filter(id=self.instance.pk)
        last = own.select_related("history_user").first()
        who = last.history_user.get_username() if last and last.history_user else "Another editor"
        return who, last.history_date if last else None

    def _fields_of_model(self) -> set[str]:
        return {field.name for field in self.instance._meta.concrete_fields}

    def _raw(self, name: str) -> object:
        """What is stored, as a form would send it."""
        return self.fields[name].prepare_value(self.stored[name])

    def _sent(self, name: str) -> object:
        return self[name].data

    def _touched(self, name: str) -> bool:
        """Whether what this editor sends differs from what was opened."""
        if self.fields[name].disabled:
            return False
        try:
            return mark(self.fields[name].clean(self._sent(name))) != self.opened[name]
        except ValidationError:
            sent = self._sent(name)
            return mark(sent) != "" or self.opened[name] != ""

    def _differs(self, name: str) -> bool:
        """Whether what this editor sends differs from what is stored."""
        try:
            return mark(self.fields[name].clean(self._sent(name))) != mark(self.stored[name])
        except ValidationError:
            return True

    def _sent_text(self, name: str) -> str:
        try:
            return self._text(name, self.fields[name].clean(self._sent(name)))
        except ValidationError:
            return str(self._sent(name) or "")

    def _text(self, name: str, value: object) -> str:
        """A value in words."""
        if isinstance(value, datetime):
            return f"{value.astimezone(UTC):%d %b %Y %H:%M:%S}"
        if isinstance(value, list):
            return "\n".join(map(str, value))
        if isinstance(value, bool):
            return "yes" if value else "no"
        chooser = self.fields[name]
        rows = chooser.queryset if isinstance(chooser, forms.ModelChoiceField) else None
        if rows is not None and value is not None:
            key = value.pk if isinstance(value, models.Model) else value
            return str(rows.filter(pk=key).first() or "")
        choices = dict(getattr(chooser, "choices", ()) or ())
        return str(choices.get(value, "" if value is None else value))

    def _put(self, name: str, data: QueryDict) -> None:
        """Fill in what a colleague saved, as if this editor had sent it."""
        value, key = self._raw(name), self.add_prefix(name)
        if isinstance(self.fields[name], forms.BooleanField):
            data.pop(key, None)
            if value:
                data[key] = "on"
            return
        shown = self.fields[name].widget.format_value(value)
        data[key] = (shown[0] if shown else "") if isinstance(shown, list) else shown or ""


def changed_fields(form: "forms.ModelForm[M]") -> list[str]:
    """The fields of its row that saving a model form changes."""
    own = {field.name for field in form.instance._meta.concrete_fields}
    return [name for name in form.changed_data if name in own]
