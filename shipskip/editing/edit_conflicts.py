"""Edit conflicts (optimistic locking): if two editors change one row, the second save is refused.

No text is lost. A form contains the key of the row's newest version as of when the page was opened
(`history_id`). If the row has another newest version when it is saved, three values of each field
are compared: that of the version, the stored and the submitted one.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Generic, TypeVar

from django import forms
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Max
from django.http import QueryDict
from django.urls import reverse

from shipskip.editing.draft_recovery import NOT_SAVED
from shipskip.editing.foreign_key_fields import is_key
from shipskip.editing.form_list import FormListField
from shipskip.editing.moments import ZONE_SUFFIX, moment_in_words
from shipskip.web.publishing import ALWAYS
from shipskip.web.slugs import propose_slug

M = TypeVar("M", bound=models.Model)
HISTORY_ID = "history_id"
"""The name of the hidden field with the key of a version; in a form set, after its prefix."""


def is_same(first: object, second: object) -> bool:
    """Whether two values of a field are equal to an editor.

    These count as equal: a row and its primary key; None and an empty text; texts that differ only
    in line endings and surrounding white space; moments that differ by less than a second.
    """
    return _comparable(first) == _comparable(second)


def _comparable(value: object) -> object:
    if isinstance(value, models.Model):
        return value.pk
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(microsecond=0)
    if isinstance(value, str):
        value = "\n".join(value.strip().splitlines())
    return None if value in ("", [], {}) else value


class Versions:
    """The newest versions of rows of one model, and those with which their forms were opened: at
    most two queries. To be read after the rows are locked.
    """

    def __init__(
        self, model: type[models.Model], pks: Iterable[int], opened: Iterable[str] = ()
    ) -> None:
        history = model.history  # type: ignore[attr-defined]
        newest = history.filter(id__in=list(pks)).order_by().values_list("id")
        # The versions of one row are written under its lock, so the highest key is the newest.
        self._newest: dict[int, int] = dict(newest.annotate(Max("history_id")))
        keys = {int(key) for key in opened if is_key(key)} - {*self._newest.values()}
        self._opened: dict[int, Any] = history.in_bulk(keys) if keys else {}

    def newest(self, pk: int | None) -> str:
        """The key of a row's newest version; empty for a row without a version."""
        return str(self._newest.get(pk or 0, ""))

    def opened(self, key: str) -> Any:
        """The row as it was in a version that is not the newest; None if there is none."""
        version = self._opened.get(int(key)) if is_key(key) else None
        if version is None:
            return None
        values = {each.attname: getattr(version, each.attname) for each in version.tracked_fields}
        return version.instance_type(**values)


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
        self.stored = self.values_of(self.instance if self.instance.pk else None)
        """The stored values of the fields that have a history."""
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

    def values_of(self, row: M | None) -> dict[str, Any]:
        """The values of a row by field, of those that have a history; None without a row."""
        values = forms.model_to_dict(row) if row else {}
        tracked = {each.name for each in type(self.instance).history.model.tracked_fields}
        return {name: values.get(name) for name in self.fields if name in tracked}

    @cached_property
    def versions(self) -> Versions:
        """The versions of the row; a form set reads those of all its rows together."""
        pks = [self.instance.pk] if self.instance.pk else []
        return Versions(type(self.instance), pks, [self.opened_id or ""])

    @property
    def history_name(self) -> str:
        """The name of the hidden field with the key of the version."""
        return self.add_prefix(HISTORY_ID)

    @property
    def opened_id(self) -> str | None:
        """The key of the newest version when the page was opened; None if it was not sent."""
        return self.data.get(self.history_name) if self.is_bound else None

    @property
    def history_id(self) -> str:
        """The value of the hidden field; an invalid form keeps the key it was submitted with,
        until both versions were shown.
        """
        opened = self.opened_id
        return self.versions.newest(self.instance.pk) if opened is None else opened

    @cached_property
    def opened(self) -> dict[str, Any]:
        """The values when the page was opened. An unknown version differs from all that is stored,
        so that both are shown.
        """
        if self.opened_id in (None, self.versions.newest(self.instance.pk)):
            return self.stored
        return self.values_of(self.versions.opened(self.opened_id or ""))

    @property
    def changed_meanwhile(self) -> list[str]:
        """The fields that another editor changed since the page was opened."""
        if not self.is_bound:
            return []
        return [name for name in self.stored if not is_same(self.stored[name], self.opened[name])]

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
        data[self.history_name] = self.versions.newest(self.instance.pk)
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
            return not is_same(self._submitted(name), self.opened[name])
        except ValidationError:
            return not is_same(self[name].data, None) or not is_same(self.opened[name], None)

    def _differs(self, name: str) -> bool:
        """Whether the submitted value differs from the stored one."""
        try:
            return not is_same(self._submitted(name), self.stored[name])
        except ValidationError:
            return True

    def _submitted_text(self, name: str) -> str:
        try:
            return self._text(name, self._submitted(name))
        except ValidationError:
            data, field = self[name].data or "", self.fields[name]
            if isinstance(field, FormListField):
                return field.typed(data)
            return "\n".join(map(str, data)) if isinstance(data, list) else str(data)

    def _text(self, name: str, value: object) -> str:
        """A value as text."""
        if isinstance(value, datetime):
            return "public from the start" if value == ALWAYS else moment_in_words(value)
        chooser = self.fields[name]
        if isinstance(chooser, FormListField):
            return chooser.as_text(value if isinstance(value, list) else [])
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
        if isinstance(field, FormListField):
            field.fill_in(data, key, value)
            return
        if isinstance(field, forms.BooleanField):
            shown: Any = "on" if value else ""
        else:
            shown = field.widget.format_value(value)
        data.pop(f"{key}{ZONE_SUFFIX}", None)  # it is in the zone of this page
        data.setlist(key, shown if isinstance(shown, list) else [shown or ""])


def changed_fields(form: "forms.ModelForm[M]") -> list[str]:
    """The model fields that saving a model form changes."""
    own = {field.name for field in form.instance._meta.concrete_fields}
    return [name for name in form.changed_data if name in own]
