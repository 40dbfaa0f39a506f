"""The admin of categories and tools; a tool and its takes are edited on one page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import AdminForm, Fieldset
from django.contrib.admin.options import InlineModelAdmin
from django.contrib.admin.utils import flatten
from django.db import transaction
from django.db.models import Model, QuerySet
from django.db.models.functions import Lower
from django.forms.formsets import DEFAULT_MAX_NUM, TOTAL_FORM_COUNT, ManagementForm
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.views.decorators.http import require_POST

from comparisons.models import Comparison
from reviews import cautions, take_changes
from reviews.charts import votes_by_day
from reviews.models import Take, Vote
from shipskip.content.current import content_of
from shipskip.editing.admin_base import FORM_FIELDS
from shipskip.editing.bulk_saves import Save
from shipskip.editing.deletion_counts import DependentCount, in_words, names_by_count
from shipskip.editing.edit_conflicts import ConflictForm
from shipskip.editing.folds import Fold
from shipskip.editing.history_entries import HistoryEntry, VersionQuerySet, as_row, related_to
from shipskip.editing.list_columns import names_and_taglines
from shipskip.editing.permissions import may_publish
from shipskip.editing.publish_buttons import Act
from shipskip.editing.publishable_admin import PublishableAdmin
from shipskip.editing.row_forms import RowInline
from shipskip.editing.row_locks import hold, saving
from shipskip.editing.states import StateFilter
from shipskip.reports.models import Report
from shipskip.reports.stated import sources_for, web_address
from shipskip.web.htmx import fragment_or_page
from shipskip.web.text import day_in_words, shorten
from tools import attribute_admin, fact_change_admin  # noqa: F401 - registers
from tools.fact_admin import FactInline, PlanInline
from tools.fact_changes import RECORDED_FIELDS, record_changes, stated_facts
from tools.fact_forms import FactForm, FactsFormSet
from tools.fact_values import answer_as_text
from tools.fact_writing import confirm_imported
from tools.list_views import preview_of_category
from tools.models import Attribute, Bookmark, Category, Fact, Plan, Tool
from tools.models.sources import Sourced
from tools.plan_forms import PlansFormSet
from tools.price_mentions import Amount, unasked_amounts
from tools.tool_form import NO_PRICING, ToolForm, has_typed_price
from tools.tool_take_forms import TakeOfToolForm, TakesFormSet, TypedTake, panel_as_written
from tools.views import preview_of

CHART_DAYS = 60
NO_PRICE = "no pricing"

TAKES_MOVED = {
    "public": "Takes published",
    "scheduled": "Takes scheduled",
    "draft": "Takes removed from the schedule",
}
"""For messages: the change that a save made to takes, by the state that they have afterwards."""


@admin.register(Category)
class CategoryAdmin(PublishableAdmin[Category]):
    """Categories by name."""

    list_display = ["sorted_name", "state", "slug", "last_changed"]
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


class TakeInline(RowInline):
    """A form for each reviewer's take on a tool, in panel order."""

    model = Take
    form = TakeOfToolForm
    formset = TakesFormSet
    template = "admin/_takes.html"
    formfield_overrides = FORM_FIELDS
    related = ["reviewer", "tool__category"]

    def get_fields(self, request: HttpRequest, obj: Tool | None = None) -> list[Any]:
        """The take's fields; only those who may publish have its date."""
        names = TakeOfToolForm.Meta.fields
        return [name for name in names if name != "published_at" or may_publish(request, self.opts)]


