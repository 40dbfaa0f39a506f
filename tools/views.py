"""Pages of tools and categories."""

from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from comparisons.addresses import address
from comparisons.models import Comparison
from reviews.judged_tools import JudgedToolQuerySet, judged_tools, with_scores, with_takes
from reviews.models import Take, TakeChange, TakeQuerySet
from shipskip.web.cache_control import not_cached, public
from shipskip.web.filters import FilterForm
from shipskip.web.paging import Chosen, page_of, page_or_first
from shipskip.web.preview_pages import Preview, open_preview, preview_page
from tools.forms import ToolFilterForm
from tools.models import Category, Tool

CHANGES = 100
"""How many changed verdicts a page shows; older ones follow on the next."""


@require_safe
@public(query=ToolFilterForm.base_fields)
def tool_list(request: HttpRequest) -> HttpResponse:
    """All public tools, filtered, sorted and paged."""
    now = timezone.now()
    categories = list(Category.objects.published(now))
    form = ToolFilterForm(request.GET, categories)
    chosen = form.validate()
    category = next((row for row in categories if row.slug == chosen["category"]), None)
    tools = _filtered(judged_tools().for_list_page(now), chosen, category, now)
    page = page_or_first(tools, chosen, form.notices)
    context = {
        "tools": with_scores(page.rows, Take.objects.published(now)),
        "page": page,
        "form": form,
        "chosen": chosen,
        "notices": form.notices,
        "narrowed": any(chosen[key] for key in ("q", "category", "entry", "verdict")),
    }
    return not_cached(render(request, "tools/list.html", context), when=form.notices)


@require_safe
@public(tallies=True)
def detail(request: HttpRequest, slug: str) -> HttpResponse:
    """One tool: its verdict, its takes, its changed verdicts, and tools to compare it with."""
    now = timezone.now()
    tool = judged_tools().for_detail_page(now).with_tally().at_any([slug]).first()
    if tool is None:
        return redirect(_tool_by_former_slug(slug, now), permanent=True)
    context = _detail_context(tool, Take.objects.published(now), now)
    return render(request, "tools/detail.html", context)


@require_safe
@preview_page
def preview(request: HttpRequest, token: str) -> HttpResponse:
    """The same page before publication, for anyone with its signed link."""
    now = timezone.now()
    tool, until = open_preview("tool", judged_tools().for_preview().with_tally(), token, now)
    return preview_of(request, tool, until, now)


def preview_of(
    request: HttpRequest, tool: Tool, until: datetime | None, now: datetime
) -> HttpResponse:
    """The preview of a tool; `until` is when its link expires."""
    context = _detail_context(tool, Take.objects.foreseen(), now)
    context["preview"] = Preview(tool, [tool.category], until, now)
    return render(request, "tools/detail.html", context)


@require_safe
@public(query=FilterForm.base_fields)
def changes(request: HttpRequest, slug: str) -> HttpResponse:
    """Every score and verdict on a tool that the panel changed, newest first."""
    now = timezone.now()
    tool = Tool.objects.for_detail_page(now).at_any([slug]).first()
    if tool is None:
        return redirect("tools:changes", _tool_by_former_slug(slug, now).slug, permanent=True)
    form = FilterForm(request.GET)
    chosen = form.validate()
    rows = TakeChange.objects.on(tool).by_public_reviewers(now)
    page = page_or_first(rows, chosen, form.notices, CHANGES)
    context = {"tool": tool, "page": page, "chosen": chosen, "notices": form.notices}
    return not_cached(render(request, "tools/changes.html", context), when=form.notices)


@require_safe
@public
def categories(request: HttpRequest) -> HttpResponse:
    """All public categories."""
    rows = list(Category.objects.published(timezone.now()))
    return render(request, "tools/categories.html", {"categories": rows})


@require_safe
@public(query=FilterForm.base_fields)
def category(request: HttpRequest, slug: str) -> HttpResponse:
    """The tools of a category, best panel first."""
    now = timezone.now()
    row = get_object_or_404(Category.objects.published(now), slug=slug)
    context, notices = _category_context(row, request.GET, now)
    return not_cached(render(request, "tools/category.html", context), when=notices)


def preview_of_category(request: HttpRequest, row: Category, now: datetime) -> HttpResponse:
    """The preview of a category's first page, for a transaction in which it is public."""
    context, _ = _category_context(row, QueryDict(), now)
    context["preview"] = Preview(row, [], None, now)
    return render(request, "tools/category.html", context)


def _category_context(
    row: Category, query: QueryDict, now: datetime
) -> tuple[dict[str, object], list[str]]:
    """The context of a category's page, and what the page says about bad values."""
    form = FilterForm(query)
    chosen = form.validate()
    tools = judged_tools().for_list_page(now).in_category(row).ranked(now)
    page = page_or_first(tools, chosen, form.notices)
    context: dict[str, object] = {
        "category": row,
        "tools": with_scores(page.rows, Take.objects.published(now)),
        "page": page,
        "chosen": chosen,
        "notices": form.notices,
    }
    return context, form.notices


def _detail_context(tool: Tool, takes: TakeQuerySet, now: datetime) -> dict[str, object]:
    """The context of a tool's page or preview, with those of `takes` that are on it."""
    columns = with_takes([tool], takes)
    others = Comparison.objects.to_compare_with(tool, now)
    return {
        "tool": tool,
        "tools": [tool],
        "columns": columns,
        "column": columns[0],
        "takes": columns[0].takes,
        "panel": columns[0].panel,
        "tally": columns[0].tally,
        "others": [(other, address(sorted([tool.slug, other.slug]))) for other in others],
        "changes": page_of(TakeChange.objects.on(tool).by_public_reviewers(now), 1, CHANGES),
    }


def _tool_by_former_slug(slug: str, now: datetime) -> Tool:
    """The public tool with this former slug; Http404 without one."""
    tool = Tool.objects.published(now).by_former_slug([slug]).get(slug)
    if tool is None:
        raise Http404("There is no tool at this address.")
    return tool


def _filtered(
    tools: JudgedToolQuerySet, chosen: Chosen, category: Category | None, now: datetime
) -> JudgedToolQuerySet:
    """The tools that match the chosen filters, in the chosen order."""
    if category:
        tools = tools.in_category(category)
    if chosen["entry"]:
        tools = tools.with_entry(chosen["entry"])
    if chosen["verdict"] == "none":
        tools = tools.unjudged(now)
    elif chosen["verdict"]:
        tools = tools.judged(chosen["verdict"], now)
    if chosen["q"]:
        tools = tools.matching(chosen["q"])
    if chosen["sort"] == "name":
        return tools.by_name()
    return tools.newest() if chosen["sort"] == "newest" else tools.ranked(now)
