"""Writing one take on a screen of its own."""

from typing import Any

from django import forms
from django.utils import timezone

from reviews import cautions, record
from reviews.models import Take
from shipskip.editing.edit_conflicts import Conflict
from shipskip.editing.fields import ReasonField
from shipskip.editing.publishable_form import PublishableForm


class TakeForm(PublishableForm[Take]):
    """A take; whose it is stays as it is once it is saved."""

    reason = ReasonField(help_text=record.REASON_HELP)
    still_true = forms.BooleanField(required=False, label=record.STILL_TRUE, label_suffix="")

    class Meta:
        model = Take
        fields = ["tool", "reviewer", "score", "verdict", "body", "published_at"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.revision = record.Revision.of(self.instance)
        for name in self.revision.not_asked:
            self.fields.pop(name, None)
        if self.instance.pk:
            for name in {"tool", "reviewer"} & set(self.fields):
                self.fields[name].disabled = True
        if "score" in self.fields:
            self.fields["score"].widget.attrs.update({"min": "0", "max": "100"})
        if "published_at" in self.fields:
            self["published_at"].help_text = "UTC; empty is a draft"

    def find_cautions(self) -> dict[str, str]:
        """A score at odds with its verdict, and a text too short."""
        return cautions.as_typed(*map(self.shown, ("score", "verdict", "body")))

    def clean(self) -> dict[str, Any]:
        """Ask for a reason where readers see a change; tell whose take was there first."""
        cleaned = super().clean()
        for name, said in self.revision.complaints(cleaned, may_publish=self.may_publish).items():
            if name not in self.errors:
                self.add_error(name, said)
        if cleaned.get("still_true") or set(self.changed_data) - {"reason", "published_at"}:
            self.instance.checked_at = timezone.now()
            self.set_by_rule.append("checked_at")
        tool, reviewer = cleaned.get("tool"), cleaned.get("reviewer")
        if tool and reviewer and not self.instance.pk:
            earlier = Take.objects.on([tool]).by(reviewer).first()
            if earlier:
                self._tell_of(earlier)
            elif record.deleted_in_public(tool.pk, reviewer.pk):
                self.add_error(None, record.WAS_PUBLIC)
        return cleaned

    def _tell_of(self, earlier: Take) -> None:
        """Somebody wrote this take already: show theirs beside this one."""
        theirs = TakeForm(instance=earlier)
        self.stored = theirs.stored
        who, when = theirs.last_saved()
        names = ("score", "verdict", "body")
        rows = [(str(self[n].label), theirs.shown(n), self.shown(n)) for n in names]
        self.conflict = Conflict(who, when, rows)
        self.add_error(
            "reviewer",
            f"{earlier.reviewer} has a take on this tool already. Both are shown above: copy what "
            "you want to keep of yours, and change that one.",
        )
