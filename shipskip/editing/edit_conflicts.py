"""Edit conflicts (optimistic locking): if two editors change one row, the second save is refused.

No text is lost. A form contains a hash of each value as it was when the page was opened. On saving,
three versions are compared: the opened, the stored and the submitted one.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Generic, TypeVar

from django import forms
from django.core.exceptions import ValidationError
from django.db import models
from django.http import QueryDict
from django.urls import reverse

from shipskip.editing.draft_recovery import NOT_SAVED
from shipskip.editing.moments import ZONE_SUFFIX, ZonedText, moment_in_words
from shipskip.editing.row_list import RowListField, RowTextsField
from shipskip.web.publishing import ALWAYS
from shipskip.web.slugs import propose_slug

M = TypeVar("M", bound=models.Model)
Hashes = dict[str, str]
MAX_HASHES = 5_000
"""Maximum length of the hashes of a form, in characters; those of a tool are about 1,000."""


def value_hash(value: object) -> str:
    """Return a short hash of a field's value; equal values have equal hashes.

    These count as equal: a row and its primary key; None and an empty text; texts that differ only
    in line endings and surrounding white space; moments that differ by less than a second; numbers
    that differ only in trailing zeros.
    """
    if isinstance(value, models.Model):
        value = value.pk
    if isinstance(value, Decimal):
        value = f"{value.normalize():f}"
    if isinstance(value, datetime):
        value = value.astimezone(UTC).replace(microsecond=0).isoformat()
    if isinstance(value, str):
        value = "\n".join(value.strip().splitlines())
    if value is None or value in ("", [], {}):
        return ""
    text = json.dumps(value, default=str, sort_keys=True)
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=6).hexdigest()


@dataclass
class Conflict:
    """What another editor saved meanwhile, and what this editor submitted."""

    who: str
    when: datetime | None
    rows: list[tuple[str, str, str | None]] = field(default_factory=list)
    """For each field that differs: its label, the other editor's text, and this editor's text or
    None if they did not change it, so that the form now shows the other editor's."""


