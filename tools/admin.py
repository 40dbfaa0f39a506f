"""The desk of categories and tools. The reviews app adds the takes to a tool's screen."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from shipskip.web.desk import PublishableAdmin, StateFilter
from tools.models import Category, FormerSlug, Tool


@admin.register(Category)
class CategoryAdmin(PublishableAdmin):
    """Categories by name."""

    list_display = ["name", "slug", "state"]
    list_filter = [StateFilter]
    search_fields = ["name", "slug"]
    prepopulated_fields = {"slug": ["name"]}


class FormerSlugInline(admin.TabularInline):  # type: ignore[type-arg]
    """The earlier addresses that lead to a tool; removing one ends its redirect."""

    model = FormerSlug
    extra = 0
    max_num = 0
    readonly_fields = ["slug"]


class ToolAdmin(PublishableAdmin):
    """Tools: what they are, and when they are public."""

    list_display = ["name", "tagline", "category", "entry", "state"]
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

    def save_model(self, request: HttpRequest, obj: Tool, form: Any, change: bool) -> None:  # noqa: FBT001
        """Save; a changed slug is a renaming, which keeps the old address working."""
        slug = obj.slug
        if change and "slug" in form.changed_data:
            obj.slug = form.initial["slug"]
        super().save_model(request, obj, form, change)
        obj.rename(slug)


admin.site.register(Tool, ToolAdmin)
