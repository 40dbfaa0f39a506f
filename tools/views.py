"""Pages of one tool, and the list of categories; lists of tools are in `list_views`."""

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from reviews.scoring import OUR_WEIGHTS, Weights
from shipskip.content import structured_data
from shipskip.content.content import Content
from shipskip.content.current import content_beside_preview, with_content
from shipskip.content.embed_codes import codes_of
from shipskip.content.fact_sheet import profile
from shipskip.content.judged_tools import judged, with_tallies
from shipskip.content.often_compared import often_compared
from shipskip.content.own_panel import WEIGH_KEY, OwnPanel, with_own_panel
from shipskip.content.page_objects import public_tool
from shipskip.content.personas import personas_of
from shipskip.content.previews import previewed
from shipskip.content.records import FullTool
from shipskip.content.score_history import score_history
from shipskip.content.share_picture import picture_of_tool
from shipskip.content.side_by_side import not_judged_by
from shipskip.reports.counts import decided_on
from shipskip.web.cache_control import not_cached, public
from shipskip.web.filters import FilterForm
from shipskip.web.paging import page_of, page_or_first
from shipskip.web.preview_pages import Preview, open_preview, preview_page
from shipskip.web.twins import with_twins
from tools.models import Tool
from tools.relations import relations_in_words

MAX_SIBLINGS = 24
"""How many other releases of its family a tool's page lists."""

CHANGES_PER_PAGE = 100
"""How many changes a page shows; older ones follow on the next."""


@require_safe
@public(uncached=[WEIGH_KEY], tallies=True)
@with_twins("md", "json", embeds=True)
@with_own_panel
def detail(request: HttpRequest, content: Content, own: OwnPanel, slug: str) -> HttpResponse:
    """One tool: its verdict, facts and prices, its takes, its public record, and tools to compare
    it with.
    """
    tool = public_tool(content, slug)
    if tool.slug != slug:
        return redirect(tool, permanent=True)
    context = _detail_context(content, content.full([tool])[0], own.weights)
    context |= {"own": own, "notices": own.notices}
    context["decided"] = decided_on(content, tool.pk)
    context["picture"] = picture_of_tool(judged([tool])[0])
    context["not_judged"] = not_judged_by(own.raised, judged([tool], own.weights))
    return render(request, "tools/detail.html", context)


@require_safe
@preview_page
def preview(request: HttpRequest, token: str) -> HttpResponse:
    """Preview: the same page before publication, for anyone with the signed link."""
    now = timezone.now()
    tool, until = open_preview("tool", Tool.objects.select_related("category"), token, now)
    return preview_of(request, tool, until, now)


def preview_of(
    request: HttpRequest, tool: Tool, until: datetime | None, now: datetime
) -> HttpResponse:
    """The preview of a tool; `until` is when its link expires."""
    content = content_beside_preview(request)
    context = _detail_context(content, previewed([tool.pk], content)[0])
    context["preview"] = Preview(tool, [tool.category], until, now)
    return render(request, "tools/detail.html", context)


@require_safe
@public(query=FilterForm.base_fields)
@with_content
def changes(request: HttpRequest, content: Content, slug: str) -> HttpResponse:
    """Every score, verdict, fact and price of a tool that changed, newest first."""
    tool = public_tool(content, slug)
    if tool.slug != slug:
        return redirect("tools:changes", tool.slug, permanent=True)
    form = FilterForm(request.GET)
    chosen = form.validate()
    record = content.full([tool])[0].changes
    page = page_or_first(record, chosen, form.notices, CHANGES_PER_PAGE)
    context = {"tool": tool, "page": page, "chosen": chosen, "notices": form.notices}
    context["decided"] = decided_on(content, tool.pk)
    return not_cached(render(request, "tools/changes.html", context), when=form.notices)


@require_safe
@public(uncached=[WEIGH_KEY])
@with_own_panel
def categories(request: HttpRequest, content: Content, own: OwnPanel) -> HttpResponse:
    """All public categories; links carry the weights of `own`."""
    context = {"categories": content.categories, "own": own}
    return render(request, "tools/categories.html", context)


def _detail_context(
    content: Content, tool: FullTool, weights: Weights = OUR_WEIGHTS
) -> dict[str, object]:
    """The context of a tool's page or preview."""
    columns = with_tallies([tool], weights)
    suggested = often_compared(content, [tool])
    pairs = suggested.pairs(weights)
    return {
        "tool": tool,
        "dates": tool.dates,
        "structured_data": structured_data.tool(columns[0]),
        "tools": [tool],
        "embed_codes": codes_of(tool),
        "columns": columns,
        "column": columns[0],
        "takes": [(take, tool.remark_on(take)) for take in tool.takes],
        "relation": relations_in_words([(tool.title, tool.relation)]),
        "personas": personas_of(tool.takes),
        "panel": columns[0].panel,
        "tally": columns[0].tally,
        "others": pairs,
        "by_use": suggested.by_use,
        "changes": page_of(tool.changes, 1, CHANGES_PER_PAGE),
        "history": score_history(tool, content.now),
        "profile": profile(tool, content.attributes, content.now),
        "siblings": judged(content.siblings_of(tool)[:MAX_SIBLINGS], weights),
    }
