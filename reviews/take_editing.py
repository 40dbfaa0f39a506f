"""What the forms of a take have in common: its own page has one, a tool's page one per reviewer."""

from typing import Any

from django import forms
from django.utils import timezone

from reviews import cautions, take_changes
from reviews.models import Take
from shipskip.editing.fields import ReasonField
from shipskip.editing.publishable_form import PublishableForm


class EditedTakeForm(PublishableForm[Take]):
    """A take whose public score and verdict change only with a reason."""

    reason = ReasonField(help_text=take_changes.REASON_HELP)
    still_true = forms.BooleanField(required=False, label=take_changes.STILL_TRUE, label_suffix="")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.revision = take_changes.Revision.of(self.instance)
        for name in self.revision.omitted_fields:
            self.fields.pop(name, None)
        if "score" in self.fields:
            self.fields["score"].widget.attrs.update({"min": "0", "max": "100"})

    def find_cautions(self) -> dict[str, str]:
        """Warn about a score that does not match its verdict, and about a short text and
        one without a reason."""
        return cautions.as_typed(*map(self.shown, cautions.FIELDS))

    def clean(self) -> dict[str, Any]:
        """Require a reason for a public change; a changed take is checked now."""
        cleaned = super().clean()
        for name, message in self.revision.errors(cleaned, may_publish=self.may_publish).items():
            if name not in self.errors:
                self.add_error(name, message)
        no_check = {"reason", "published_at", "held"}
        if cleaned.get("still_true") or set(self.changed_data) - no_check:
            self.instance.checked_at = timezone.now()
            self.set_by_rule.append("checked_at")
        return cleaned

    def refuse_if_deleted(self, tool: int, reviewer: int) -> None:
        """Refuse a new take where a public one of the same reviewer was deleted."""
        if take_changes.deleted_while_public(tool, reviewer):
            self.add_error(None, take_changes.DELETED_TAKE_WAS_PUBLIC)
