"""Views of facts: the grid of one category, and what is due in all of them."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from reviews.models import Reviewer
from shipskip.desk.coverage import found_tools, may_see, state_of, totals_at
from shipskip.desk.fact_grid import Grid, GridForm, page_size
from shipskip.desk.facts_due import facts_due
from shipskip.editing import draft_recovery
from shipskip.editing.bulk_saves import Save
from shipskip.editing.edit_conflicts import Versions
from shipskip.editing.row_locks import retry_concurrent_save
from shipskip.web.filters import FilterForm
from shipskip.web.htmx import see_other
from shipskip.web.paging import Page, page_or_first
from tools.fact_writing import FactKey, lock_tools, write_facts
from tools.models import Attribute, Category, Fact, Outcome, SourceCheck, Tool, ToolQuerySet
from tools.models.sources import STALE_AFTER_DAYS


class GridFilterForm(FilterForm):
    """`q`, `what` and `page` of the grid."""

    q = forms.CharField(label="Search", required=False, max_length=100)
    what = forms.ChoiceField(
        label="Show",
        required=False,
        choices=[
            ("", "All tools"),
            ("no-source", "With an answer without a source"),
            ("no-day", "With a source without a day"),
            ("missing", "With an answer missing"),
            ("old", "With an old answer"),
            ("unconfirmed", "With an imported answer"),
        ],
    )


@require_safe
def facts_index(request: HttpRequest) -> HttpResponse:
    """Redirect to the grid of the first category, which links to the others."""
    _check_may_see(request)
    first = Category.objects.all().first()
    if first is None:
        messages.info(request, "There are no categories yet, so there are no facts.")
        return redirect("admin:tools_category_changelist")
    return redirect("admin:facts", first.slug)


@require_safe
def due(request: HttpRequest) -> HttpResponse:
    """The takes that are missing or old, and the facts of each category that are due."""
    _check_may_see(request)
    if not may_see(request):
        raise PermissionDenied
    now, looks = timezone.now(), SourceCheck.objects.totals()
    context = {
        **admin.site.each_context(request),
        "title": "Due",
        "due": facts_due(now),
        "looks": [(each, looks.get(each, 0)) for each in Outcome],
        "totals": totals_at(now, list(Reviewer.objects.not_withdrawn())),
        "stale_after": STALE_AFTER_DAYS,
    }
    return render(request, "admin/due.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def facts_grid(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the grid of a category; POST saves the changed and the ticked cells."""
    _check_may_see(request)
    category = get_object_or_404(Category, slug=slug)
    attributes = Attribute.objects.asked_in([category.pk])
    recovered = draft_recovery.fill_in(request)
    if request.method == "POST":
        form = GridForm(request.POST)
        if recovered or not form.is_valid():
            tools = list(_tools(category).filter(pk__in=form.tool_keys).by_name())
            return _page(request, category, _grid(request, tools, attributes, sent=True), form)
        return retry_concurrent_save(lambda: _save(request, category, attributes, form))
    filters = GridFilterForm(request.GET)
    chosen = filters.validate()
    rows = _filtered(_tools(category), attributes, chosen)
    page = page_or_first(rows, chosen, filters.notices, page_size(attributes))
    grid = _grid(request, page.rows, attributes)
    form = GridForm(initial={"checked_on": timezone.localdate()})
    return _page(request, category, grid, form, filters=filters, page=page, chosen=chosen)


@transaction.atomic
def _save(
    request: HttpRequest, category: Category, attributes: Sequence[Attribute], form: GridForm
) -> HttpResponse:
    """Save every valid cell that no other editor changed; show the others again."""
    assert isinstance(request.user, User)  # noqa: S101 - for the type checker
    now = timezone.now()
    locked = {tool.pk for tool in lock_tools(form.tool_keys)}
    tools = list(_tools(category).filter(pk__in=locked).by_name())
    grid = _grid(request, tools, attributes, sent=True)
    grid.check(form)
    write_facts(list(grid.edits.values()), Save(user=request.user, now=now))
    number = len(grid.edits)
    if number:
        messages.success(request, f"{number:,} answer{'' if number == 1 else 's'} saved.")
    if not grid.marked:
        draft_recovery.mark_saved(request)
        if not number:
            messages.info(request, "Nothing was changed.")
        return see_other(request.get_full_path())
    fresh = _grid(request, tools, attributes)
    shown = {cell.name: cell for cell in fresh.cells}
    for cell in grid.marked:
        own = shown[cell.name]
        own.text, own.fault, own.theirs = cell.text, cell.fault, cell.theirs
        if cell.fault:  # a conflict is not shown yet
            own.history_id = cell.history_id
    return _page(request, category, fresh, form)


def _page(
    request: HttpRequest,
    category: Category,
    grid: Grid,
    form: GridForm,
    *,
    filters: GridFilterForm | None = None,
    page: Page[Tool] | None = None,
    chosen: dict[str, Any] | None = None,
) -> HttpResponse:
    """The grid with its filters, or with what could not be saved."""
    context = {
        **admin.site.each_context(request),
        "opts": Fact._meta,
        "title": f"Facts: {category}",
        "category": category,
        "categories": Category.objects.all(),
        "grid": grid,
        "form": form,
        "filters": filters,
        "page": page,
        "chosen": chosen or {},
        "notices": filters.notices if filters else [],
        "recovered": draft_recovery.RECOVERED in request.META and draft_recovery.NOT_SAVED,
        "may_edit": any(row.may_edit for row in grid.rows),
    }
    return render(request, "admin/fact_grid.html", context, status=200)


def _tools(category: Category) -> ToolQuerySet:
    """The tools of a category, with it."""
    return Tool.objects.in_category(category).select_related("category").defer("description")


def _filtered(
    tools: ToolQuerySet, attributes: Sequence[Attribute], chosen: dict[str, Any]
) -> ToolQuerySet:
    """The tools that match the filters, by name."""
    tools = found_tools(tools, chosen["q"])
    what, facts = chosen["what"], Fact.objects.all()
    if what == "no-source":
        tools = facts.without_source().tools_with_facts(tools)
    elif what == "no-day":
        tools = facts.without_day().tools_with_facts(tools)
    elif what == "missing":
        tools = facts.incomplete(tools, attributes)
    elif what == "old":
        tools = facts.old(timezone.now()).tools_with_facts(tools)
    elif what == "unconfirmed":
        tools = facts.unconfirmed().tools_with_facts(tools)
    return tools.by_name()


def _grid(
    request: HttpRequest,
    tools: Sequence[Tool],
    attributes: Sequence[Attribute],
    *,
    sent: bool = False,
) -> Grid:
    """The grid of these tools with this editor's permissions; two or three queries."""
    now = timezone.now()
    facts = list(Fact.objects.on(tools).order_by())
    by_key: dict[FactKey, Fact] = {(fact.tool_id, fact.attribute_id): fact for fact in facts}
    post = request.POST if sent else QueryDict()
    opened = [post[name] for name in post if name.startswith("version-")]
    may_change = request.user.has_perm("tools.change_fact")
    may_publish = request.user.has_perm("tools.publish_tool")
    return Grid(
        now=now,
        tools=tools,
        attributes=attributes,
        facts=by_key,
        versions=Versions(Fact, [fact.pk for fact in facts], opened),
        may_edit=lambda tool: may_change and (may_publish or tool.published_at is None),
        state_of=lambda tool: state_of(tool, now),
        sent=post if sent else None,
    )


def _check_may_see(request: HttpRequest) -> None:
    if not request.user.has_perms(["tools.view_tool", "tools.view_fact"]):
        raise PermissionDenied
