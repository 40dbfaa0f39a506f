"""The desk of the panel: reviewers, and the takes on a tool's screen in panel order."""

from django import forms
from django.contrib import admin

from reviews.models import Reviewer, Take
from shipskip.web.desk import PhrasesField, PublishableAdmin, StateFilter
from tools.admin import FormerSlugInline, ToolAdmin
from tools.models import Tool


class ReviewerForm(forms.ModelForm):  # type: ignore[type-arg]
    """A reviewer, with likes and dislikes one a line."""

    likes = PhrasesField(required=False, help_text="One phrase a line")
    dislikes = PhrasesField(required=False, help_text="One phrase a line")

    class Meta:
        model = Reviewer
        fields = ["name", "slug", "motto", "bio", "likes", "dislikes", "position", "published_at"]


@admin.register(Reviewer)
class ReviewerAdmin(PublishableAdmin):
    """The panel, in its order."""

    form = ReviewerForm
    list_display = ["name", "motto", "position", "state"]
    list_filter = [StateFilter]
    search_fields = ["name", "slug"]
    prepopulated_fields = {"slug": ["name"]}


@admin.register(Take)
class TakeAdmin(PublishableAdmin):
    """All takes, to be found and filtered; they are usually written on their tool's screen."""

    list_display = ["tool", "reviewer", "score", "verdict", "state"]
    list_filter = [StateFilter, "verdict", "reviewer"]
    list_select_related = ["tool", "reviewer"]
    search_fields = ["tool__name", "tool__slug", "body"]
    autocomplete_fields = ["tool", "reviewer"]
    view_on_site = False


class TakeInline(admin.StackedInline):  # type: ignore[type-arg]
    """The takes on a tool, in panel order."""

    model = Take
    extra = 1
    fields = [("reviewer", "score", "verdict", "published_at"), "body"]


class ToolWithTakesAdmin(ToolAdmin):
    """A tool and its takes on one screen."""

    inlines = [TakeInline, FormerSlugInline]


admin.site.unregister(Tool)
admin.site.register(Tool, ToolWithTakesAdmin)
