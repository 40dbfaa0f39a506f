"""Picking tools, and the page that sets them side by side."""

from collections.abc import Sequence
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from comparisons import addresses, queries
from comparisons.forms import OPTIONS, Field, PickForm, pick
from comparisons.models import Comparison
from comparisons.panel import SideBySide
from reviews.models import Take
from shipskip.web.caching import not_cached, public
from shipskip.web.filters import FilterForm
from shipskip.web.paging import page_or_first
from shipskip.web.previewing import Preview, opened, unlisted
from tools.models import Tool
from tools.queries import neighbours_of, tools_at


@require_safe
@public(query=["tools", *FilterForm.base_fields], lists=["tools"])
def picker(request: HttpRequest) -> HttpResponse:
    """Choose tools to compare, or read the editors' comparisons.

    `?tools=a&tools=b` leads to their page when both name a tool; otherwise the page says what
    was not understood and offers what may have been meant.
    """
    now = timezone.now()
    asked = request.GET.getlist("tools")[: addresses.MAX_TOOLS + 1]
    fields = [pick(text, now) for text in asked[: addresses.MAX_TOOLS]]
    chosen_tools = [field.tool for field in fields if field.tool]
    if len(chosen_tools) == len(asked) == addresses.MAX_TOOLS:
        return _to_page_of(chosen_tools)
    form = FilterForm(request.GET)
    chosen = form.settle()
    if len(asked) > addresses.MAX_TOOLS:
        form.complaints.append("Two tools stand side by side for now; the first two were kept.")
    if any(asked):
        fields += [Field() for _ in range(addresses.MAX_TOOLS - len(fields))]
    else:
        fields = [Field() for _ in range(addresses.MAX_TOOLS)]
    page = page_or_first(Comparison.objects.for_list_page(now), chosen, form.complaints)
    context = {
        "fields": fields,
        "options": list(Tool.objects.published(now).newest()[:OPTIONS]),
        "page": page,
        "chosen": chosen,
        "complaints": form.complaints,
    }
    response = render(request, "comparisons/picker.html", context)
    return not_cached(response, when=[*form.complaints, *asked])


@require_safe
@public(query=["tools"])
def suggest(request: HttpRequest) -> HttpResponse:
    """The options under a picker's field, for what has been typed so far."""
    form = PickForm(request.GET)
    text = form.settle()["tools"] or ""
    public_tools = Tool.objects.published(timezone.now())
    options = list(public_tools.matching(text).by_name()[:OPTIONS])
    return render(request, "comparisons/_options.html", {"options": options})


@require_safe
@public(tallies=True)
def detail(request: HttpRequest, pair: str) -> HttpResponse:
    """Tools side by side, at the one address this pair has."""
    now = timezone.now()
    slugs = addresses.parse(pair)
    if slugs is None:
        raise Http404("This is not the address of a comparison.")
    if len(slugs) > addresses.MAX_TOOLS:
        raise Http404("Two tools stand side by side for now: choose two of these.")
    tools = _tools(slugs, now)
    if len(tools) == 1 and len(slugs) == 1:
        return redirect(f"{addresses.picker_address([tools[0].slug])}")
    if len({tool.pk for tool in tools}) == 1:
        return redirect(tools[0], permanent=True)
    around = queries.around(tools, now)
    own = around[0] if around and {t.pk for t in around[0].tools} == {t.pk for t in tools} else None
    ordered = own.tools if own else sorted(tools, key=lambda tool: tool.slug)
    canonical = addresses.address([tool.slug for tool in ordered])
    if request.path != canonical:
        return redirect(canonical, permanent=True)
    page = _side_by_side(tools, queries.takes_on(tools, now), own, around, now)
    return render(request, "comparisons/detail.html", {"page": page})


@require_safe
@unlisted
def preview(request: HttpRequest, token: str) -> HttpResponse:
    """An editor's comparison as it will be, for whoever holds a signed link to it."""
    now = timezone.now()
    row, until = opened("comparison", Comparison.objects.of_kept_tools(), token, now)
    found = Tool.objects.for_preview().in_bulk([row.first_id, row.second_id])
    tools = [found[row.first_id], found[row.second_id]]
    takes = [take for tool in tools for take in tool.takes.all()]
    page = _side_by_side(tools, takes, row, queries.around(tools, now), now)
    row.first, row.second = tools
    context = {"page": page, "preview": Preview(row, row.needed, until, now)}
    return render(request, "comparisons/detail.html", context)


def _side_by_side(
    tools: Sequence[Tool],
    takes: Sequence[Take],
    own: Comparison | None,
    around: Sequence[Comparison],
    now: datetime,
) -> SideBySide:
    """What a comparison's page shows, public or not yet: these tools in their order."""
    return SideBySide(
        tools=tools,
        takes=takes,
        comparison=own,
        related=[row for row in around if row != own],
        neighbours=neighbours_of(tools, now),
    )


def _tools(slugs: list[str], now: datetime) -> list[Tool]:
    """The public tools at these slugs or once there, in order; Http404 names the first unknown."""
    found = {tool.slug: tool for tool in tools_at(slugs, now)}
    missing = [slug for slug in slugs if slug not in found]
    if missing:
        found |= Tool.objects.published(now).formerly(missing)
    for slug in slugs:
        if slug not in found:
            raise Http404(f"There is no tool “{slug}” here.")
    return [found[slug] for slug in slugs]


def _to_page_of(tools: list[Tool]) -> HttpResponse:
    """Onward to the tools' page, which knows its own order."""
    slugs = sorted({tool.slug for tool in tools})
    if len(slugs) == 1:
        return redirect(tools[0])
    return redirect(addresses.address(slugs))
