"""The admin of changed facts and prices: publishers mark corrections of our own errors."""

from django.contrib import admin

from shipskip.editing.list_columns import tool_name
from shipskip.editing.record_admin import RecordAdmin
from tools.models import FactChange, Tool


@admin.register(FactChange)
class FactChangeAdmin(RecordAdmin[FactChange]):
    """The public record of facts and prices."""

    publishes = Tool
    list_display = [tool_name, "subject", "before", "after", "correction", "at"]
    list_select_related = ["tool"]
    fields = ["tool", "subject", "before", "after", "at", "correction"]
    readonly_fields = ["tool", "subject", "before", "after", "at"]
