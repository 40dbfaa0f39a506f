"""Load the rows of a search result, by kind and in its order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypeVar

from django.db.models import Model, QuerySet

from comparisons.models import Comparison
from comparisons.side_by_side import Pair, answered_pairs
from reviews.judged_tools import JudgedTool, judged_tools, with_scores
from reviews.models import Reviewer, Take
from shipskip.newsletter.models import Issue
from shipskip.search.models import SearchKind
from shipskip.search.ranking import IN_NAME
from shipskip.search.searching import Found, Scope, search
from shipskip.web.paging import in_order
from tools.models import Category, Tool

M = TypeVar("M", bound=Model)

ON_PAGE: Mapping[SearchKind, int] = {
    SearchKind.TOOL: 20,
    SearchKind.COMPARISON: 10,
    SearchKind.REVIEWER: 5,
    SearchKind.CATEGORY: 5,
    SearchKind.ISSUE: 5,
}
"""How many rows of each kind the page of results shows."""

SUGGESTED = 8


class InOrder(Generic[M]):
    """Rows in the order of a result, loaded a page at a time."""

    def __init__(self, rows: QuerySet[M], keys: Sequence[int]) -> None:
        """Take those of `rows` with these primary keys; one query."""
        fitting = set(rows.filter(pk__in=keys).order_by().values_list("pk", flat=True))
        self._rows, self._keys = rows, [key for key in keys if key in fitting]

    def __getitem__(self, part: slice, /) -> list[M]:
        return in_order(self._rows, self._keys[part])


@dataclass(frozen=True)
class Results:
    """The data of the results page."""

    tools: Sequence[JudgedTool] = ()
    more_tools: int = 0
    """The number of further matching tools."""
    pairs: Sequence[Pair] = ()
    reviewers: Sequence[Reviewer] = ()
    categories: Sequence[Category] = ()
    issues: Sequence[Issue] = ()
    nearest: Sequence[Tool] = ()
    kinds: Sequence[str] = field(default_factory=list)
    """The kinds with results, the one with the best result first."""


def public_results(found: Found, now: datetime) -> Results:
    """The public rows of a result; the number of queries does not depend on their number."""
    keys = {kind: found.keys(kind)[:most] for kind, most in ON_PAGE.items()}
    takes = Take.objects.published(now)
    tools = in_order(judged_tools().for_list_page(now), keys[SearchKind.TOOL])
    pairs = in_order(Comparison.objects.published(now).with_tools(), keys[SearchKind.COMPARISON])
    kinds = dict.fromkeys(row.candidate.kind for row in found.ranks)
    return Results(
        tools=with_scores(tools, takes),
        more_tools=len(found.keys(SearchKind.TOOL)) - len(keys[SearchKind.TOOL]),
        pairs=answered_pairs(pairs, takes),
        reviewers=in_order(Reviewer.objects.published(now), keys[SearchKind.REVIEWER]),
        categories=in_order(Category.objects.published(now), keys[SearchKind.CATEGORY]),
        issues=in_order(Issue.objects.for_archive(), keys[SearchKind.ISSUE]),
        nearest=nearest_tools(found, now),
        kinds=list(kinds),
    )


def nearest_tools(found: Found, now: datetime) -> list[Tool]:
    """The public tools whose names are most similar to the typed text."""
    keys = found.nearest_keys(SearchKind.TOOL)
    return in_order(Tool.objects.published(now), keys) if keys else []


def tools_found(text: str, now: datetime, limit: int) -> list[Tool]:
    """The public tools that a search finds, best first."""
    found = search(text, Scope(now, [SearchKind.TOOL]))
    return in_order(Tool.objects.published(now), found.keys(SearchKind.TOOL)[:limit])


def similar_names(text: str, now: datetime, limit: int) -> list[Tool]:
    """The public tools whose names equal, contain or resemble a text, best first; if there are
    none, the tools that a search finds, or those with the most similar names.
    """
    found = search(text, Scope(now, [SearchKind.TOOL]))
    named = [row.candidate.object_id for row in found.ranks if row.place in IN_NAME]
    keys = named or found.keys(SearchKind.TOOL) or found.nearest_keys(SearchKind.TOOL)
    return in_order(Tool.objects.published(now), keys[:limit])


@dataclass(frozen=True)
class Suggestion:
    """One suggestion under a search field: its name, address and kind."""

    name: str
    url: str
    kind: str


def suggestions(found: Found, now: datetime) -> list[Suggestion]:
    """Autocomplete suggestions: the best results, or the most similar names."""
    keys = found.keys(SearchKind.TOOL) or found.nearest_keys(SearchKind.TOOL)
    tools = in_order(Tool.objects.published(now), keys[:SUGGESTED])
    others = in_order(Reviewer.objects.published(now), found.keys(SearchKind.REVIEWER)[:1])
    categories = in_order(Category.objects.published(now), found.keys(SearchKind.CATEGORY)[:1])
    rows = [Suggestion(tool.labelled_name, tool.get_absolute_url(), tool.tagline) for tool in tools]
    rows += [Suggestion(row.name, row.get_absolute_url(), "Reviewer") for row in others]
    rows += [Suggestion(row.name, row.get_absolute_url(), "Category") for row in categories]
    return rows[:SUGGESTED]
