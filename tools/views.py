"""Pages of tools and categories."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from comparisons.matrix import Matrix, matrix_of, pairs_of
from comparisons.models import Comparison
from comparisons.often_compared import often_compared
from comparisons.side_by_side import answered
from reviews.judged_tools import (
    NO_WEIGHTS,
    JudgedTool,
    JudgedToolQuerySet,
    judged_tools,
    with_scores,
    with_takes,
)
from reviews.models import Take, TakeQuerySet
from reviews.own_panel import KEY, OwnPanel, with_own_panel
from reviews.public_record import PublicRecord
from shipskip.search.documents import category_token, entry_token
from shipskip.search.models import Kind
from shipskip.search.results import InOrder, nearest_tools
from shipskip.search.searching import Found, Scope, search
from shipskip.web.cache_control import not_cached, public
from shipskip.web.filters import FilterForm
from shipskip.web.paging import Chosen, KeysFirst, Rows, page_of, page_or_first
from shipskip.web.preview_pages import Preview, open_preview, preview_page
from tools.fact_filters import in_order_of, left_out, statements, that_state
from tools.fact_sheet import profile
from tools.forms import PREFIX, CategoryToolsForm, FactFilterForm, ToolFilterForm
from tools.models import Attribute, Category, Tool

MOST_FOUND = 300
"""Among how many results of a search the list filters by verdict."""

CHANGES = 100
"""How many changes a page shows; older ones follow on the next."""


@require_safe
@public(query=ToolFilterForm.base_fields, prefixes=[PREFIX])
def tool_list(request: HttpRequest) -> HttpResponse:
    """All public tools, filtered, sorted and paged."""
    now = timezone.now()
    categories = list(Category.objects.published(now))
    form = ToolFilterForm(request.GET, categories, list(Attribute.objects.all()))
    chosen = form.validate()
    category = next((row for row in categories if row.slug == chosen["category"]), None)
    tools = _filtered(judged_tools().for_list_page(now), chosen, category, now)
    found = _search(chosen, now)
    narrowing = any(chosen[key] for key in ("q", "category", "entry", "verdict"))
    context = _list_context(tools, form, chosen, now, found)
    context["narrowed"] = narrowing or context["facts_chosen"]
    uncached = [*form.notices, chosen["q"] or ""]
    return not_cached(render(request, "tools/list.html", context), when="".join(uncached))


@require_safe
@public(uncached=[KEY], tallies=True)
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
    """Every score, verdict, fact and price of a tool that changed, newest first."""
    now = timezone.now()
    tool = Tool.objects.for_detail_page(now).at_any([slug]).first()
    if tool is None:
        return redirect("tools:changes", _tool_by_former_slug(slug, now).slug, permanent=True)
    form = FilterForm(request.GET)
    chosen = form.validate()
    page = page_or_first(PublicRecord(tool, now), chosen, form.notices, CHANGES)
    context = {"tool": tool, "page": page, "chosen": chosen, "notices": form.notices}
    return not_cached(render(request, "tools/changes.html", context), when=form.notices)


@require_safe
@public(uncached=[KEY])
@with_own_panel
def categories(request: HttpRequest, own: OwnPanel) -> HttpResponse:
    """All public categories; links carry the weights of `own`."""
    rows = list(Category.objects.published(timezone.now()))
    return render(request, "tools/categories.html", {"categories": rows, "own": own})


@require_safe
@public(query=CategoryToolsForm.base_fields, prefixes=[PREFIX])
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
    form = CategoryToolsForm(query, Attribute.objects.asked_in([row.pk]))
    chosen = form.validate()
    tools = judged_tools().for_list_page(now).in_category(row)
    context = _list_context(tools, form, chosen, now, with_matrix=True)
    return context | {"category": row}, form.notices


def _list_context(
    tools: JudgedToolQuerySet,
    form: FactFilterForm,
    chosen: Chosen,
    now: datetime,
    found: Found | None = None,
    *,
    with_matrix: bool = False,
) -> dict[str, object]:
    """The context of a list of tools: those that state what was chosen, a page of them, and how
    many of `tools` do not state it. Of a search those that were `found`, best first unless another
    order was chosen. With a matrix where the page shows all of `tools`.
    """
    keys = found.keys(Kind.TOOL) if found else []
    if found:
        tools = tools.filter(pk__in=keys)
    filters, by = form.fact_filters(chosen), form.sorted_by(chosen)
    asked = [row for row in form.attributes if row == by or row in [f.attribute for f in filters]]
    shown: Rows[Tool] = KeysFirst(_sorted(that_state(tools, filters), chosen, by, now))
    if found and not chosen["sort"]:
        shown = InOrder(that_state(tools, filters), keys)
    page = page_or_first(shown, chosen, form.notices)
    columns = with_scores(page.rows, Take.objects.published(now))
    all_shown = not (asked or page.has_next or page.number > 1)
    return {
        "tools": columns,
        "matrix": _matrix(columns, now) if with_matrix and all_shown else None,
        "page": page,
        "found": found,
        "nearest": nearest_tools(found, now) if found and not page.rows else [],
        "form": form,
        "chosen": chosen,
        "notices": form.notices,
        "facts_chosen": len(asked),
        "left_out": left_out(tools, asked),
        "stated": statements(page.rows, asked) if asked else {},
    }


def _matrix(columns: Sequence[JudgedTool], now: datetime) -> Matrix | None:
    """Who leads whom among these tools; each pair in an editor's order where there is one."""
    orders = Comparison.objects.published(now).orders(pairs_of(columns))
    return matrix_of(columns, orders)


