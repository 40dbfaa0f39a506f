"""The picker, and the page of tools side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from comparisons import addresses
from comparisons.models import Comparison
from comparisons.often_compared import Suggested, often_compared
from comparisons.picking import (
    MAX_CANDIDATES,
    MAX_QUERY,
    MAX_SUGGESTIONS,
    Field,
    fields_with_candidates,
    first_options,
    read_field,
    typed_texts,
)
from comparisons.read_counts import read_counts
from comparisons.side_by_side import SideBySide, answered_by, answered_pairs
from reviews.judged_tools import NO_WEIGHTS, judged_tools, with_takes
from reviews.models import Take, TakeQuerySet
from reviews.own_panel import WEIGH_KEY, OwnPanel, with_own_panel
from shipskip.search.results import similar_names, tools_found
from shipskip.web.cache_control import not_cached, not_shared, public
from shipskip.web.filters import FilterForm, texts_field
from shipskip.web.list_order import place_after
from shipskip.web.paging import page_or_first
from shipskip.web.preview_pages import Preview, open_preview, preview_page
from tools.fact_sheet import fact_sheet
from tools.models import Tool


class PickerForm(FilterForm):
    """`tools`, `act` and `page` of `/compare/`: the text of each field, and a pressed button."""

    tools = texts_field()
    act = forms.CharField(required=False, max_length=20)


class SuggestForm(FilterForm):
    """`tools` of the suggestions under a picker's field: the text typed so far."""

    tools = forms.CharField(required=False, max_length=MAX_QUERY)


@require_safe
@public(query=PickerForm.base_fields, lists=["tools"], uncached=[WEIGH_KEY])
@with_own_panel
def picker(request: HttpRequest, own: OwnPanel) -> HttpResponse:
    """The picker of tools to compare, and the editors' comparisons.

    `?tools=a&tools=b` redirects to their page if each text matches a tool; otherwise the page shows
    which text matches none, and suggests similar ones. `act` (`add`, `up-1`) rearranges them.
    """
    now = timezone.now()
    form = PickerForm(request.GET)
    chosen = form.validate()
    texts, act = chosen.pop("tools"), chosen.pop("act") or ""
    if sum(map(bool, texts)) > addresses.MAX_TOOLS:
        form.notices.append(f"{addresses.TOO_MANY_TOOLS} The first ten are filled in.")
    fields = [
        read_field(text, now, _search) if text or not act else Field()
        for text in typed_texts(texts, act)
    ]
    tools = [field.tool for field in fields if field.tool]
    if len(tools) == len(fields) > 1 and not (act or form.notices):
        return _to_page_of(tools)
    fields += [Field() for _ in range(2 - len(fields))]
    page = page_or_first(Comparison.objects.for_list_page(now), chosen, form.notices)
    context = {
        "fields": fields,
        "act": act,
        "moved": place_after(act),
        "most": addresses.MAX_TOOLS,
        "offers": fields_with_candidates(fields),
        "options": first_options(now),
        "page": page,
        "pairs": answered_pairs(page.rows, Take.objects.published(now), own.weights),
        "chosen": chosen,
        "own": own,
        "notices": [*own.notices, *form.notices],
    }
    response = render(request, "comparisons/picker.html", context)
    return not_cached(response, when=[*form.notices, *texts, *act])


@require_safe
@public(query=["tools"])
def suggest(request: HttpRequest) -> HttpResponse:
    """The options under a picker's field, for the text typed so far."""
    form = SuggestForm(request.GET)
    text = form.validate()["tools"] or ""
    now = timezone.now()
    options = tools_found(text, now, MAX_SUGGESTIONS) if text else first_options(now)
    answer = render(request, "_tool_options.html", {"options": options})
    return not_cached(answer, when=text)


def _search(text: str) -> list[Tool]:
    """The tools that a text of the picker may mean, best first."""
    return similar_names(text, timezone.now(), MAX_CANDIDATES)


class RowsForm(FilterForm):
    """`rows` of a comparison: the default table (short on a phone), only differences, or all."""

    rows = forms.ChoiceField(
        required=False, choices=[("", "Table"), ("differing", "Differing"), ("all", "All")]
    )


