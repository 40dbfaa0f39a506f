"""The form of one take on its own admin page."""

from typing import Any

from django import forms
from django.utils import timezone

from reviews import cautions, take_changes
from reviews.models import Take
from shipskip.editing.edit_conflicts import Conflict
from shipskip.editing.fields import ReasonField
from shipskip.editing.publishable_form import PublishableForm


class TakeForm(PublishableForm[Take]):
    """A take; its tool and reviewer cannot be changed once it is saved."""

    reason = ReasonField(help_text=take_changes.REASON_HELP)
    still_true = forms.BooleanField(required=False, label=take_changes.STILL_TRUE, label_suffix="")

    class Meta:
        model = Take
        fields = [
            "tool",
            "reviewer",
            "score",
            "verdict",
            "basis",
            "because",
            "body",
            "published_at",
        ]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.revision = take_changes.Revision.of(self.instance)
        for name in self.revision.omitted_fields:
            self.fields.pop(name, None)
        if self.instance.pk:
            for name in {"tool", "reviewer"} & set(self.fields):
                self.fields[name].disabled = True
        if "score" in self.fields:
            self.fields["score"].widget.attrs.update({"min": "0", "max": "100"})

    def find_cautions(self) -> dict[str, str]:
        """Warn about a score that does not match its verdict, and about a short text and
        one without a reason."""
        return cautions.as_typed(*map(self.shown, cautions.FIELDS))

    def clean(self) -> dict[str, Any]:
        """Require a reason for a public change; if the take exists already, show it."""
        cleaned = super().clean()
        for name, message in self.revision.errors(cleaned, may_publish=self.may_publish).items():
            if name not in self.errors:
                self.add_error(name, message)
        if cleaned.get("still_true") or set(self.changed_data) - {"reason", "published_at"}:
            self.instance.checked_at = timezone.now()
            self.set_by_rule.append("checked_at")
        tool, reviewer = cleaned.get("tool"), cleaned.get("reviewer")
        if tool and reviewer and not self.instance.pk:
            earlier = Take.objects.on([tool]).by(reviewer).first()
            if earlier:
                self._show_conflict(earlier)
            elif take_changes.deleted_while_public(tool.pk, reviewer.pk):
                self.add_error(None, take_changes.DELETED_TAKE_WAS_PUBLIC)
        return cleaned

    def _show_conflict(self, earlier: Take) -> None:
        """Show the stored take of this reviewer on this tool beside the one typed here."""
        theirs = TakeForm(instance=earlier)
        self.stored = theirs.stored
        who, when = theirs.last_saved()
        names = ("score", "verdict", "basis", "because", "body")
        rows: list[tuple[str, str, str | None]] = [
            (str(self[n].label), theirs.shown(n), self.shown(n)) for n in names
        ]
        self.conflict = Conflict(who, when, [*rows])
        self.add_error(
            "reviewer",
            f"{earlier.reviewer} has a take on this tool already. Both are shown above: copy what "
            "you want to keep of yours, and change that one.",
        )