def _detail_context(
    tool: Tool, takes: TakeQuerySet, now: datetime, weights: Mapping[int, int] = NO_WEIGHTS
) -> dict[str, object]:
    """The context of a tool's page or preview, with those of `takes` that are on it."""
    public_takes = Take.objects.published(now)
    columns = with_takes([tool], takes, weights)
    suggested = often_compared([tool], now)
    pairs = answered(suggested.pairs, public_takes, weights)
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
        "changes": page_of(PublicRecord(tool, now), 1, CHANGES),
        "profile": profile(tool, now),
        "siblings": with_scores(siblings, public_takes, weights) if siblings else [],
    }


def _tool_by_former_slug(slug: str, now: datetime) -> Tool:
    """The public tool with this former slug; Http404 without one."""
    tool = Tool.objects.published(now).by_former_slug([slug]).get(slug)
    if tool is None:
        raise Http404("There is no tool at this address.")
    return tool


def _search(chosen: Chosen, now: datetime) -> Found | None:
    """What the search finds in the chosen category at the chosen entry price; None without `q`."""
    if not chosen["q"]:
        return None
    required = [category_token(chosen["category"])] if chosen["category"] else []
    required += [entry_token(chosen["entry"])] if chosen["entry"] else []
    return search(chosen["q"], Scope(now, [Kind.TOOL], required, MOST_FOUND))


def _filtered(
    tools: JudgedToolQuerySet, chosen: Chosen, category: Category | None, now: datetime
) -> JudgedToolQuerySet:
    """The tools that match the chosen filters, apart from those of attributes."""
    if category:
        tools = tools.in_category(category)
    if chosen["entry"]:
        tools = tools.with_entry(chosen["entry"])
    if chosen["verdict"] == "none":
        tools = tools.unjudged(now)
    elif chosen["verdict"]:
        tools = tools.judged(chosen["verdict"], now)
    return tools


def _sorted(
    tools: JudgedToolQuerySet, chosen: Chosen, by: Attribute | None, now: datetime
) -> JudgedToolQuerySet:
    """The tools in the chosen order; by an attribute, only those that state it."""
    if by:
        return in_order_of(tools, by)
    if chosen["sort"] == "name":
        return tools.by_name()
    return tools.newest() if chosen["sort"] == "newest" else tools.ranked(now)
