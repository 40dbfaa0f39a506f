"""The admin of changed verdicts: publishers correct what readers see of them, in words."""

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AdminTextInputWidget
from django.http import HttpRequest

from reviews.models import Take, TakeChange
from shipskip.editing.list_columns import tool_name
from shipskip.editing.record_admin import RecordAdmin
from shipskip.web.text import validate_reason


class CorrectionForm(forms.ModelForm):  # type: ignore[type-arg]
    """The reason of a changed verdict, beside the note of a correction."""

    reason = forms.CharField(
        max_length=200,
        validators=[validate_reason],
        widget=AdminTextInputWidget(attrs={"class": "vLargeTextField"}),
        error_messages={"required": "Enter the reason; to keep the old one, leave this page."},
        help_text="One line, shown to readers. The take’s history keeps the earlier one.",
    )


@admin.register(TakeChange)
class TakeChangeAdmin(RecordAdmin[TakeChange]):
    """The public record: only reasons and notes of corrections can be changed."""

    form = CorrectionForm
    publishes = Take
    list_display = [tool_name, "reviewer", "step", "reason", "correction", "at"]
    list_select_related = ["tool", "reviewer"]
    fields = ["tool", "reviewer", "step", "at", "reason", "correction"]
    readonly_fields = ["tool", "reviewer", "step", "at"]

    @admin.display(description="Change")
    def step(self, row: TakeChange) -> str:
        """Score and verdict before and after."""
        before = f"{row.score_before}, {row.get_verdict_before_display().lower()}"
        return f"{before} → {row.score_after}, {row.get_verdict_after_display().lower()}"

    def has_change_permission(self, request: HttpRequest, obj: TakeChange | None = None) -> bool:
        """Publishers of takes, while the take exists: its history records the correction."""
        may = super().has_change_permission(request, obj)
        return may and (obj is None or _take_of(obj) is not None)

    def save_model(
        self,
        request: HttpRequest,
        obj: TakeChange,
        form: "forms.ModelForm[TakeChange]",
        change: object,
    ) -> None:
        """Save, and record what was corrected in the take's history."""
        super().save_model(request, obj, form, change)
        take = _take_of(obj)
        notes = [
            f"Public {name} corrected: “{form.initial[name]}” → “{getattr(obj, name)}”"
            for name in form.changed_data
        ]
        for note in notes if take else ():
            Take.history.bulk_history_create(
                [take], update=True, default_user=request.user, default_change_reason=note
            )


def _take_of(row: TakeChange) -> Take | None:
    """The take that was changed; None if it was deleted."""
    return Take.objects.filter(tool=row.tool_id, reviewer=row.reviewer_id).first()
