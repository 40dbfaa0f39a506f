"""Pages of one tool, and the list of categories; lists of tools are in `list_views`."""

from collections.abc import Mapping
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from comparisons.often_compared import often_compared
from comparisons.side_by_side import answered_pairs
from reviews.judged_tools import NO_WEIGHTS, judged_tools, with_scores, with_takes
from reviews.models import Take, TakeQuerySet
from reviews.own_panel import WEIGH_KEY, OwnPanel, with_own_panel
from reviews.public_record import PublicRecord
from shipskip.web.cache_control import not_cached, public
from shipskip.web.filters import FilterForm
from shipskip.web.paging import page_of, page_or_first
from shipskip.web.preview_pages import Preview, open_preview, preview_page
from tools.fact_sheet import profile
from tools.models import Category, Tool

CHANGES_PER_PAGE = 100
"""How many changes a page shows; older ones follow on the next."""


@require_safe
@public(uncached=[WEIGH_KEY], tallies=True)
@with_own_panel
def detail(request: HttpRequest, own: OwnPanel, slug: str) -> HttpResponse:
    """One tool: its verdict, facts and prices, its takes, its public record, and tools to compare
    it with.
    """
    now = timezone.now()
    tool = judged_tools().for_detail_page(now).with_tally().at_any([slug]).first()
    if tool is None:
        return redirect(_tool_by_former_slug(slug, now), permanent=True)
    context = _detail_context(tool, Take.objects.published(now), now, own.weights)
    context |= {"own": own, "notices": own.notices}
    return render(request, "tools/detail.html", context)


@require_safe
@preview_page
def preview(request: HttpRequest, token: str) -> HttpResponse:
    """Preview: the same page before publication, for anyone with the signed link."""
    now = timezone.now()
    tool, until = open_preview("tool", judged_tools().for_preview().with_tally(), token, now)
    return preview_of(request, tool, until, now)


def preview_of(
    request: HttpRequest, tool: Tool, until: datetime | None, now: datetime
) -> HttpResponse:
    """The preview of a tool; `until` is when its link expires."""
    context = _detail_context(tool, Take.objects.not_withdrawn(), now)
    context["preview"] = Preview(tool, [tool.category], until, now)
    return render(request, "tools/detail.html", context)


@require_safe
@public(query=FilterForm.base_fields)
def changes(request: HttpRequest, slug: str) -> HttpResponse:
    """Every score, verdict, fact and price of a tool that changed, newest first."""
    now = timezone.now()
    tool = Tool.objects.for_detail_page(now).at_any([slug]).first()
    if tool is None:
        return redirect("tools:changes", _tool_by_former_slug(slug, now).slug, permanent=True)
    form = FilterForm(request.GET)
    chosen = form.validate()
    page = page_or_first(PublicRecord(tool, now), chosen, form.notices, CHANGES_PER_PAGE)
    context = {"tool": tool, "page": page, "chosen": chosen, "notices": form.notices}
    return not_cached(render(request, "tools/changes.html", context), when=form.notices)


@require_safe
@public(uncached=[WEIGH_KEY])
@with_own_panel
def categories(request: HttpRequest, own: OwnPanel) -> HttpResponse:
    """All public categories; links carry the weights of `own`."""
    rows = list(Category.objects.published(timezone.now()))
    return render(request, "tools/categories.html", {"categories": rows, "own": own})


def _detail_context(
    tool: Tool, takes: TakeQuerySet, now: datetime, weights: Mapping[int, int] = NO_WEIGHTS
) -> dict[str, object]:
    """The context of a tool's page or preview, with those of `takes` that are on it."""
    public_takes = Take.objects.published(now)
    columns = with_takes([tool], takes, weights)
    suggested = often_compared([tool], now)
    pairs = answered_pairs(suggested.pairs, public_takes, weights)
    siblings = list(judged_tools().published(now).siblings_of(tool)) if tool.family else []
    return {
        "tool": tool,
        "tools": [tool],
        "columns": columns,
        "column": columns[0],
        "takes": columns[0].takes,
        "panel": columns[0].panel,
        "tally": columns[0].tally,
        "others": [(pair, [row for row in pair.rows if row[0].pk != tool.pk]) for pair in pairs],
        "by_use": suggested.by_use,
        "changes": page_of(PublicRecord(tool, now), 1, CHANGES_PER_PAGE),
        "profile": profile(tool, now),
        "siblings": with_scores(siblings, public_takes, weights) if siblings else [],
    }


def _tool_by_former_slug(slug: str, now: datetime) -> Tool:
    """The public tool with this former slug; Http404 without one."""
    tool = Tool.objects.published(now).by_former_slug([slug]).get(slug)
    if tool is None:
        raise Http404("There is no tool at this address.")
    return tool