class ConflictForm(forms.ModelForm, Generic[M]):  # type: ignore[type-arg]
    """A form whose row may have changed since the page was opened."""

    conflict: Conflict | None = None
    recovered = False
    """Whether this form was recovered after a new login; it is not saved at once, so that the
    editor checks it.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.set_by_rule: list[str] = []
        """Fields that code set, in addition to those the editor changed."""
        self.submitted: dict[str, Any] = {}
        """The valid values as submitted, before those of another editor are filled in."""
        stored = forms.model_to_dict(self.instance) if self.instance.pk else {}
        own = [name for name in self.fields if name in self._fields_of_model()]
        self.stored: dict[str, Any] = {name: stored.get(name) for name in own}
        if self.instance._state.adding and "slug" in self.fields:
            self._propose_slug()

    def _propose_slug(self) -> None:
        """Derive the slug of a new row from its name; without JavaScript, when it is saved."""
        kind = self.instance._meta.model_name
        field = self.fields["slug"]
        field.required = False
        field.widget.attrs["data-proposal"] = f"{reverse('admin:slug')}?kind={kind}"
        field.help_text = "The address of its page. Left empty, it is made from the name."

    def clean_slug(self) -> str:
        """The slug; for a new row without one, that of its name."""
        slug, name = str(self.cleaned_data["slug"]), self.cleaned_data.get("name")
        if slug or not name:
            return slug
        return propose_slug(name, str(self.instance._meta.model_name))

    @property
    def loaded_name(self) -> str:
        """The name of the hidden field that contains the hashes."""
        return self.add_prefix("loaded")

    @property
    def loaded(self) -> str:
        """The value of the hidden field: the hashes of what is stored.

        An invalid form whose row no other editor changed keeps the hashes it was submitted with.
        """
        submitted = self.data.get(self.loaded_name) if self.is_bound else None
        return submitted or json.dumps(
            {name: value_hash(value) for name, value in self.stored.items()}
        )

    @property
    def opened_hashes(self) -> Hashes:
        """The hashes of the page when it was opened; if there are none, those of the stored row."""
        sent = str(self.data.get(self.loaded_name, ""))
        try:
            submitted = json.loads(sent) if len(sent) <= MAX_HASHES else None
        except (ValueError, RecursionError):
            submitted = None
        hashes = {name: value_hash(value) for name, value in self.stored.items()}
        if isinstance(submitted, Mapping):
            hashes |= {name: str(submitted[name]) for name in hashes if name in submitted}
        return hashes

    @property
    def changed_meanwhile(self) -> list[str]:
        """The fields that another editor changed since the page was opened."""
        if not self.is_bound:
            return []
        opened = self.opened_hashes
        return [name for name, value in self.stored.items() if value_hash(value) != opened[name]]

    @property
    def changed_data(self) -> list[str]:
        """The fields this editor changed, without those that only another editor changed."""
        changed: list[str] = super().changed_data
        theirs = self.changed_meanwhile
        own = [name for name in changed if name not in theirs or self._changed_here(name)]
        return own + [name for name in self.set_by_rule if name not in own]

    def clean(self) -> dict[str, Any]:
        """Keep fields that only another editor changed; refuse the save if both changed the row."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        self.submitted = dict(cleaned)
        if self.recovered:
            self.add_error(None, ValidationError(NOT_SAVED, code="kept"))
        theirs = self.changed_meanwhile
        if not theirs:
            return cleaned
        mine = [name for name in self.stored if self._changed_here(name)]
        apart = [name for name in {*mine, *theirs} if self._differs(name)]
        if mine and apart:
            self._refuse(mine, theirs)
        for name in theirs:
            if name not in mine:
                cleaned[name] = self.fields[name].clean(self._stored_for_form(name))
                self.errors.pop(name, None)
        return cleaned

    def _refuse(self, mine: list[str], theirs: list[str]) -> None:
        """Show both versions; the editor decides whether to save again."""
        who, when = self.last_saved()
        rows = [
            (
                str(self[name].label),
                self._text(name, self.stored[name]),
                self._submitted_text(name) if name in mine else None,
            )
            for name in self.stored
            if name in {*mine, *theirs} and self._differs(name)
        ]
        self.conflict = Conflict(who, when, rows)
        data = QueryDict(mutable=True)
        data.update(self.data)
        self.data = data
        for name in theirs:
            if name not in mine and self.instance.pk:
                self._fill_in(name, data)
        hashes = {name: value_hash(value) for name, value in self.stored.items()}
        data[self.loaded_name] = json.dumps(hashes)
        did = "saved" if self.instance.pk else "deleted"
        self.add_error(
            None,
            f"{who} {did} this while you were writing. Your text is not lost: both versions "
            "are shown. Edit your text if needed, then save again to keep it.",
        )

    def last_saved(self) -> tuple[str, datetime | None]:
        """Who saved the row last, and when, according to its history."""
        own = type(self.instance).history.filter(id=self.instance.pk)
        last = own.select_related("history_user").first()
        who = last.history_user.get_username() if last and last.history_user else "Another editor"
        return who, last.history_date if last else None

    def _fields_of_model(self) -> set[str]:
        return {field.name for field in self.instance._meta.concrete_fields}

    def _stored_for_form(self, name: str) -> Any:
        """The stored value, as a form would submit it."""
        return self.fields[name].prepare_value(self.stored[name])

    def _submitted(self, name: str) -> Any:
        """The submitted value of a field; raises ValidationError if it is invalid."""
        if name in self.submitted:
            return self.submitted[name]
        return self.fields[name].clean(self[name].data)

    def _changed_here(self, name: str) -> bool:
        """Whether the submitted value differs from the one when the page was opened."""
        if self.fields[name].disabled:
            return False
        try:
            return value_hash(self._submitted(name)) != self.opened_hashes[name]
        except ValidationError:
            return value_hash(self[name].data) != "" or self.opened_hashes[name] != ""

    def _differs(self, name: str) -> bool:
        """Whether the submitted value differs from the stored one."""
        try:
            return value_hash(self._submitted(name)) != value_hash(self.stored[name])
        except ValidationError:
            return True

    def _submitted_text(self, name: str) -> str:
        try:
            return self._text(name, self._submitted(name))
        except ValidationError:
            data = self[name].data or ""
            if isinstance(self.fields[name], RowTextsField):
                data = [place[1] for place in data if place[1]]
            return "\n".join(map(str, data)) if isinstance(data, list) else str(data)

    def _text(self, name: str, value: object) -> str:
        """A value as text."""
        if isinstance(value, datetime):
            return "public from the start" if value == ALWAYS else moment_in_words(value)
        chooser = self.fields[name]
        if isinstance(chooser, RowListField):
            return chooser.names(value if isinstance(value, list) else [])
        if isinstance(chooser, RowTextsField):
            return chooser.names(value if isinstance(value, dict) else {})
        choices = dict(getattr(chooser, "choices", ()) or ())
        if isinstance(value, list):
            return "\n".join(str(choices.get(each, each)) for each in value)
        if isinstance(value, bool):
            return "yes" if value else "no"
        rows = chooser.queryset if isinstance(chooser, forms.ModelChoiceField) else None
        if rows is not None and value is not None:
            key = value.pk if isinstance(value, models.Model) else value
            return str(rows.filter(pk=key).first() or "")
        return str(choices.get(value, "" if value is None else value))

    def _fill_in(self, name: str, data: QueryDict) -> None:
        """Fill in what another editor saved, as if this editor had submitted it."""
        value, key = self._stored_for_form(name), self.add_prefix(name)
        field = self.fields[name]
        if isinstance(field, RowListField | RowTextsField):
            field.fill_in(data, key, value)
            return
        if isinstance(field, forms.BooleanField):
            data.pop(key, None)
            if value:
                data[key] = "on"
            return
        shown = self.fields[name].widget.format_value(value)
        if isinstance(field.widget, forms.CheckboxSelectMultiple):
            data.setlist(key, shown or [])
            return
        if isinstance(value, ZonedText):
            data[f"{key}{ZONE_SUFFIX}"] = value.zone
        data[key] = (shown[0] if shown else "") if isinstance(shown, list) else shown or ""


def changed_fields(form: "forms.ModelForm[M]") -> list[str]:
    """The model fields that saving a model form changes."""
    own = {field.name for field in form.instance._meta.concrete_fields}
    return [name for name in form.changed_data if name in own]
