"""The desk of the panel: reviewers, takes, and the takes on a tool's screen in panel order."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import path, reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.views.decorators.http import require_POST

from reviews import cautions, vote_admin  # noqa: F401 - which registers the votes
from reviews.charts import votes_by_day
from reviews.models import Reviewer, Take, Vote
from reviews.past import TakeWithPast, ToolWithPast, hold_tools
from reviews.take_forms import SentTake, TakeForm, TakesFormSet, panel_as_written
from shipskip.web.editing.acts import may_publish
from shipskip.web.editing.choices import ChoicesAdmin, is_key
from shipskip.web.editing.fields import PhrasesField
from shipskip.web.editing.holding import held
from shipskip.web.editing.screens import (
    PublishableAdmin,
    PublishableForm,
    StateFilter,
    saving,
)
from shipskip.web.htmx import fragment_or_page
from tools.admin import ToolAdmin
from tools.models import Tool
from tools.tool_form import NO_PRICING, ToolForm

CHART_DAYS = 60


class ReviewerForm(PublishableForm):
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
    list_display = ["name", "state", "motto", "position"]
    list_filter = [StateFilter]
    search_fields = ["name", "slug"]
    prepopulated_fields = {"slug": ["name"]}


@admin.register(Take)
class TakeAdmin(ChoicesAdmin, TakeWithPast, PublishableAdmin):
    """All takes, to be found and filtered, and each to be written by itself."""

    form = TakeForm
    list_display = ["tool", "reviewer", "state", "score", "verdict"]
    list_filter = [StateFilter, "verdict", "reviewer"]
    list_select_related = ["tool", "reviewer"]
    search_fields = ["tool__name", "tool__slug", "body"]
    autocomplete_fields = ["tool", "reviewer"]
    view_on_site = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Take]:
        """The takes on tools that are not deleted, with what a form of them needs to know."""
        takes: QuerySet[Take] = super().get_queryset(request).on_kept_tools()
        return takes.select_related("tool", "reviewer")

    def get_object(self, request: HttpRequest, object_id: str, from_field: Any = None) -> Any:
        """The take; while it is saved its tool is held first."""
        if saving(request) and is_key(object_id):
            self.hold_above([object_id])
        return super().get_object(request, object_id, from_field)

    def get_fields(self, request: HttpRequest, obj: Take | None = None) -> Any:
        """What a take holds, and where readers can see it the reason for a change."""
        fields = ["tool", "reviewer", "score", "verdict", "body", "published_at"]
        if obj is None:
            return fields
        asked = TakeForm(instance=obj).fields
        return fields + [name for name in ("reason", "still_true") if name in asked]

    def save_model(self, request: HttpRequest, obj: Take, form: Any, change: bool) -> None:  # noqa: FBT001
        """Save, and keep the public record."""
        if not change:
            hold_tools([obj.tool_id])
        super().save_model(request, obj, form, change)
        form.keep_record()

    def response_post_save_add(self, request: HttpRequest, obj: Take) -> HttpResponseRedirect:
        """Back to the list, or to the matrix from which this take was opened."""
        return self._to_matrix(request) or super().response_post_save_add(request, obj)

    def response_post_save_change(self, request: HttpRequest, obj: Take) -> HttpResponseRedirect:
        """The same after a change."""
        return self._to_matrix(request) or super().response_post_save_change(request, obj)

    def _to_matrix(self, request: HttpRequest) -> HttpResponseRedirect | None:
        if "back" not in request.GET:
            return None
        filters = QueryDict(request.GET["back"]).urlencode()
        return HttpResponseRedirect(f"{reverse('admin:coverage')}?{filters}")

    def cautions_of(self, obj: Take) -> list[str]:
        """What looks odd about a take that was just saved."""
        said = [cautions.at_odds(obj.score, obj.verdict), cautions.too_short(obj.body)]
        return [text for text in said if text]


class TakeInline(admin.StackedInline):  # type: ignore[type-arg]
    """A form for each reviewer's take on a tool, in panel order."""

    model = Take
    form = TakeForm
    formset = TakesFormSet
    template = "admin/_takes.html"
    can_delete = False
    fields = ["score", "verdict", "published_at", "body"]
    formfield_overrides = PublishableAdmin.formfield_overrides

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The moment of publication is set by those who may publish alone."""
        return [] if may_publish(request, self.opts) else ["published_at"]

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        """The forms, which leave public takes alone for those who cannot publish."""
        formset: Any = super().get_formset(request, obj, **kwargs)
        formset.may_publish = may_publish(request, self.opts)
        return formset

    def get_queryset(self, request: HttpRequest) -> QuerySet[Take]:
        """With their reviewers and tool, in one query; held while they are saved."""
        takes = super().get_queryset(request).select_related("reviewer", "tool")
        # By their keys, as a load holds them.
        return held(takes.order_by("pk")) if saving(request) else takes


class ToolWithTakesForm(ToolForm):
    """A tool, and whether its drafts go public with it."""

    with_takes = forms.BooleanField(
        required=False,
        label="Publish its draft takes with it",
        help_text="Each draft, and each take scheduled with the tool, gets the tool’s moment, or "
        "now if that is past.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        public = self.instance.state(timezone.now()) == "public"
        self.fields["with_takes"].initial = not public


class ToolWithTakesAdmin(ToolWithPast, ToolAdmin):
    """A tool and its takes on one screen, and how its votes came in."""

    form = ToolWithTakesForm
    inlines = [TakeInline]
    readonly_fields = ["votes_by_day"]

    def get_urls(self) -> list[Any]:
        """The panel's verdict while one writes, beside the other addresses."""
        view = self.admin_site.admin_view(self.panel_view)
        return [path("panel/", view, name="tools_tool_panel"), *super().get_urls()]

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """The tool's own, and how its votes came in; who may publish may publish takes with it."""
        first, *rest = super().get_fieldsets(request, obj)
        if self.has_publish_permission(request):
            first = (first[0], {"fields": [*first[1]["fields"], "with_takes"]})
        votes = [("Votes", {"fields": ["votes_by_day"], "classes": ["collapse"]})] if obj else []
        return [first, *rest, *votes]

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:  # noqa: FBT001
        """Save the takes under the editor's name."""
        for each in formset.forms:
            each.instance._history_user = request.user
        super().save_formset(request, form, formset, change)

    def not_ready(self, rows: Sequence[Tool], now: datetime) -> dict[int, str]:
        """Why tools cannot be published as they are, by primary key."""
        takes = Take.objects.on(rows).published(now).order_by()
        judged = set(takes.values_list("tool_id", flat=True))
        lonely = {tool.pk: f"{tool} has no public take." for tool in rows if tool.pk not in judged}
        return lonely | super().not_ready(rows, now)

    def cautions_of(self, obj: Tool) -> list[str]:
        """What looks odd about a tool that was just saved, its takes included."""
        said = super().cautions_of(obj)
        for take in Take.objects.on([obj]).in_panel_order():
            odd = [cautions.at_odds(take.score, take.verdict), cautions.too_short(take.body)]
            said += [f"{take.reviewer}: {text}" for text in odd if text]
        return said

    @method_decorator(require_POST)
    def panel_view(self, request: HttpRequest) -> HttpResponse:
        """The panel's verdict as it would become, and what looks odd, for what has been typed."""
        takes = [
            SentTake.of(request.POST, f"takes-{pk}")
            for pk in request.POST.getlist("reviewers")
            if pk.isascii() and pk.isdigit()
        ]
        context = {
            "panel": panel_as_written((take.score, take.verdict) for take in takes),
            "takes": takes,
            "no_pricing": "" if request.POST.get("pricing", "").strip() else NO_PRICING,
            **self.admin_site.each_context(request),
            "title": "The panel as it is written",
        }
        return fragment_or_page(request, "admin/_panel.html", "admin/panel.html", context)

    @admin.display(description="Votes a day, last 60 days")
    def votes_by_day(self, tool: Tool) -> str:
        """A chart of the tool's votes by day and state, and the way to the votes."""
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


admin.site.unregister(Tool)
admin.site.register(Tool, ToolWithTakesAdmin)
