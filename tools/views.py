"""Pages of tools and categories."""

from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from shipskip.web.caching import not_cached, public
from shipskip.web.filters import FilterForm
from shipskip.web.paging import page_of, page_or_first
from shipskip.web.previewing import Preview, opened, unlisted
from tools.forms import ToolFilterForm
from tools.models import Category, Tool, ToolQuerySet

CHANGES = 100
"""How many changed verdicts stand on a page; what is older stands on the next."""


@require_safe
@public(query=ToolFilterForm.base_fields)
def tool_list(request: HttpRequest) -> HttpResponse:
    """All public tools, filtered, sorted and paged."""
    now = timezone.now()
    categories = list(Category.objects.published(now))
    form = ToolFilterForm(request.GET, categories)
    chosen = form.settle()
    category = next((row for row in categories if row.slug == chosen["category"]), None)
    tools = _filtered(Tool.objects.for_list_page(now), chosen, category, now)
    page = page_or_first(tools, chosen, form.complaints)
    context = {"page": page, "form": form, "chosen": chosen, "complaints": form.complaints}
    context["narrowed"] = any(chosen[key] for key in ("q", "category", "entry", "verdict"))
    return not_cached(render(request, "tools/list.html", context), when=form.complaints)


@require_safe
@public(tallies=True)
def detail(request: HttpRequest, slug: str) -> HttpResponse:
    """One tool: its verdict, its takes, its changed verdicts, and what to compare it with."""
    now = timezone.now()
    tool = Tool.objects.for_detail_page(now).filter(slug=slug).first()
    if tool is None:
        return redirect(_moved(slug, now), permanent=True)
    return render(request, "tools/detail.html", _page_of(tool, now))


@require_safe
@unlisted
def preview(request: HttpRequest, token: str) -> HttpResponse:
    """The same page as it will be, for whoever holds a signed link to it."""
    now = timezone.now()
    tool, until = opened("tool", Tool.objects.for_preview(), token, now)
    banner = Preview(tool, [tool.category], until, now)
    return render(request, "tools/detail.html", _page_of(tool, now) | {"preview": banner})


@require_safe
@public(query=FilterForm.base_fields)
def changes(request: HttpRequest, slug: str) -> HttpResponse:
    """Every score and verdict on a tool that the panel changed, newest first."""
    now = timezone.now()
    tool = Tool.objects.for_side_by_side(now).filter(slug=slug).first()
    if tool is None:
        return redirect("tools:changes", _moved(slug, now).slug, permanent=True)
    form = FilterForm(request.GET)
    chosen = form.settle()
    page = page_or_first(_record(tool, now), chosen, form.complaints, CHANGES)
    context = {"tool": tool, "page": page, "chosen": chosen, "complaints": form.complaints}
    return not_cached(render(request, "tools/changes.html", context), when=form.complaints)


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
    form = FilterForm(request.GET)
    chosen = form.settle()
    tools = Tool.objects.for_list_page(now).in_category(row).ranked(now)
    page = page_or_first(tools, chosen, form.complaints)
    context = {"category": row, "page": page, "chosen": chosen, "complaints": form.complaints}
    return not_cached(render(request, "tools/category.html", context), when=form.complaints)


def _page_of(tool: Tool, now: datetime) -> dict[str, Any]:
    """What a tool's page shows, public or not yet."""
    return {
        "tool": tool,
        "others": Tool.objects.to_compare_with(tool, now),
        "changes": page_of(_record(tool, now), 1, CHANGES),
    }


def _record(tool: Tool, now: datetime) -> Any:
    """The public record of a tool."""
    record: Any = tool  # the relations of the reviews app, which imports this one
    return record.take_changes.for_record(now)


def _moved(slug: str, now: datetime) -> Tool:
    """The public tool that was once at a slug; Http404 without one."""
    moved = Tool.objects.published(now).formerly([slug]).get(slug)
    if moved is None:
        raise Http404("There is no tool at this address.")
    return moved


def _filtered(
    tools: ToolQuerySet, chosen: dict[str, Any], category: Category | None, now: datetime
) -> ToolQuerySet:
    """The tools that the chosen filters leave, in the chosen order."""
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
