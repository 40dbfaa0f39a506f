"""Load the rows of a search result, by kind and in its order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from shipskip.content.content import Content
from shipskip.content.judged_tools import JudgedTool, judged
from shipskip.content.records import Category, Reviewer, Tool
from shipskip.content.side_by_side import Pair
from shipskip.newsletter.models import Issue
from shipskip.search.models import SearchKind
from shipskip.search.ranking import IN_NAME
from shipskip.search.searching import Found, Scope, search
from shipskip.web.paging import in_order

ON_PAGE: Mapping[SearchKind, int] = {
    SearchKind.TOOL: 20,
    SearchKind.COMPARISON: 10,
    SearchKind.REVIEWER: 5,
    SearchKind.CATEGORY: 5,
    SearchKind.ISSUE: 5,
}
"""How many rows of each kind the page of results shows."""

SUGGESTED = 8


@dataclass(frozen=True)
class Results:
    """The data of the results page."""

    tools: Sequence[JudgedTool[Tool]] = ()
    more_tools: int = 0
    """The number of further matching tools."""
    pairs: Sequence[Pair] = ()
    reviewers: Sequence[Reviewer] = ()
    categories: Sequence[Category] = ()
    issues: Sequence[Issue] = ()
    nearest: Sequence[Tool] = ()
    kinds: Sequence[str] = field(default_factory=list)
    """The kinds with results, the one with the best result first."""


def public_results(found: Found, content: Content) -> Results:
    """The public rows of a result; one query at most, for issues."""
    keys = {kind: found.keys(kind)[:most] for kind, most in ON_PAGE.items()}
    kinds = dict.fromkeys(row.candidate.kind for row in found.ranks)
    pairs = content.comparisons_having(keys[SearchKind.COMPARISON])
    return Results(
        tools=judged(content.having(keys[SearchKind.TOOL])),
        more_tools=len(found.keys(SearchKind.TOOL)) - len(keys[SearchKind.TOOL]),
        pairs=[Pair.answered(judged(row.tools)) for row in pairs],
        reviewers=content.reviewers_having(keys[SearchKind.REVIEWER]),
        categories=content.categories_having(keys[SearchKind.CATEGORY]),
        issues=_issues(keys[SearchKind.ISSUE]),
        nearest=nearest_tools(found, content),
        kinds=list(kinds),
    )


def _issues(keys: Sequence[int]) -> list[Issue]:
    return in_order(Issue.objects.for_archive(), keys) if keys else []


def nearest_tools(found: Found, content: Content) -> list[Tool]:
    """The public tools whose names are most similar to the typed text."""
    return content.having(found.nearest_keys(SearchKind.TOOL))


def tools_found(text: str, content: Content, limit: int) -> list[Tool]:
    """The public tools that a search finds, best first."""
    found = search(text, Scope(content.now, [SearchKind.TOOL]))
    return content.having(found.keys(SearchKind.TOOL)[:limit])


def similar_names(text: str, content: Content, limit: int) -> list[Tool]:
    """The public tools whose names equal, contain or resemble a text, best first; if there are
    none, the tools that a search finds, or those with the most similar names.
    """
    found = search(text, Scope(content.now, [SearchKind.TOOL]))
    named = [row.candidate.object_id for row in found.ranks if row.place in IN_NAME]
    keys = named or found.keys(SearchKind.TOOL) or found.nearest_keys(SearchKind.TOOL)
    return content.having(keys[:limit])


@dataclass(frozen=True)
class Suggestion:
    """One suggestion under a search field: its name, address and kind."""

    name: str
    url: str
    kind: str


def suggestions(found: Found, content: Content) -> list[Suggestion]:
    """Autocomplete suggestions: the best results, or the most similar names."""
    keys = found.keys(SearchKind.TOOL) or found.nearest_keys(SearchKind.TOOL)
    tools = content.having(keys[:SUGGESTED])
    others = content.reviewers_having(found.keys(SearchKind.REVIEWER)[:1])
    categories = content.categories_having(found.keys(SearchKind.CATEGORY)[:1])
    rows = [Suggestion(tool.labelled_name, tool.get_absolute_url(), tool.tagline) for tool in tools]
    rows += [Suggestion(row.name, row.get_absolute_url(), "Reviewer") for row in others]
    rows += [Suggestion(row.name, row.get_absolute_url(), "Category") for row in categories]
    return rows[:SUGGESTED]
