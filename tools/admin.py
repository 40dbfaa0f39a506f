"""The desk of categories and tools. The reviews app adds the takes to a tool's screen."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from shipskip.web.editing.choices import ChoicesAdmin
from shipskip.web.editing.previewable import PreviewableAdmin
from shipskip.web.editing.screens import PublishableAdmin, StateFilter
from tools.models import Category, Tool
from tools.tool_form import NO_PRICING, ToolForm


@admin.register(Category)
class CategoryAdmin(PublishableAdmin):
    """Categories by name."""

    list_display = ["name", "state", "slug"]
    list_filter = [StateFilter]
    search_fields = ["name", "slug"]
    prepopulated_fields = {"slug": ["name"]}


class ToolAdmin(ChoicesAdmin, PreviewableAdmin, PublishableAdmin):
    """Tools: what they are, and when they are public."""

    form = ToolForm
    list_display = ["name", "state", "tagline", "category", "entry"]
    list_filter = [StateFilter, "category", "entry"]
    list_select_related = ["category"]
    search_fields = ["name", "slug", "tagline", "maker"]
    search_help_text = "Name, address, tagline or maker"
    prepopulated_fields = {"slug": ["name"]}
    autocomplete_fields = ["category"]
    fieldsets = [
        (None, {"fields": ["name", "slug", "tagline", "category", "published_at"]}),
        ("What it is", {"fields": ["description", "best_for", "maker", "website", "license"]}),
        ("What it costs", {"fields": ["entry", "pricing"]}),
    ]

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """The tool's facts, and its earlier addresses where it has any."""
        parts = super().get_fieldsets(request, obj)
        if obj is None or not (self._may_end(request) and obj.former_slugs.exists()):
            return parts
        return [*parts, ("Earlier addresses", {"fields": ["ended"]})]

    def _may_end(self, request: HttpRequest) -> bool:
        return request.user.has_perm("tools.delete_formerslug")

    def not_ready(self, rows: Sequence[Tool], now: datetime) -> dict[int, str]:
        """Why tools cannot be published as they are, by primary key."""
        return {tool.pk: f"{tool} has no tagline." for tool in rows if not tool.tagline}

    def cautions_of(self, obj: Tool) -> list[str]:
        """What looks odd about a tool that was just saved."""
        return [] if obj.pricing else [NO_PRICING]

    def save_model(self, request: HttpRequest, obj: Tool, form: Any, change: bool) -> None:  # noqa: FBT001
        """Save, and end the redirects that were chosen."""
        super().save_model(request, obj, form, change)
        if change and self._may_end(request):
            obj.former_slugs.filter(slug__in=form.cleaned_data["ended"]).delete()

    def save_fields(self, row: Tool, names: list[str], before: Mapping[str, Any]) -> None:
        """Save; a changed slug is a renaming, which keeps the old address working."""
        if row.slug != before["slug"]:
            slug, row.slug = row.slug, before["slug"]
            row.rename(slug, fields=names)
        else:
            super().save_fields(row, names, before)


admin.site.register(Tool, ToolAdmin)
