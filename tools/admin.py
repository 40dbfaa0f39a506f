"""The admin of categories and tools; a tool and its takes are edited on one page."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.options import InlineModelAdmin
from django.db.models import Model, QuerySet
from django.db.models.functions import Lower
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.views.decorators.http import require_POST

from comparisons.models import Comparison
from reviews import cautions
from reviews.charts import votes_by_day
from reviews.models import Take, Vote
from shipskip.content.current import content_of
from shipskip.editing.content_admin import may_publish
from shipskip.editing.deletion_counts import DependentCount, in_words, names_by_count
from shipskip.editing.edit_conflicts import ConflictForm
from shipskip.editing.history_entries import VersionQuerySet
from shipskip.editing.keyed_forms import KeyedFormSet
from shipskip.editing.list_columns import names_and_taglines
from shipskip.editing.publishable_admin import PublishableAdmin
from shipskip.editing.row_locks import locked, saving
from shipskip.editing.saving import FORM_FIELDS
from shipskip.editing.states import StateFilter
from shipskip.web.htmx import fragment_or_page
from tools import attribute_admin  # noqa: F401 - registers
from tools.fact_admin import FactInline, PlanInline, follow_plans
from tools.fact_changes import record_changes, stated_facts
from tools.fact_forms import FactsFormSet
from tools.list_views import preview_of_category
from tools.models import Attribute, Bookmark, Category, Fact, Plan, Tool
from tools.tool_form import NO_PRICING, ToolForm
from tools.tool_take_forms import TakeOfToolForm, TakesFormSet, TypedTake, panel_as_written
from tools.views import preview_of

CHART_DAYS = 60

TAKES_MOVED = {
    "public": "Takes published",
    "scheduled": "Takes scheduled",
    "draft": "Takes removed from the schedule",
}
"""For messages: the change that a save made to takes, by the state that they have afterwards."""


@admin.register(Category)
class CategoryAdmin(PublishableAdmin[Category]):
    """Categories by name."""

    list_display = ["sorted_name", "state", "slug"]
    fields = ["name", "slug", "description", "published_at"]
    list_filter = [StateFilter]
    search_fields = ["name", "slug"]

    def preview_page(self, request: HttpRequest, row: Category) -> HttpResponse:
        """The category's page, as if it were public."""
        now = timezone.now()
        Category.objects.filter(pk=row.pk).update(published_at=now)
        return preview_of_category(request, content_of(request), row)

    def blockers(self, rows: Sequence[Category]) -> list[DependentCount]:
        """Their tools, and the attributes of these categories, which would be asked nowhere."""
        naming = Attribute.objects.naming([row.pk for row in rows])
        names = in_words([f"“{each}”" for each in naming])
        asked = DependentCount(len(naming), f"attribute: {names}", f"attributes: {names}")
        return [*super().blockers(rows), *([asked] if naming else [])]

    def lost_by_withdrawal(self, rows: Sequence[Category], now: datetime) -> dict[str, list[str]]:
        """The categories' pages, their public tools, and the comparisons of those."""
        tools = Tool.objects.published(now).in_any_category(rows)
        own = super().lost_by_withdrawal(rows, now)
        return own | names_by_count(tools, "tool", "tools") | _comparisons_of(tools, now)


class TakeInline(admin.StackedInline):  # type: ignore[type-arg]
    """A form for each reviewer's take on a tool, in panel order."""

    model = Take
    form = TakeOfToolForm
    formset = TakesFormSet
    template = "admin/_takes.html"
    can_delete = False
    formfield_overrides = FORM_FIELDS

    def get_fields(self, request: HttpRequest, obj: Tool | None = None) -> list[Any]:
        """The take's fields; only those who may publish see its date."""
        fields = ["score", "verdict", "basis", "published_at", "body"]
        return [
            each for each in fields if each != "published_at" or may_publish(request, self.opts)
        ]

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Take]":
        """With their reviewers and tool, in one query; locked while they are saved."""
        takes = super().get_queryset(request).select_related("reviewer", "tool__category")
        # In the order of primary keys: the lock order that a catalogue load also uses.
        return locked(takes.order_by("pk")) if saving(request) else takes


