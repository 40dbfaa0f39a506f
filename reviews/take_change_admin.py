"""The admin of changed verdicts: publishers correct the reason that readers see."""

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AdminTextInputWidget
from django.db.models.functions import Lower
from django.http import HttpRequest

from reviews.models import Take, TakeChange
from shipskip.editing.admin_base import BaseAdmin
from shipskip.editing.content_admin import may_publish
from shipskip.editing.list_columns import names_and_taglines
from shipskip.web.text import validate_reason


class CorrectionForm(forms.ModelForm):  # type: ignore[type-arg]
    """The reason of a changed verdict."""

    reason = forms.CharField(
        max_length=200,
        validators=[validate_reason],
        widget=AdminTextInputWidget(attrs={"class": "vLargeTextField"}),
        error_messages={"required": "Enter the reason; to keep the old one, leave this page."},
        help_text="One line, shown to readers. The take’s history keeps the earlier one.",
    )

    class Meta:
        model = TakeChange
        fields = ["reason"]


@admin.register(TakeChange)
class TakeChangeAdmin(BaseAdmin[TakeChange]):
    """The public record: only the reasons of its entries can be changed."""

    form = CorrectionForm
    list_display = ["tool_name", "reviewer", "step", "reason", "at"]
    list_select_related = ["tool", "reviewer"]
    list_per_page = 50
    search_fields = ["tool__name", "tool__slug", "reason"]
    extra_lookups = ("tool__id__exact",)  # a tool's page links to its changes
    fields = ["tool", "reviewer", "step", "at", "reason"]
    readonly_fields = ["tool", "reviewer", "step", "at"]
    show_full_result_count = False
    actions = None

    @admin.display(description="Tool", ordering=Lower("tool__name"))
    def tool_name(self, row: TakeChange) -> str:
        """The tool's name, with its tagline below."""
        return names_and_taglines((row.tool.labelled_name, row.tool.tagline))

    @admin.display(description="Change")
    def step(self, row: TakeChange) -> str:
        """Score and verdict before and after."""
        before = f"{row.score_before}, {row.get_verdict_before_display().lower()}"
        return f"{before} → {row.score_after}, {row.get_verdict_after_display().lower()}"

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Editors who may publish takes."""
        return may_publish(request, Take._meta)

    def has_view_permission(self, request: HttpRequest, obj: TakeChange | None = None) -> bool:
        """Editors who may publish takes."""
        return may_publish(request, Take._meta)

    def has_change_permission(self, request: HttpRequest, obj: TakeChange | None = None) -> bool:
        """The same, while the take exists: its history records the correction."""
        return may_publish(request, Take._meta) and (obj is None or _take_of(obj) is not None)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Entries are created only by changes of takes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: TakeChange | None = None) -> bool:
        """Entries of the public record are never deleted."""
        return False

    def save_model(
        self,
        request: HttpRequest,
        obj: TakeChange,
        form: "forms.ModelForm[TakeChange]",
        change: object,
    ) -> None:
        """Save the reason, and record the correction in the take's history."""
        super().save_model(request, obj, form, change)
        take = _take_of(obj)
        if take and "reason" in form.changed_data:
            note = f"Public reason corrected: “{form.initial['reason']}” → “{obj.reason}”"
            Take.history.bulk_history_create(
                [take], update=True, default_user=request.user, default_change_reason=note
            )


def _take_of(row: TakeChange) -> Take | None:
    """The take that was changed; None if it was deleted."""
    return Take.objects.filter(tool=row.tool_id, reviewer=row.reviewer_id).first()
