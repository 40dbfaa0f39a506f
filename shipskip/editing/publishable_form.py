"""The form of a row that is published by a moment in time."""

from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.html import format_html

from shipskip.editing.edit_conflicts import ConflictForm, is_same
from shipskip.editing.publish_buttons import Act, moment_after, unused_date
from shipskip.editing.states import P
from shipskip.web.publishing import ALWAYS, earlier_moments

SCHEDULE_HELP = "Schedule uses this date; Save alone publishes nothing."
PUBLIC_HELP = "Since when readers see it. You can correct it; emptying it changes nothing."
ALWAYS_HELP = "It has no date: readers have seen it from the start. You can enter one."
ALWAYS_TEXT = "Public from the start"
CHECKED = "Checked. Nothing was saved: a button at the end of the page saves."


class PublishableForm(ConflictForm[P]):
    """A form of a row that is published by a moment in time."""

    may_publish = True
    """Whether its editor may publish."""

    act = Act.SAVE
    """What the pressed button does to the state of the row."""

    checked = False
    """Whether it was sent to be checked, and is not saved."""

    schedule_help = SCHEDULE_HELP
    how_to_schedule = "press Schedule"
    """How an editor uses a typed date: for the field's help, and for messages."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.now = timezone.now()
        self.moved: bool | None = None
        """Whether the save changes the moment of publication; None until that is known."""
        self.unused_date = ""
        """The message about a typed date that was not used."""
        if self.instance._state.adding:  # a draft, even if the model's default is public
            self.instance.published_at = None
            self.initial.setdefault("published_at", None)
        if "published_at" in self.fields:
            self._label_date(self.fields["published_at"])
        self.cautions = self.find_cautions()
        """Warnings by field; they do not prevent saving."""
        for name, text in self.cautions.items():
            if name in self.fields:
                bound = self[name]
                bound.help_text = caution(bound.auto_id, text, bound.help_text)

    def find_cautions(self) -> dict[str, str]:
        """Warnings about the form's values, by field; an empty one reserves its place."""
        return {}

    def shown(self, name: str) -> str:
        """The displayed value of a field, as text; empty if the form has no such field."""
        value = self[name].value() if name in self.fields else ""
        return "" if value is None else str(value)

    def clean(self) -> dict[str, Any]:
        """Refuse a form that was only sent to be checked."""
        cleaned = super().clean()
        if self.checked:
            self.add_error(None, ValidationError(CHECKED, code="checked"))
        return cleaned

    def clean_published_at(self) -> datetime | None:
        """The moment of publication after the act; a typed date alone changes nothing."""
        typed, stored = self.cleaned_data["published_at"], self.stored.get("published_at")
        if typed is None and stored == ALWAYS:  # its field is empty
            typed = stored
        touched = not is_same(typed, self.opened["published_at"])
        if not touched and self.act is Act.SAVE:
            typed = stored
        rows = [self.instance] if self.act is Act.PUBLISH else []
        earlier = earlier_moments(rows).get(self.instance.pk)
        moment = moment_after(self.act, typed, stored, self.now, earlier=earlier)
        self.moved = not is_same(moment, stored)
        if touched and self.act is Act.SAVE and not is_same(typed, moment):
            self.unused_date = unused_date(typed, stored, self.now, self.how_to_schedule)
        return moment if self.moved else stored

    @property
    def changed_data(self) -> list[str]:
        """The fields that this save changes, without a typed date that it does not use."""
        changed = super().changed_data
        if self.moved is None:
            return changed
        others = [name for name in changed if name != "published_at"]
        return [*others, "published_at"] if self.moved else others

    def _changed_here(self, name: str) -> bool:
        """Whether this editor changes a field; an act changes the moment of publication."""
        if name == "published_at" and self.moved is not None:
            return self.moved
        return super()._changed_here(name)

    def _label_date(self, field: forms.Field) -> None:
        """Set the label and help text of the date: when to publish, or since when it is public."""
        stored = self.stored.get("published_at")
        field.label = "Publication date"
        field.help_text = PUBLIC_HELP if stored and stored <= self.now else self.schedule_help
        if stored == ALWAYS:
            self.initial["published_at"] = None
            field.help_text = ALWAYS_HELP
            field.widget.attrs |= {"placeholder": ALWAYS_TEXT, "size": str(len(ALWAYS_TEXT))}


def caution(field_id: str, text: str, help_text: object = "") -> str:
    """A warning after a field's help text; an empty one is a placeholder for later."""
    return format_html(
        '{} <span class="caution" id="{}_caution">{}</span>', help_text, field_id, text
    )
