"""The admin of comparisons."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AdminTextInputWidget
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from comparisons.addresses import MAX_TOOLS
from comparisons.comparison_form import ComparisonForm
from comparisons.models import Comparison, ComparisonQuerySet, ComparisonTool
from comparisons.views import preview_of
from shipskip.editing.deletion_counts import DependentCount, listed
from shipskip.editing.edit_conflicts import ConflictForm
from shipskip.editing.foreign_key_fields import ChoiceByName, ChoiceByNameField, is_key
from shipskip.editing.history_entries import ModelField
from shipskip.editing.list_columns import names_and_taglines
from shipskip.editing.publishable_admin import PublishableAdmin
from shipskip.editing.row_list import RowListField, RowTextsField
from shipskip.editing.states import StateFilter, is_shown
from shipskip.web.key_lists import by_name
from shipskip.web.text import validate_line
from tools.models import LONGEST_CHOOSE_IF, Tool

EDITED_TOGETHER = ("tool_ids", "choose_if")
"""The fields of the list of tools."""
CHOOSE_IF_HELP = (
    "“Choose it if …” is optional. It is shown above the cards instead of the tool’s own text: "
    "start in lower case."
)


@admin.register(Comparison)
class ComparisonAdmin(PublishableAdmin[Comparison]):
    """Two to ten tools in the editor's order."""

    form = ComparisonForm
    list_display = ["names", "state", "place"]
    list_filter = [StateFilter, "featured"]
    search_fields = ["members__tool__name", "members__tool__slug"]
    search_help_text = "Name or address of a tool"
    fields = ["tool_ids", "choose_if", "summary", "featured", "published_at"]
    has_previews = True

    def get_readonly_fields(self, request: HttpRequest, obj: Comparison | None = None) -> list[str]:
        """Only publishers choose the featured comparisons."""
        fields = super().get_readonly_fields(request, obj)
        return fields if self.has_publish_permission(request) else [*fields, "featured"]

    def get_fields(self, request: HttpRequest, obj: Comparison | None = None) -> list[Any]:
        """The fields; read-only users see names instead of keys."""
        fields = super().get_fields(request, obj)
        if obj is None or self.has_change_permission(request, obj):
            return fields
        return ["names", "texts", *(each for each in fields if each not in EDITED_TOGETHER)]

    @admin.display(description="Choose if", empty_value="")
    def texts(self, row: Comparison) -> str:
        """The texts beside its tools, by their names."""
        own = row.choose_if
        return by_name((tool, own[str(tool.pk)]) for tool in row.tools if str(tool.pk) in own)

    def lost_by_withdrawal(self, rows: Sequence[Comparison], now: datetime) -> dict[str, list[str]]:
        """The texts and order of the editors; readers can still compare the tools."""
        left = [f"readers can still compare the tools at {row.get_absolute_url()}" for row in rows]
        many = "comparisons’ summaries, orders and places in the lists"
        return listed(left, "its summary, order and place in the lists", many)

    def preview_page(self, request: HttpRequest, row: Comparison) -> HttpResponse:
        """The page of the tools side by side."""
        return preview_of(request, row, None, timezone.now())

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Comparison]":
        """The comparisons with their tools, and whether the home page shows them."""
        rows = super().get_queryset(request)
        if isinstance(rows, ComparisonQuerySet):
            return rows.with_tools().with_first_name().with_home_page(timezone.now())
        return rows

    def dependents(self, rows: Sequence[Comparison]) -> list[DependentCount]:
        """Nothing: the list of tools is part of the comparison, and the tools stay."""
        return []

    @admin.display(description="Comparison", ordering="first_name")
    def names(self, row: Comparison) -> str:
        """The names of its tools, with their taglines below."""
        return names_and_taglines(*((tool.labelled_name, tool.tagline) for tool in row.tools))

    @admin.display(description="Featured", ordering="position", empty_value="")
    def place(self, row: Comparison) -> str | None:
        """The place among featured comparisons, and where readers see it."""
        if not row.featured:
            return None
        shown = "list of comparisons" if is_shown(row, timezone.now()) else "not public"
        return f"{row.position or 'Last'}: {'home page' if row.on_home_page else shown}"

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """The tools in the query string; unknown ones are left out."""
        initial: dict[str, Any] = super().get_changeform_initial_data(request)
        initial.pop("tools", None)
        keys = [int(key) for key in request.GET.getlist("tools")[:MAX_TOOLS] if is_key(key)]
        known = Tool.objects.in_bulk(keys)
        return initial | {"tool_ids": [key for key in dict.fromkeys(keys) if key in known]}

    def formfield_for_dbfield(
        self, db_field: ModelField, request: HttpRequest, **kwargs: Any
    ) -> forms.Field | None:
        """A list of tool choices, with a text beside each; if the query string has one, the next
        one has the focus.
        """
        if db_field.name not in EDITED_TOGETHER:
            return super().formfield_for_dbfield(db_field, request, **kwargs)
        text = forms.CharField(
            label="Choose it if",
            required=False,
            max_length=LONGEST_CHOOSE_IF,
            validators=[validate_line],
            widget=AdminTextInputWidget(attrs={"class": "vLargeTextField"}),
        )
        tool = ComparisonTool._meta.get_field("tool")
        choice = ChoiceByNameField(Tool.objects.all(), widget=ChoiceByName(tool, self.admin_site))
        field = RowListField(choice, least=2, most=MAX_TOOLS, noun="Tool", label="Tools")
        field.help_text = CHOOSE_IF_HELP
        field.widget.text = text
        field.error_messages["required"] = f"Choose two tools, or up to {MAX_TOOLS}."
        field.widget.wants_focus = request.method == "GET" and "tools" in request.GET
        if db_field.name == "tool_ids":
            return field
        return RowTextsField(field, "tool_ids", text, label="Choose if", required=False)

    def save_model(
        self,
        request: HttpRequest,
        obj: Comparison,
        form: "forms.ModelForm[Comparison]",
        change: object,
    ) -> None:
        """Save; one that is no longer featured loses its place."""
        if isinstance(form, ConflictForm) and "featured" in form.changed_data and not obj.featured:
            obj.position = None
            form.set_by_rule.append("position")
        super().save_model(request, obj, form, change)