class ImportFilter(admin.SimpleListFilter):
    """Tools with facts or prices that nobody has confirmed, and those gone from their source."""

    title = "open data"
    parameter_name = "import"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The choices."""
        return [("unconfirmed", "Not confirmed"), ("gone", "Gone from its source")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        """The chosen tools."""
        if self.value() == "unconfirmed":
            return queryset.with_unconfirmed()
        return queryset.gone_from_source() if self.value() == "gone" else queryset


@admin.register(Tool)
class ToolAdmin(PublishableAdmin[Tool]):
    """A tool with its takes and a chart of its votes; deleting it keeps takes and votes."""

    form = ToolForm
    inlines = [TakeInline, FactInline, PlanInline]
    actions = [*PublishableAdmin.actions, "confirm_imported"]
    list_display = ["sorted_name", "state", "category", "last_changed"]
    list_filter = [StateFilter, "category", "entry", "status", ImportFilter]
    list_select_related = ["category"]
    search_fields = ["name", "slug", "label", "tagline", "maker"]
    search_help_text = "Name, label, address, tagline or maker"
    autocomplete_fields = ["category", "family"]
    readonly_fields = ["votes_by_day"]

    @admin.display(description="Name", ordering=Lower("name"))
    def sorted_name(self, row: Tool) -> str:
        """The name, with its tagline below."""
        return names_and_taglines((row.labelled_name, row.tagline))

    def has_confirm_permission(self, request: HttpRequest) -> bool:
        """Whether this editor may change facts and plans."""
        return request.user.has_perms(["tools.change_fact", "tools.change_plan"])

    @admin.action(description="Confirm imported facts and prices", permissions=["confirm"])
    def confirm_imported(self, request: HttpRequest, queryset: "QuerySet[Tool]") -> None:
        """Confirm all facts and plans from open data of the chosen tools, as checked today."""
        tools = [tool for tool in queryset if self.has_change_permission(request, tool)]
        with transaction.atomic():
            save = Save(user=request.user, now=timezone.now())
            facts, plans = confirm_imported(tools, save, timezone.localdate())
        others = len(queryset) - len(tools)
        if others:
            text = f"Publishers only may confirm those of {others} that are public or scheduled."
            messages.warning(request, text)
        if facts or plans:
            what = f"{_number(facts, 'fact')} and {_number(plans, 'price')}"
            messages.success(request, f"Confirmed, as checked today: {what}.")
        elif not others:
            messages.info(request, "Nothing was changed: nothing imported waits there.")

    def get_fieldsets(self, request: HttpRequest, obj: Tool | None = None) -> Any:
        """The tool's own fields; its earlier addresses, if any; the chart of its votes."""
        first = ["name", "label", "slug", "tagline", "category", *self.state_and_date(request)]
        about = ["choose_if", "best_for", "family", "maker", "website"]
        parts = [
            (None, {"fields": first}),
            (
                "What it is",
                {"fields": ["description", *about]},
            ),
            ("What it costs", {"fields": ["entry", "pricing"]}),
            (
                "Whether it is maintained",
                {"fields": ["status", "status_on", "status_source", "status_note"]},
            ),
            ("Whether this site earns from it", {"fields": ["relation"]}),
        ]
        if obj is None:
            return parts
        parts.append(("Where it comes from", {"fields": ["source_id"]}))
        if _may_end_redirects(request) and obj.former_slugs.exists():
            parts.append(("Earlier addresses", {"fields": ["ended"]}))
        return [*parts, ("Votes", {"fields": ["votes_by_day"]})]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Fold the parts of a tool that need no look now."""
        context["parts"] = list(_folded(context["adminform"], context.get("original")))
        return super().render_change_form(request, context, *args, **kwargs)

    def publication_obstacles(self, rows: Sequence[Tool], now: datetime) -> dict[int, str]:
        """Why tools cannot be published as they are, by primary key."""
        along = self.published_along(rows, now)
        takes = Take.objects.on(rows).published(now).order_by()
        judged = {*takes.values_list("tool_id", flat=True), *(take.tool_id for take in along)}
        no_take = {
            tool.pk: f"{tool.labelled_name} has no public take."
            for tool in rows
            if tool.pk not in judged
        }
        no_tagline = {
            tool.pk: f"{tool.labelled_name} has no tagline." for tool in rows if not tool.tagline
        }
        unfinished = {
            take.tool_id: f"{take} has no {' and no '.join(lacking)}: finish it, or hold it back."
            for take in along
            if (lacking := take_changes.unfinished(take.score, take.verdict))
        }
        return unfinished | no_take | no_tagline

    def published_along(self, rows: Sequence[Tool], now: datetime) -> Sequence[Take]:
        """The takes that follow these tools, without those held back; the lock of a tool is enough
        for its takes."""
        takes = Take.objects.on(rows).filter(held=False).select_related("tool", "reviewer")
        return [
            take for take in takes.order_by("pk") if take.follows_tool(now) and take.goes_along(now)
        ]

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

    def cautions_of(self, obj: Tool, touched: Sequence[ConflictForm[Any]]) -> list[str]:
        """The warnings about a tool that was just saved and about the takes that were written."""
        by = {each.instance.reviewer_id for each in touched if isinstance(each.instance, Take)}
        takes = Take.objects.on([obj]).filter(reviewer__in=by).in_panel_order()
        texts = [f"{take.reviewer}: {text}" for take in takes for text in cautions.of_take(take)]
        has_price = obj.pricing or Plan.objects.filter(tool=obj).exists()
        is_touched = any(isinstance(each.instance, Tool | Plan) for each in touched)
        return [NO_PRICING, *texts] if is_touched and not has_price else texts

    def save_model(
        self, request: HttpRequest, obj: Tool, form: "forms.ModelForm[Tool]", change: object
    ) -> None:
        """Save, and delete the redirects that were chosen."""
        super().save_model(request, obj, form, change)
        if change and _may_end_redirects(request):
            obj.former_slugs.filter(slug__in=form.cleaned_data["ended"]).delete()

    def save_fields(
        self, row: Tool, names: list[str] | None, before: Mapping[str, object], reason: str = ""
    ) -> None:
        """Save; a changed slug is a renaming, which keeps the old address working, and a changed
        status or entry price goes on the public record.
        """
        if names is None or "category" in names:
            hold(Category.objects.all(), [row.category_id])
        now = timezone.now()
        is_recorded = not RECORDED_FIELDS.isdisjoint(names or ()) and row.has_been_public(now)
        stated = stated_facts([row.pk] if is_recorded else [])
        self._save_or_rename(row, names, before, reason)
        record_changes(stated, now)

    def _save_or_rename(
        self, row: Tool, names: list[str] | None, before: Mapping[str, object], reason: str
    ) -> None:
        if names is not None and row.slug != before["slug"]:
            slug, row.slug = row.slug, str(before["slug"])
            row.rename(slug, fields=names)
        else:
            super().save_fields(row, names, before, reason)

    def get_formset_kwargs(
        self, request: HttpRequest, obj: Tool, inline: "InlineModelAdmin[Any, Tool]", prefix: str
    ) -> dict[str, Any]:
        """Pass to the forms of takes whether this editor may change public takes, and what is done
        with the tool.
        """
        own = super().get_formset_kwargs(request, obj, inline, prefix)
        if not isinstance(inline, TakeInline):
            filled_in = {} if saving(request) else _filled_in(request, obj, inline.model)
            return own | ({"filled_in": filled_in} if filled_in else {})
        # While it is saved, `obj` has the values of the form.
        stored = Tool.everything.filter(pk=obj.pk).first() if saving(request) else obj
        return own | {
            "may_publish": may_publish(request, inline.opts),
            "tool_was_public": stored is not None and stored.state(timezone.now()) == "public",
            "tool_act": Act.of(request.POST),
        }

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """The values of a new tool: the site that a reader suggested."""
        report = _report(request)
        suggested = {"website": web_address(report)} if report else {}
        return super().get_changeform_initial_data(request) | suggested

    def save_formset(
        self,
        request: HttpRequest,
        form: "ConflictForm[Tool]",
        formset: TakesFormSet | FactsFormSet | PlansFormSet,
        change: object,
    ) -> None:
        """Save takes, facts or plans, with histories and the public record."""
        tool, now = form.instance, timezone.now()
        moment = form.stored.get("published_at")
        seen = tool.withdrawn_at or (moment and moment <= now)
        published_now = () if seen else (tool.pk,)
        formset.act = Save(user=request.user, now=now, published_now=published_now)
        stored = list(Plan.objects.on([tool])) if isinstance(formset, PlansFormSet) else []
        formset.save()
        if isinstance(formset, PlansFormSet):
            for text in _cautions_of_prices(tool, form, formset, stored):
                messages.warning(request, text)
        if isinstance(formset, FactsFormSet) and formset.removed:
            names = in_words([f"“{name}”" for name in formset.removed])
            text = f"Removed, because they do not apply to the tool’s category: {names}."
            messages.warning(request, text)

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

    def reentry_urls(
        self, request: HttpRequest, obj: Tool, entries: Sequence[HistoryEntry]
    ) -> list[str]:
        """The tool's form for each deleted fact whose question is asked and not answered now."""
        deleted = [
            isinstance(each.version, Fact.history.model) and each.version.history_type == "-"
            for each in entries
        ]
        if not any(deleted) or not self.has_change_permission(request, obj):
            return [""] * len(entries)
        asked = {row.pk for row in Attribute.objects.asked_in([obj.category_id])}
        asked -= set(Fact.objects.on([obj]).values_list("attribute", flat=True))
        form = reverse("admin:tools_tool_change", args=[obj.pk])
        return [
            f"{form}?again={each.version.history_id}#facts-group"
            if is_deleted_fact and each.version.attribute_id in asked
            else ""
            for each, is_deleted_fact in zip(entries, deleted, strict=True)
        ]

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