@admin.register(Tool)
class ToolAdmin(PublishableAdmin[Tool]):
    """A tool with its takes and a chart of its votes; deleting it keeps takes and votes."""

    form = ToolForm
    inlines = [TakeInline, FactInline, PlanInline]
    list_display = ["sorted_name", "state", "category", "entry"]
    list_filter = [StateFilter, "category", "entry"]
    list_select_related = ["category"]
    search_fields = ["name", "slug", "label", "tagline", "maker"]
    search_help_text = "Name, label, address, tagline or maker"
    autocomplete_fields = ["category", "family"]
    readonly_fields = ["votes_by_day"]
    has_previews = True
    soft_deletes = True

    @admin.display(description="Name", ordering=Lower("name"))
    def sorted_name(self, row: Tool) -> str:
        """The name, with its tagline below."""
        return names_and_taglines((row.labelled_name, row.tagline))

    def get_urls(self) -> list[URLPattern]:
        """Add the address that computes the panel's verdict while an editor types."""
        return [self.page("panel/", "panel", require_POST, panel_view), *super().get_urls()]

    def get_fieldsets(self, request: HttpRequest, obj: Tool | None = None) -> Any:
        """The tool's own fields; its earlier addresses, if any; the chart of its votes."""
        first = ["name", "label", "slug", "tagline", "category", self.date_or_state(request)]
        if self.has_publish_permission(request):
            first.append("with_takes")
        about = ["choose_if", "best_for", "family", "maker", "website", "license"]
        parts = [
            (None, {"fields": first}),
            (
                "What it is",
                {"fields": ["description", *about]},
            ),
            ("What it costs", {"fields": ["entry", "pricing"]}),
        ]
        if obj is None:
            return parts
        if _may_end_redirects(request) and obj.former_slugs.exists():
            parts.append(("Earlier addresses", {"fields": ["ended"]}))
        return [*parts, ("Votes", {"fields": ["votes_by_day"], "classes": ["collapse"]})]

    def publication_obstacles(self, rows: Sequence[Tool], now: datetime) -> dict[int, str]:
        """Why tools cannot be published as they are, by primary key."""
        takes = Take.objects.on(rows).published(now).order_by()
        judged = set(takes.values_list("tool_id", flat=True))
        no_take = {tool.pk: f"{tool} has no public take." for tool in rows if tool.pk not in judged}
        no_tagline = {tool.pk: f"{tool} has no tagline." for tool in rows if not tool.tagline}
        return no_take | no_tagline

    def lost_by_withdrawal(self, rows: Sequence[Tool], now: datetime) -> dict[str, list[str]]:
        """The tools' pages, and the editors' comparisons with any of them."""
        return super().lost_by_withdrawal(rows, now) | _comparisons_of(rows, now)

    def news_for_readers(self, forms: Sequence[ConflictForm[Any]], now: datetime) -> list[str]:
        """What readers see of the tool, and which takes were published or scheduled."""
        news = super().news_for_readers(forms, now)
        takes = [each for each in forms if isinstance(each, TakeOfToolForm)]
        moved = [each.instance for each in takes if each.moved]
        for state, words in TAKES_MOVED.items():
            if names := [take.reviewer.name for take in moved if take.state(now) == state]:
                news.append(f"{words}: {in_words(names)}.")
        return news

    def preview_page(self, request: HttpRequest, row: Tool) -> HttpResponse:
        """The tool's page."""
        return preview_of(request, row, None, timezone.now())

    def cautions_of(self, obj: Tool) -> list[str]:
        """The warnings about a tool that was just saved, with those of its takes."""
        takes = Take.objects.on([obj]).in_panel_order()
        texts = [f"{take.reviewer}: {text}" for take in takes for text in cautions.of_take(take)]
        return texts if obj.pricing else [NO_PRICING, *texts]

    def save_model(
        self, request: HttpRequest, obj: Tool, form: "forms.ModelForm[Tool]", change: object
    ) -> None:
        """Save, and delete the redirects that were chosen."""
        super().save_model(request, obj, form, change)
        if change and _may_end_redirects(request):
            obj.former_slugs.filter(slug__in=form.cleaned_data["ended"]).delete()

    def save_fields(self, row: Tool, names: list[str], before: Mapping[str, object]) -> None:
        """Save; a changed slug is a renaming, which keeps the old address working."""
        if row.slug != before["slug"]:
            slug, row.slug = row.slug, str(before["slug"])
            row.rename(slug, fields=names)
        else:
            super().save_fields(row, names, before)

    def get_formset_kwargs(
        self, request: HttpRequest, obj: Tool, inline: "InlineModelAdmin[Any, Tool]", prefix: str
    ) -> dict[str, Any]:
        """Pass to the forms of takes whether this editor may change public takes."""
        own = super().get_formset_kwargs(request, obj, inline, prefix)
        is_of_takes = isinstance(inline, TakeInline)
        return own | ({"may_publish": may_publish(request, inline.opts)} if is_of_takes else {})

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: object) -> None:
        """Save takes, facts and plans; changes of public ones are added to the public record."""
        tool, now = form.instance, timezone.now()
        moment = form.stored.get("published_at")
        seen = tool.withdrawn_at or (moment and moment <= now)
        before = stated_facts([tool.pk] if seen else [])
        super().save_related(request, form, formsets, change)
        follow_plans(tool, request.user)
        record_changes(before, now)

    def save_formset(
        self, request: HttpRequest, form: object, formset: KeyedFormSet, change: object
    ) -> None:
        """Save takes, facts or plans with the editor as author, and with the reasons entered."""
        for each in formset.forms:
            each.instance.changed_by(request.user, each.cleaned_data.get("reason") or None)
        if isinstance(formset, FactsFormSet):
            formset.editor = request.user
        super().save_formset(request, form, formset, change)
        if isinstance(formset, FactsFormSet) and formset.removed:
            names = in_words([f"“{name}”" for name in formset.removed])
            text = f"Removed, because they do not apply to the tool’s category: {names}."
            messages.warning(request, text)

    def delete_model(self, request: HttpRequest, obj: Tool) -> None:
        """Delete a tool for readers and editors (soft delete); the history records the editor."""
        obj.changed_by(request.user)
        obj.remove(timezone.now())

    def histories(self, obj: Tool) -> list[VersionQuerySet]:
        """The tool's own and those of its takes, facts and plans, deleted ones too."""
        parts = (Take.history, Fact.history, Plan.history)
        return [*super().histories(obj), *(each.filter(tool_id=obj.pk) for each in parts)]

    def subject_of(self, row: Model) -> str:
        """The take, the attribute or the plan that a history entry is about."""
        if isinstance(row, Fact):
            return str(row.attribute)
        if isinstance(row, Plan):
            return f"the plan {row.name}"
        return f"{row.reviewer}’s take" if isinstance(row, Take) else ""

    def dependents(self, rows: Sequence[Tool]) -> list[DependentCount]:
        """Votes, takes, bookmarks and comparisons; six count queries."""
        takes, public = Take.objects.on(rows), Take.objects.on(rows).published(timezone.now())
        seen = public.count()
        votes = Vote.objects.filter(tool__in=rows)
        compared = Comparison.objects.of_any(rows).count()
        return [
            DependentCount(votes.count(), "vote", "votes", needs_confirmation=True),
            DependentCount(seen, "public take", "public takes", needs_confirmation=True),
            DependentCount(takes.count() - seen, "draft take", "draft takes"),
            DependentCount(Bookmark.objects.filter(tool__in=rows).count(), "bookmark", "bookmarks"),
            DependentCount(compared, "comparison", "comparisons"),
        ]

    def restored_with(self, row: Tool) -> str:
        """Everything that was brought back with it."""
        return in_words([str(each) for each in self.dependents([row]) if each.count])

    @admin.display(description="Votes a day (UTC), last 60 days")
    def votes_by_day(self, tool: Tool) -> str:
        """A chart of the tool's votes by day and state, and a link to the votes."""
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


def panel_view(screen: ToolAdmin, request: HttpRequest) -> HttpResponse:
    """The panel's verdict and the warnings for the text typed so far."""
    takes = [
        TypedTake.of(request.POST, f"takes-{pk}")
        for pk in request.POST.getlist("reviewers")
        if pk.isascii() and pk.isdigit()
    ]
    context = {
        "panel": panel_as_written((take.score, take.verdict) for take in takes),
        "takes": takes,
        "no_pricing": "" if request.POST.get("pricing", "").strip() else NO_PRICING,
        **screen.admin_site.each_context(request),
        "title": "The panel with the takes as typed",
    }
    return fragment_or_page(
        request, "admin/_panel_verdict.html", "admin/panel_verdict.html", context
    )


def _comparisons_of(
    tools: "QuerySet[Tool] | Sequence[Tool]", now: datetime
) -> dict[str, list[str]]:
    """The public comparisons of any of these tools, by their count in words."""
    pairs = Comparison.objects.published(now).of_any(tools).with_tools()
    return names_by_count(pairs, "comparison", "comparisons")


def _may_end_redirects(request: HttpRequest) -> bool:
    """Whether this editor may delete redirects of earlier addresses."""
    return request.user.has_perm("tools.delete_formerslug")
