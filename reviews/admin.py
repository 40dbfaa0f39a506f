"""The desk of the panel: reviewers, and the takes on a tool's screen in panel order."""

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from reviews import ballot
from reviews.charts import votes_by_day
from reviews.models import Reviewer, Take, Vote, VoteState
from shipskip.web.desk import PhrasesField, PublishableAdmin, StateFilter
from tools.admin import FormerSlugInline, ToolAdmin
from tools.models import Tool

CHART_DAYS = 60


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


class TakeForm(forms.ModelForm):  # type: ignore[type-arg]
    """A take; whose it is stays as it is once it is saved."""

    class Meta:
        model = Take
        fields = ["tool", "reviewer", "score", "verdict", "body", "published_at"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            for name in ("tool", "reviewer"):
                if name in self.fields:
                    self.fields[name].disabled = True


class TakeInline(admin.StackedInline):  # type: ignore[type-arg]
    """The takes on a tool, in panel order."""

    model = Take
    form = TakeForm
    extra = 1
    fields = [("reviewer", "score", "verdict", "published_at"), "body"]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The moment of publication is set by those who may publish alone."""
        return [] if request.user.has_perm("reviews.publish_take") else ["published_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Take]:
        """With their reviewers and tool, in one query."""
        return super().get_queryset(request).select_related("reviewer", "tool")


class ToolWithTakesAdmin(ToolAdmin):
    """A tool and its takes on one screen, and how its votes came in."""

    inlines = [TakeInline, FormerSlugInline]
    readonly_fields = ["votes_by_day"]
    fieldsets = [*ToolAdmin.fieldsets, ("Votes", {"fields": ["votes_by_day"]})]

    @admin.display(description="Votes a day, last 60 days")
    def votes_by_day(self, tool: Tool) -> str:
        """A chart of the tool's votes by day and state, and the way to the votes."""
        if not tool.pk:
            return "None yet."
        today = timezone.now().date()
        days = [today - timedelta(days=back) for back in range(CHART_DAYS - 1, -1, -1)]
        counts = Vote.objects.for_chart(tool, days[0])
        url = reverse("admin:reviews_vote_changelist")
        return format_html(
            '{}<p><a href="{}?tool__id__exact={}">All votes on this tool</a></p>',
            votes_by_day(days, counts),
            url,
            tool.pk,
        )


class ReasonForm(ActionForm):
    """The reason of an action on votes, written beside it."""

    reason = forms.CharField(required=False, max_length=200, label="Reason")


@admin.register(Vote)
class VoteAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Votes can be looked at, released and voided; nobody can cast or change one here."""

    list_display = ["tool", "choice", "state", "reason", "cast_at"]
    list_filter = ["state", "choice"]
    list_select_related = ["tool"]
    search_fields = ["tool__name", "tool__slug", "state"]
    search_help_text = "Tool or state"
    readonly_fields = ["tool", "choice", "state", "reason", "cast_at", "changed_at"]
    fields = ["tool", "choice", "state", "reason", "cast_at", "changed_at"]
    ordering = ["-pk"]
    show_full_result_count = False
    action_form = ReasonForm
    actions = ["release", "void"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Votes come from visitors alone."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A vote is voided with a reason, never deleted; it goes only with its tool."""
        match = request.resolver_match
        return match is not None and (match.url_name or "").startswith("tools_tool_")

    def lookup_allowed(self, lookup: str, value: Any, request: Any = None) -> bool:
        """The tool's screen leads here with its votes."""
        return lookup == "tool__id__exact" or super().lookup_allowed(lookup, value, request)

    @admin.action(description="Release: count the chosen votes", permissions=["change"])
    def release(self, request: HttpRequest, votes: QuerySet[Vote]) -> None:
        """Count these votes, for a reason."""
        self._decide(request, votes, VoteState.COUNTED)

    @admin.action(description="Void: leave the chosen votes out", permissions=["change"])
    def void(self, request: HttpRequest, votes: QuerySet[Vote]) -> None:
        """Leave these votes out of the tally, for a reason."""
        self._decide(request, votes, VoteState.VOID)

    def _decide(self, request: HttpRequest, votes: QuerySet[Vote], state: VoteState) -> None:
        reason = request.POST.get("reason", "").strip()[:200]
        if not reason:
            self.message_user(
                request, "Nothing was changed: write a reason beside the action.", messages.ERROR
            )
            return
        ids = list(votes.values_list("pk", flat=True))
        changed = ballot.decide(ids, state, reason, timezone.now())
        self.message_user(request, f"{changed} of {len(ids)} votes are now {state.label.lower()}.")


admin.site.unregister(Tool)
admin.site.register(Tool, ToolWithTakesAdmin)