@ToolAdmin.page("panel/", "panel", require_POST)
def panel_view(screen: ToolAdmin, request: HttpRequest) -> HttpResponse:
    """The panel's verdict and the warnings for the text typed so far."""
    sent = ManagementForm(request.POST, prefix="takes")
    sent.full_clean()
    number = sent.cleaned_data[TOTAL_FORM_COUNT] or 0
    names = (f"takes-{at}" for at in range(min(number, DEFAULT_MAX_NUM)))
    takes = [TypedTake.of(request.POST, name) for name in names if f"{name}-score" in request.POST]
    context = {
        "panel": panel_as_written((take.score, take.verdict) for take in takes),
        "takes": takes,
        "no_pricing": "" if has_typed_price(request.POST) else NO_PRICING,
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


def _filled_in(request: HttpRequest, tool: Tool, kind: type[Sourced]) -> dict[str, dict[str, Any]]:
    """What the link to a tool's form fills in: the source that a report names, or a deleted fact
    whose question has no other answer since.
    """
    sources = sources_for(_report(request), tool, kind)
    found: dict[str, dict[str, Any]] = {key: {"source": each} for key, each in sources.items()}
    form = ReentryForm(request.GET)
    if kind is not Fact or not form.is_valid() or not tool.pk:
        return found
    versions = Fact.history.filter(history_type="-", tool_id=tool.pk)
    version = versions.filter(history_id=form.cleaned_data["again"]).first()
    if version is None:
        return found
    fact, attribute = as_row(version, related_to([version])), version.attribute_id
    is_answered = Fact.objects.on([tool]).filter(attribute=attribute).exists()
    if not is_answered and fact.kind == fact.attribute.kind:
        values = {name: getattr(fact, name) for name in FactForm.Meta.fields}
        found[fact.attribute.slug] = {"answer": answer_as_text(fact.answer), **values}
    return found


class ReentryForm(forms.Form):
    """The query of a link from the history: the version of a fact as it was deleted."""

    again = forms.IntegerField(min_value=1, max_value=2**63 - 1)


class ReportedForm(forms.Form):
    """The query of a link from a report: its number."""

    report = forms.IntegerField(min_value=1, max_value=2**63 - 1)


def _report(request: HttpRequest) -> Report | None:
    """The report that led to this form, for editors who see reports."""
    form = ReportedForm(request.GET)
    if not form.is_valid() or not request.user.has_perm("reports.view_report"):
        return None
    return Report.objects.filter(pk=form.cleaned_data["report"]).first()


def _number(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _cautions_of_prices(
    tool: Tool, form: ConflictForm[Tool], formset: PlansFormSet, before: Sequence[Plan]
) -> Iterator[str]:
    """What no longer agrees after a save that touched plans or the text of *Pricing*."""
    plans = list(Plan.objects.on([tool]))
    if not formset.has_changed() and "pricing" not in form.changed_data:
        return
    if before and not plans:
        tool.refresh_from_db(fields=["entry"])
        yield (
            f"It has no plans any more: “Entry price” stays {tool.get_entry_display()}, and is "
            "yours to choose now."
        )
        return
    asked = {Amount(plan.amount, plan.currency) for plan in plans}
    earlier = {Amount(plan.amount, plan.currency) for plan in before}
    takes = Take.objects.on([tool]).in_panel_order()
    places = [
        *(
            ("Tagline", tool.tagline),
            ("Description", tool.description),
            ("Best for", tool.best_for),
        ),
        *((f"{take.reviewer}’s take", f"{take.because} {take.body}") for take in takes),
        *((f"quote of {plan.name}", f"{plan.quote} {plan.note}") for plan in plans),
        *((str(fact.attribute), f"{fact.note} {fact.quote}") for fact in tool.facts.all()),
    ]
    for amount, found in unasked_amounts(places, tool.pricing, asked, earlier).items():
        yield f"{amount.words} is the price of no plan, and still stands in: {in_words(found)}."


def _may_end_redirects(request: HttpRequest) -> bool:
    """Whether this editor may delete redirects of earlier addresses."""
    return request.user.has_perm("tools.delete_formerslug")


_OPEN_WHEN_NEW = ("What it is", "What it costs")


def _folded(adminform: AdminForm, tool: Tool | None) -> Iterator[tuple[Fieldset, Fold | None]]:
    """The fieldsets of a tool's form, each with its fold; the first one has none. One is open if
    its editor has to look at it, and for a new tool if it has to be filled in.
    """
    form = cast(ToolForm, adminform.form)
    touched = {*form.errors, *form.changed_data} if form.is_bound else set()
    parts: Iterable[Any] = adminform  # the stubs lack the attributes of a fieldset
    for fieldset in parts:
        title, fieldset.name = fieldset.name, None
        if not title:
            yield fieldset, None
            continue
        is_open = form.conflict is not None or bool(touched & {*flatten(fieldset.fields)})
        if tool is None:
            is_open = is_open or title in _OPEN_WHEN_NEW
        yield fieldset, Fold(title, _what_is_in(title, form) if tool else "", is_open)


def _what_is_in(title: str, form: ToolForm) -> str:
    """What a part of a tool's form has, in a line."""
    tool = form.instance
    if title == "What it is":
        return shorten(tool.description or tool.best_for or "No description yet", 80)
    if title == "What it costs":
        has_price = tool.pricing or form.has_stored_plans
        words = (tool.get_entry_display(), tool.pricing, "" if has_price else NO_PRICE)
        return " · ".join(filter(None, words))
    if title == "Whether this site earns from it":
        return str(tool.get_relation_display())
    if title == "Whether it is maintained":
        return str(tool.get_status_display())
    if title == "Where it comes from":
        gone = tool.gone_from_source_on
        origin = tool.source_id or "Written here"
        return f"{origin}, not there any more since {day_in_words(gone)}" if gone else origin
    if title == "Votes":
        return f"A chart of the last {CHART_DAYS} days"
    return ", ".join(tool.former_slugs.values_list("slug", flat=True))
