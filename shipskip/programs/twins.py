"""The twins of pages: `/tools/aider.md`, `/compare/a-vs-b.json`, `/categories/agents.csv`.

They are public views like the pages, with the same content, own panels and page cache.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from shipskip.catalogue.cells import cell_of
from shipskip.content.content import Content
from shipskip.content.current import with_content
from shipskip.content.judged_tools import with_tallies
from shipskip.content.own_panel import WEIGH_KEY, OwnPanel, with_own_panel
from shipskip.content.page_objects import (
    comparison_at,
    public_category,
    public_reviewer,
    tool_page,
)
from shipskip.content.records import Category
from shipskip.programs import markdown_pages as markdown
from shipskip.programs.data import (
    category_data,
    comparison_data,
    listed_tool_data,
    methodology_data,
    reviewer_data,
    take_data,
    tool_data,
)
from shipskip.programs.responses import for_programs
from shipskip.programs.shapes import ComparisonData, ListedToolData, TakeData
from shipskip.web.cache_control import not_cached, not_shared, public
from shipskip.web.filters import FilterForm
from shipskip.web.paging import Page, page_or_first
from shipskip.web.twins import MEDIA_TYPES

TOOLS_PER_PAGE = 200
"""How many tools a twin of a list has; the next ones have `?page=2`."""

TAKES = 100
"""How many takes the twin of a reviewer has."""


@require_safe
@public(uncached=[WEIGH_KEY], tallies=True)
@with_own_panel
def tool(
    request: HttpRequest, content: Content, own: OwnPanel, slug: str, twin: str
) -> HttpResponse:
    """One tool."""
    column = tool_page(content, slug, own.weights)
    if column.tool.slug != slug:
        return redirect(f"{_stem(column.tool.get_absolute_url())}.{twin}", permanent=True)
    values = tool_data(content, column)
    text = markdown.tool_markdown(values) if twin == "md" else _json(values)
    return _answer(text, twin, column.tool.get_absolute_url())


@require_safe
@public(uncached=[WEIGH_KEY], tallies=True)
@with_own_panel
def comparison(
    request: HttpRequest, content: Content, own: OwnPanel, pair: str, twin: str
) -> HttpResponse:
    """Tools side by side."""
    page, is_own_address = comparison_at(content, pair, own.weights)
    if not is_own_address:
        return redirect(f"{_stem(page.address)}.{twin}", permanent=True)
    values = comparison_data(page)
    match twin:
        case "md":
            text = markdown.comparison_markdown(values)
        case "csv":
            text = _comparison_csv(values)
        case _:
            text = _json(values)
    response = _answer(text, twin, page.address)
    return response if page.comparison else not_shared(response)


@require_safe
@public(query=FilterForm.base_fields, uncached=[WEIGH_KEY], tallies=True)
@with_own_panel
def tools(request: HttpRequest, content: Content, own: OwnPanel, twin: str) -> HttpResponse:
    """All tools, best panel first."""
    return _tool_list(request, content, own, twin, None)


@require_safe
@public(query=FilterForm.base_fields, uncached=[WEIGH_KEY], tallies=True)
@with_own_panel
def category(
    request: HttpRequest, content: Content, own: OwnPanel, slug: str, twin: str
) -> HttpResponse:
    """A category and its tools, best panel first."""
    return _tool_list(request, content, own, twin, public_category(content, slug))


@require_safe
@public
@with_content
def reviewer(request: HttpRequest, content: Content, slug: str, twin: str) -> HttpResponse:
    """A reviewer, and their newest takes."""
    row = public_reviewer(content, slug)
    values = reviewer_data(content, row)
    newest = content.takes_by_reviewer.get(row.pk, ())[:TAKES]
    judged = content.full([content.tool_of(take) for take in newest])
    takes = [take_data(tool, take) for tool in judged if (take := tool.take_by(row))]
    text = (
        markdown.reviewer_markdown(values, takes)
        if twin == "md"
        else _json({**values, "newest_takes": takes})
    )
    return _answer(text, twin, row.get_absolute_url())


@require_safe
@public
@with_content
def methodology(request: HttpRequest, content: Content, twin: str) -> HttpResponse:
    """The numbers of the methodology."""
    values = methodology_data(content)
    text = markdown.methodology_markdown(values) if twin == "md" else _json(values)
    return _answer(text, twin, reverse("methodology"))


def _tool_list(
    request: HttpRequest, content: Content, own: OwnPanel, twin: str, within: Category | None
) -> HttpResponse:
    form = FilterForm(request.GET)
    chosen = form.validate()
    standings = content.standings(own.weights)
    ranked = [content.tools[place] for place in standings.ranked]
    if within:
        ranked = [row for row in ranked if row.category is within]
    page = page_or_first(ranked, chosen, form.notices, TOOLS_PER_PAGE)
    listed = [listed_tool_data(row) for row in with_tallies(page.rows, own.weights)]
    path = within.get_absolute_url() if within else reverse("tools:list")
    if twin == "csv":
        text = _tools_csv(listed)
    elif within:
        about = category_data(content, within)
        text = (
            markdown.category_markdown(about, listed)
            if twin == "md"
            else _json({**about, "page": page.number, "items": listed})
        )
    elif twin == "md":
        text = markdown.tools_markdown("All tools", "", listed, path)
    else:
        text = _json({"page": page.number, "items": listed})
    response = _answer(text, twin, path, _next(page, path, own, twin))
    return not_cached(response, when=form.notices)


def _next(page: Page[Any], path: str, own: OwnPanel, twin: str) -> str:
    if not page.has_next:
        return ""
    return f', <{_stem(path)}.{twin}?page={page.next_number}{own.more}>; rel="next"'


def _answer(text: str, twin: str, page: str, more_links: str = "") -> HttpResponse:
    """The twin of a page, which its Link header names."""
    response = HttpResponse(text, content_type=f"{MEDIA_TYPES[twin]}; charset=utf-8")
    response["Link"] = f'<{page}>; rel="canonical"{more_links}'
    return for_programs(response)


def _stem(path: str) -> str:
    return path.rstrip("/")


def _json(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False)


def _comparison_csv(page: ComparisonData) -> str:
    """The decision table and the scores, with a column for each tool."""
    table = [
        [row["group"], row["name"], *(cell["words"] for cell in row["cells"])]
        for row in page["rows"]
    ]
    scores = [
        ["Takes", row["reviewer"]["name"], *(_points(take) for take in row["takes"])]
        for row in page["scorecard"]
    ]
    return _csv(["group", "row", *(tool["name"] for tool in page["tools"])], [*table, *scores])


def _points(take: TakeData | None) -> str:
    return f"{take['score']}/100 · {take['verdict']}" if take else "No panel take"


def _tools_csv(tools: Sequence[ListedToolData]) -> str:
    """Tools, one line each; of objects in a tool, the values that lists show."""
    rows = [
        {
            "slug": tool["slug"],
            "name": tool["name"],
            "url": tool["url"],
            "category": tool["category"]["slug"],
            "maker": tool["maker"],
            "tagline": tool["tagline"],
            "price": tool["price"],
            "status": tool["status"],
            "verdict": tool["panel"]["verdict"],
            "panel_share": tool["panel"]["share"],
            "panel_score": tool["panel"]["score"],
            "ship_takes": tool["panel"]["ship"],
            "skip_takes": tool["panel"]["skip"],
            "judged": tool["panel"]["judged"],
            "ship_votes": tool["community"]["ship"],
            "skip_votes": tool["community"]["skip"],
        }
        for tool in tools
    ]
    return _csv([*rows[0]] if rows else [], [row.values() for row in rows])


def _csv(head: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """A table with a head; a text that starts like a formula has an apostrophe before it."""
    out = io.StringIO()
    csv.writer(out).writerows([cell_of(value) for value in row] for row in [head, *rows])
    return out.getvalue()
