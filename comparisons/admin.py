"""The admin of comparisons."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import ForeignKey, QuerySet
from django.db.models.functions import Lower
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from comparisons.models import Comparison, ComparisonQuerySet
from comparisons.views import preview_of
from shipskip.editing.admin_base import PublishableAdmin
from shipskip.editing.choices import is_key
from shipskip.editing.deletion_counts import listed
from shipskip.editing.edit_conflicts import ConflictForm
from shipskip.editing.list_columns import names_and_taglines
from shipskip.editing.states import StateFilter, is_shown
from tools.models import Tool


@admin.register(Comparison)
class ComparisonAdmin(PublishableAdmin[Comparison]):
    """Pairs in the editor's order."""

    list_display = ["pair", "state", "place"]
    list_filter = [StateFilter, "featured"]
    list_select_related = ["first__category", "second__category"]
    search_fields = ["first__name", "first__slug", "second__name", "second__slug"]
    search_help_text = "Name or address of either tool"
    autocomplete_fields = ["first", "second"]
    fields = ["first", "second", "summary", "featured", "published_at"]
    has_previews = True

    def get_readonly_fields(self, request: HttpRequest, obj: Comparison | None = None) -> list[str]:
        """Only those who may publish choose what the home page features."""
        fields = super().get_readonly_fields(request, obj)
        return fields if self.has_publish_permission(request) else [*fields, "featured"]

    def gone_if_withdrawn(self, rows: Sequence[Comparison], now: datetime) -> dict[str, list[str]]:
        """What the editors added: the tools themselves can still be compared."""
        left = [f"the tools themselves still compare at {row.get_absolute_url()}" for row in rows]
        many = "comparisons’ summaries, orders and places in the lists"
        return listed(left, "its summary, order and place in the lists", many)

    def preview_page(self, request: HttpRequest, row: Comparison) -> HttpResponse:
        """The page of the tools side by side."""
        return preview_of(request, row, None, timezone.now())

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Comparison]":
        """The comparisons, and whether the home page shows them."""
        rows = super().get_queryset(request)
        if isinstance(rows, ComparisonQuerySet):
            return rows.with_home_page(timezone.now())
        return rows

    @admin.display(description="Comparison", ordering=Lower("first__name"))
    def pair(self, row: Comparison) -> str:
        """The names of both tools, with their taglines below."""
        return names_and_taglines(*((tool.name, tool.tagline) for tool in row.tools))

    @admin.display(description="Featured", ordering="position", empty_value="")
    def place(self, row: Comparison) -> str | None:
        """The place among featured comparisons, and where readers see it."""
        if not row.featured:
            return None
        shown = "list of comparisons" if is_shown(row, timezone.now()) else "not public"
        return f"{row.position or 'Last'}: {'home page' if row.on_home_page else shown}"

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """The tools named in the address; an unknown one is left out."""
        initial: dict[str, Any] = super().get_changeform_initial_data(request)
        for name in ("first", "second"):
            key = initial.pop(name, "")
            if is_key(key):
                initial[name] = Tool.objects.filter(pk=key).values_list("pk", flat=True).first()
        return initial

    def formfield_for_foreignkey(
        self, db_field: "ForeignKey[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> "forms.ModelChoiceField[Any] | None":
        """A choice of a tool; if the address names the first, the second has the focus."""
        field = super().formfield_for_foreignkey(db_field, request, **kwargs)
        known = request.method == "GET" and request.GET.get("first")
        if field and db_field.name == "second" and known:
            field.widget.attrs["autofocus"] = True
        return field

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
