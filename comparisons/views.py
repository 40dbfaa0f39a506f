"""The picker, and the page of tools side by side."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from comparisons import addresses
from comparisons.models import Comparison, tools_key
from comparisons.read_counts import read_counts
from reviews.scoring import OUR_WEIGHTS, Weights
from shipskip.content import records, structured_data
from shipskip.content.content import Content
from shipskip.content.current import content_beside_preview, with_content
from shipskip.content.judged_tools import judged, with_tallies
from shipskip.content.often_compared import Suggested, often_compared
from shipskip.content.own_panel import WEIGH_KEY, OwnPanel, with_own_panel
from shipskip.content.page_objects import public_tools
from shipskip.content.picking import (
    MAX_CANDIDATES,
    MAX_QUERY,
    Field,
    Matches,
    Picker,
    fields_with_candidates,
    read_field,
    typed_texts,
)
from shipskip.content.previews import previewed
from shipskip.content.records import FullTool, Tool
from shipskip.content.share_picture import has_own_picture, picture_of_comparison
from shipskip.content.side_by_side import Pair, SideBySide, not_judged_by
from shipskip.search.results import tool_suggestions, tools_called
from shipskip.web.cache_control import not_cached, not_shared, public
from shipskip.web.filters import FilterForm, texts_field
from shipskip.web.paging import page_or_first
from shipskip.web.preview_pages import Preview, open_preview, preview_page
from shipskip.web.twins import with_twins


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
def picker(request: HttpRequest, content: Content, own: OwnPanel) -> HttpResponse:
    """The picker of tools to compare, and the editors' comparisons.

    `?tools=a&tools=b` redirects to their page if each text matches a tool; otherwise the page shows
    which text matches none, and suggests similar ones. `act` (`add`, `up-1`) rearranges them.
    """
    form = PickerForm(request.GET)
    chosen = form.validate()
    texts, act = chosen.pop("tools"), chosen.pop("act") or ""
    if sum(map(bool, texts)) > addresses.MAX_TOOLS:
        form.notices.append(f"{addresses.TOO_MANY_TOOLS} The first ten are filled in.")

    def search(text: str) -> Matches:
        return tools_called(text, content, MAX_CANDIDATES)

    fields = [
        read_field(text, content, search) if text or not act else Field()
        for text in typed_texts(texts, act)
    ]
    tools = [field.tool for field in fields if field.tool]
    if len(tools) == len(fields) > 1 and not (act or form.notices):
        return _to_page_of(tools)
    fields += [Field() for _ in range(2 - len(fields))]
    page = page_or_first(content.comparisons, chosen, form.notices)
    context = {
        "picker": Picker(fields, act),
        "offers": fields_with_candidates(fields),
        "page": page,
        "pairs": [Pair.answered(judged(row.tools, own.weights)) for row in page.rows],
        "chosen": chosen | dict(own.parameters),
        "own": own,
        "notices": [*own.notices, *form.notices],
    }
    response = render(request, "comparisons/picker.html", context)
    return not_cached(response, when=[*form.notices, *texts, *act])


@require_safe
@public(query=["tools"])
@with_content
def suggest(request: HttpRequest, content: Content) -> HttpResponse:
    """The options under a picker's field, for the text typed so far."""
    text = SuggestForm(request.GET).validate()["tools"] or ""
    answer = render(request, "_suggestions.html", {"options": tool_suggestions(text, content)})
    return not_cached(answer, when=text)


class RowsForm(FilterForm):
    """`rows` of a comparison: the default table (short on a phone), only differences, or all."""

    rows = forms.ChoiceField(
        required=False, choices=[("", "Table"), ("differing", "Differing"), ("all", "All")]
    )


@require_safe
@public(query=["rows"], uncached=[WEIGH_KEY], tallies=True, on_read=read_counts.count)
@with_twins("md", "json", "csv", embeds=True)
@with_own_panel
def detail(request: HttpRequest, content: Content, own: OwnPanel, pair: str) -> HttpResponse:
    """Tools side by side, at the canonical URL of their set."""
    form = RowsForm(request.GET)
    rows = form.validate()["rows"] or ""
    slugs = addresses.parse(pair)
    if slugs is None:
        raise Http404("This is not the address of a comparison.")
    tools = public_tools(content, slugs)
    if len(slugs) == 1:
        return redirect(addresses.picker_address([tools[0].slug]))
    if len(tools) == 1:
        return redirect(tools[0], permanent=True)
    tools = content.in_page_order(tools)
    canonical = addresses.address([tool.slug for tool in tools])
    if request.path != canonical:
        return redirect(canonical, permanent=True)
    suggested = often_compared(content, tools)
    page = _side_by_side(content, content.full(tools), suggested, own.weights, rows)
    notices = [*own.notices, *form.notices]
    not_judged = not_judged_by(own.raised, page.columns)
    context = {"page": page, "own": own, "not_judged": not_judged, "notices": notices}
    context["dates"] = page.dates
    context["structured_data"] = structured_data.side_by_side(page)
    if has_own_picture(content, tools) and not own.is_shown:
        context["picture"] = picture_of_comparison(page.columns)
    response = not_cached(render(request, "comparisons/detail.html", context), when=notices)
    return response if suggested.own or notices else not_shared(response)


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
    content = content_beside_preview(request)
    tools = previewed(row.tool_ids, content)
    own = records.Comparison(row.pk, row.tools_key, tools, row.summary, row.choose_if, row.featured)
    suggested = replace(often_compared(content, tools), own=own)
    page = _side_by_side(content, tools, suggested)
    context = {"page": page, "preview": Preview(row, row.required_rows, until, now)}
    return render(request, "comparisons/detail.html", context)


def _side_by_side(
    content: Content,
    tools: Sequence[FullTool],
    suggested: Suggested,
    weights: Weights = OUR_WEIGHTS,
    rows: str = "",
) -> SideBySide:
    """The page object of these tools in their order, for the page and its preview."""
    return SideBySide(
        columns=with_tallies(tools, weights),
        attributes=content.attributes,
        reviewers=content.reviewers,
        now=content.now,
        comparison=suggested.own,
        next_pairs=suggested.pairs(weights),
        is_read=tools_key(tool.pk for tool in tools) in content.read_pairs,
        rows=rows,
    )


def _to_page_of(tools: Sequence[Tool]) -> HttpResponse:
    """Redirect to the page of these tools, which redirects to the canonical order if needed."""
    slugs = sorted({tool.slug for tool in tools})
    if len(slugs) == 1:
        return redirect(tools[0])
    return redirect(addresses.address(slugs))
