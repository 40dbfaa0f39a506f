"""The admin of changed facts and prices: publishers mark corrections of our own errors."""

from django import forms
from django.contrib import admin

from shipskip.editing.record_admin import CORRECTION_HELP, RecordAdmin
from tools.models import FactChange, Tool


class FactCorrectionForm(forms.ModelForm):  # type: ignore[type-arg]
    """The note of a correction."""

    class Meta:
        model = FactChange
        fields = ["correction"]
        widgets = {"correction": forms.TextInput(attrs={"class": "vLargeTextField"})}
        help_texts = {"correction": CORRECTION_HELP}


@admin.register(FactChange)
class FactChangeAdmin(RecordAdmin[FactChange]):
    """The public record of facts and prices."""

    form = FactCorrectionForm
    publishes = Tool
    list_display = ["tool_name", "subject", "before", "after", "correction", "at"]
    list_select_related = ["tool"]
    fields = ["tool", "subject", "before", "after", "at", "correction"]
    readonly_fields = ["tool", "subject", "before", "after", "at"]
