"""The form of a row that is published by a moment in time."""

from typing import Any

from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from shipskip.editing.content_admin import P
from shipskip.editing.edit_conflicts import ConflictForm
from shipskip.web.publishing import withdrawal
from shipskip.web.slugs import propose_slug

RECOVERED = (
    "You were logged out while you were writing. Your text is below and not saved yet: "
    "check it, then save."
)


class PublishableForm(ConflictForm[P]):
    """A form of a row that is published by a moment in time."""

    recovered = False
    """Whether this form was recovered after a new login."""

    may_publish = True
    """Whether its editor may publish."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance._state.adding:  # a draft, also where the model's default is public
            self.instance.published_at = None
            self.initial.setdefault("published_at", None)
            if "slug" in self.fields:
                self._propose_slug()
        self.cautions = self.find_cautions()
        """Warnings by field; they do not prevent saving."""
        for name, text in self.cautions.items():
            if name in self.fields:
                bound = self[name]
                bound.help_text = caution(bound.auto_id, text, bound.help_text)

    def _propose_slug(self) -> None:
        """Let the slug of a new row follow its name; without JavaScript, when it is saved."""
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

    def find_cautions(self) -> dict[str, str]:
        """Warnings about the form's values, by field; an empty one reserves its place."""
        return {}

    def shown(self, name: str) -> str:
        """The displayed value of a field, as text; empty if the form has no such field."""
        value = self[name].value() if name in self.fields else ""
        return "" if value is None else str(value)

    def clean(self) -> dict[str, Any]:
        """Record a withdrawal; refuse a recovered form once, so that the editor checks it."""
        cleaned = super().clean()
        before, now = self.stored.get("published_at"), timezone.now()
        if "published_at" in cleaned and withdrawal(before, cleaned["published_at"], now):
            self.instance.withdrawn_at = now
            self.set_by_rule.append("withdrawn_at")
        if self.recovered:
            raise ValidationError(RECOVERED, code="kept")
        return cleaned


def caution(field_id: str, text: str, help_text: object = "") -> str:
    """A warning after a field's help text; an empty one is a placeholder for later."""
    return format_html(
        '{} <span class="caution" id="{}_caution">{}</span>', help_text, field_id, text
    )
