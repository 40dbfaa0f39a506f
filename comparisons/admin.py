"""The desk of comparisons."""

from django.contrib import admin

from comparisons.models import Comparison
from shipskip.web.desk import PublishableAdmin, StateFilter


@admin.register(Comparison)
class ComparisonAdmin(PublishableAdmin):
    """Pairs in the editor's order."""

    list_display = ["__str__", "featured", "state"]
    list_filter = [StateFilter, "featured"]
    list_select_related = ["first", "second"]
    search_fields = ["first__name", "first__slug", "second__name", "second__slug"]
    autocomplete_fields = ["first", "second"]
    fields = ["first", "second", "summary", "featured", "published_at"]
