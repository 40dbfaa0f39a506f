"""Pages of tools and categories."""

from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from shipskip.web.caching import public
from shipskip.web.filters import FilterForm
from shipskip.web.paging import page_or_first
from tools.forms import ToolFilterForm
from tools.models import Category, Tool, ToolQuerySet


@require_safe
@public
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
    return render(request, "tools/list.html", context)


@require_safe
@public
def detail(request: HttpRequest, slug: str) -> HttpResponse:
    """One tool: its verdict, its takes, and what to compare it with."""
    now = timezone.now()
    tool = Tool.objects.for_detail_page(now).filter(slug=slug).first()
    if tool is None:
        moved = Tool.objects.published(now).formerly([slug]).get(slug)
        if moved:
            return redirect(moved, permanent=True)
        raise Http404("There is no tool at this address.")
    others = Tool.objects.to_compare_with(tool, now)
    return render(request, "tools/detail.html", {"tool": tool, "others": others})


@require_safe
@public
def categories(request: HttpRequest) -> HttpResponse:
    """All public categories."""
    rows = list(Category.objects.published(timezone.now()))
    return render(request, "tools/categories.html", {"categories": rows})


@require_safe
@public
def category(request: HttpRequest, slug: str) -> HttpResponse:
    """The tools of a category, best panel first."""
    now = timezone.now()
    row = get_object_or_404(Category.objects.published(now), slug=slug)
    form = FilterForm(request.GET)
    chosen = form.settle()
    tools = Tool.objects.for_list_page(now).in_category(row).ranked(now)
    page = page_or_first(tools, chosen, form.complaints)
    context = {"category": row, "page": page, "chosen": chosen, "complaints": form.complaints}
    return render(request, "tools/category.html", context)


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
