"""The admin of comparisons."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone

from comparisons.addresses import MAX_TOOLS
from comparisons.comparison_form import PlaceForm, PlaceFormSet, tools_field
from comparisons.models import Comparison, ComparisonQuerySet
from comparisons.views import preview_of
from shipskip.editing.deletion_counts import listed
from shipskip.editing.edit_conflicts import ConflictForm
from shipskip.editing.foreign_key_fields import is_key
from shipskip.editing.history_entries import ModelField
from shipskip.editing.list_columns import names_and_taglines
from shipskip.editing.publishable_admin import PublishableAdmin
from shipskip.editing.states import StateFilter, is_shown
from tools.models import Tool


@admin.register(Comparison)
class ComparisonAdmin(PublishableAdmin[Comparison]):
    """Two to ten tools in the editor's order."""

    list_display = ["names", "state", "position", "shown_on", "last_changed"]
    list_editable = ["position"]
    list_filter = [StateFilter, "featured"]
    search_fields = ["members__tool__name", "members__tool__slug"]
    search_help_text = "Name or address of a tool"
    fields = ["tool_list", "summary", "featured", "published_at"]

    def get_readonly_fields(self, request: HttpRequest, obj: Comparison | None = None) -> list[str]:
        """Only publishers choose the featured comparisons."""
        fields = super().get_readonly_fields(request, obj)
        fields.append("tools_and_texts")
        return fields if self.has_publish_permission(request) else [*fields, "featured"]

    def get_fields(self, request: HttpRequest, obj: Comparison | None = None) -> list[Any]:
        """The fields; read-only users see names instead of keys."""
        fields = super().get_fields(request, obj)
        if obj is None or self.has_change_permission(request, obj):
            return fields
        return ["tools_and_texts" if each == "tool_list" else each for each in fields]

    @admin.display(description="Tools")
    def tools_and_texts(self, row: Comparison) -> str:
        """The tools, with the texts on them."""
        names = {tool.pk: tool.labelled_name for tool in row.tools}
        return row._meta.get_field("tool_list").as_text(row.tool_list, names.__getitem__)

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
            rows = rows.with_tools().with_first_name().with_home_page(timezone.now())
            return rows.featured_first()
        return rows

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """The list, in which only publishers order the featured comparisons."""
        changelist = super().get_changelist_instance(request)
        if not self.has_publish_permission(request):
            changelist.list_editable = ()
        return changelist

    def get_changelist_form(self, request: HttpRequest, **kwargs: Any) -> Any:
        return super().get_changelist_form(request, form=PlaceForm, **kwargs)

    def get_changelist_formset(self, request: HttpRequest, **kwargs: Any) -> Any:
        return super().get_changelist_formset(request, formset=PlaceFormSet, **kwargs)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        """The list; after a save the places are counted again from 1."""
        if "_save" not in request.POST:
            return super().changelist_view(request, extra_context)
        with transaction.atomic():
            featured = Comparison.objects.featured()
            featured.lock()
            response = super().changelist_view(request, extra_context)
            if isinstance(response, HttpResponseRedirect):
                order = featured.featured_first().values_list("pk", flat=True)
                featured.set_positions(list(order))
        return response

    @admin.display(description="Comparison", ordering="first_name")
    def names(self, row: Comparison) -> str:
        """The names of its tools, with their taglines below."""
        return names_and_taglines(*((tool.labelled_name, tool.tagline) for tool in row.tools))

    @admin.display(description="Featured", ordering="position", empty_value="")
    def shown_on(self, row: Comparison) -> str | None:
        """Where readers see a featured comparison."""
        if not row.featured:
            return None
        shown = "List of comparisons" if is_shown(row, timezone.now()) else "Not public"
        return "Home page" if row.on_home_page else shown

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """The tools in the query string; unknown ones are left out."""
        initial: dict[str, Any] = super().get_changeform_initial_data(request)
        initial.pop("tools", None)
        keys = [int(key) for key in request.GET.getlist("tools")[:MAX_TOOLS] if is_key(key)]
        known = Tool.objects.in_bulk(keys)
        chosen = [key for key in dict.fromkeys(keys) if key in known]
        return initial | {"tool_list": [{"tool": key, "choose_if": ""} for key in chosen]}

    def formfield_for_dbfield(
        self, db_field: ModelField, request: HttpRequest, **kwargs: Any
    ) -> forms.Field | None:
        """The tools as a formset; if the query string has one, the next one has the focus."""
        if db_field.name != "tool_list":
            return super().formfield_for_dbfield(db_field, request, **kwargs)
        field = tools_field()
        field.widget.wants_focus = request.method == "GET" and "tools" in request.GET
        return field

    def save_model(
        self,
        request: HttpRequest,
        obj: Comparison,
        form: "forms.ModelForm[Comparison]",
        change: object,
    ) -> None:
        """Save; one that is no longer featured loses its place. A place has no history."""
        if isinstance(form, PlaceForm):
            Comparison.objects.filter(pk=obj.pk).update(position=obj.position)
            return
        if isinstance(form, ConflictForm) and "featured" in form.changed_data and not obj.featured:
            obj.position = None
            form.set_by_rule.append("position")
        super().save_model(request, obj, form, change)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: object) -> None:
        """Save what belongs to the form; a place in the list has nothing."""
        if not isinstance(form, PlaceForm):
            super().save_related(request, form, formsets, change)