@require_safe
@public(query=["rows"], uncached=[WEIGH_KEY], tallies=True, on_read=read_counts.count)
@with_own_panel
def detail(request: HttpRequest, own: OwnPanel, pair: str) -> HttpResponse:
    """Tools side by side, at the canonical URL of their set."""
    now = timezone.now()
    form = RowsForm(request.GET)
    rows = form.validate()["rows"] or ""
    slugs = addresses.parse(pair)
    if slugs is None:
        raise Http404("This is not the address of a comparison.")
    if len(set(slugs)) > addresses.MAX_TOOLS:
        raise Http404(addresses.TOO_MANY_TOOLS)
    found = {tool.pk: tool for tool in _tools(slugs, now)}
    tools = sorted(found.values(), key=lambda tool: tool.slug)
    if len(slugs) == 1:
        return redirect(addresses.picker_address([tools[0].slug]))
    if len(tools) == 1:
        return redirect(tools[0], permanent=True)
    suggested = often_compared(tools, now)
    edited = suggested.own
    if edited:
        tools = [found[pk] for pk in edited.tool_ids]
    canonical = addresses.address([tool.slug for tool in tools])
    if request.path != canonical:
        return redirect(canonical, permanent=True)
    page = _side_by_side(tools, suggested, Take.objects.published(now), now, own.weights)
    notices = [*own.notices, *form.notices]
    context = {"page": replace(page, rows=rows), "own": own, "notices": notices}
    response = not_cached(render(request, "comparisons/detail.html", context), when=notices)
    return response if edited or notices else not_shared(response)


@require_safe
@preview_page
def preview(request: HttpRequest, token: str) -> HttpResponse:
    """An editor's comparison before publication, for anyone with its signed link."""
    now = timezone.now()
    row, until = open_preview("comparison", Comparison.objects.of_existing_tools(), token, now)
    return preview_of(request, row, until, now)


def preview_of(
    request: HttpRequest, row: Comparison, until: datetime | None, now: datetime
) -> HttpResponse:
    """The preview of a comparison; `until` is when its link expires."""
    found = judged_tools().for_preview().with_tally().in_bulk(row.tool_ids)
    tools = [found[pk] for pk in row.tool_ids]
    suggested = replace(often_compared(tools, now), own=row)
    page = _side_by_side(tools, suggested, Take.objects.not_withdrawn(), now)
    row.tools = tools
    context = {"page": page, "preview": Preview(row, row.required_rows, until, now)}
    return render(request, "comparisons/detail.html", context)


def _side_by_side(
    tools: Sequence[Tool],
    suggested: Suggested,
    takes: TakeQuerySet,
    now: datetime,
    weights: Mapping[int, int] = NO_WEIGHTS,
) -> SideBySide:
    """The page object of these tools in their order, for the page and its preview; the takes on
    them and on the tools of the suggested pairs are one query.
    """
    others = {tool.pk: tool for pair in suggested.pairs for tool in pair.tools}
    for tool in tools:
        others.pop(tool.pk, None)
    columns = with_takes([*tools, *others.values()], takes, weights)
    return SideBySide(
        columns=columns[: len(tools)],
        sheet=fact_sheet(tools, now),
        comparison=suggested.own,
        next_pairs=answered_by(suggested.pairs, columns),
    )


def _tools(slugs: list[str], now: datetime) -> list[Tool]:
    """The public tools at these (former) slugs, in order; raises Http404 with the unknown ones."""
    rows = judged_tools().for_detail_page(now).with_tally().at_any(slugs)
    found = {tool.slug: tool for tool in rows}
    missing = [slug for slug in slugs if slug not in found]
    if missing:
        found |= Tool.objects.published(now).by_former_slug(missing)
    if unknown := [f"“{slug}”" for slug in dict.fromkeys(slugs) if slug not in found]:
        what = "is no tool" if len(unknown) == 1 else "are no tools"
        raise Http404(f"There {what} {' or '.join(unknown)} here.")
    return [found[slug] for slug in dict.fromkeys(slugs)]


def _to_page_of(tools: list[Tool]) -> HttpResponse:
    """Redirect to the page of these tools, which redirects to the canonical order if needed."""
    slugs = sorted({tool.slug for tool in tools})
    if len(slugs) == 1:
        return redirect(tools[0])
    return redirect(addresses.address(slugs))
