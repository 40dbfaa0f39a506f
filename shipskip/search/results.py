"""Load the rows of a search result, by kind and in its order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from shipskip.content.content import Content
from shipskip.content.judged_tools import JudgedTool, judged
from shipskip.content.picking import Matches
from shipskip.content.records import Category, Reviewer, Tool
from shipskip.content.side_by_side import Pair
from shipskip.newsletter.models import Issue
from shipskip.search.models import SearchKind
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


def public_results(found: Found, content: Content, named: Sequence[int] = ()) -> Results:
    """The public rows of a result, of tools those that are `named` first; one query at most, for
    issues.
    """
    all_keys = {kind: found.keys(kind) for kind in ON_PAGE}
    tools = all_keys[SearchKind.TOOL] = list(dict.fromkeys([*named, *all_keys[SearchKind.TOOL]]))
    keys = {kind: all_keys[kind][:most] for kind, most in ON_PAGE.items()}
    of_named = [SearchKind.TOOL.value] if named else []
    kinds = dict.fromkeys([*of_named, *(row.candidate.kind for row in found.ranks)])
    pairs = content.comparisons_having(keys[SearchKind.COMPARISON])
    return Results(
        tools=judged(content.having(keys[SearchKind.TOOL])),
        more_tools=len(tools) - len(keys[SearchKind.TOOL]),
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


def _tools_for(text: str, content: Content) -> Found:
    """The public tools that a search for a text finds."""
    return search(text, Scope(content.now, [SearchKind.TOOL]))


def tools_called(text: str, content: Content, limit: int) -> Matches:
    """The public tools whose names equal, contain or resemble a text, best first; if there are
    none, the tools that a search finds, or those with the most similar names.
    """
    found = _tools_for(text, content)
    named = found.named
    is_certain = len(named) == 1 and named[0].has_all_words and not named[0].corrected
    tools = _best_tools(replace(found, ranks=named or found.ranks), content, limit)
    return Matches(tools, only=tools[0] if is_certain and tools else None)


def near_names(text: str, content: Content, limit: int) -> list[Tool]:
    """The public tools whose names equal, contain or resemble a text, best first."""
    found = _tools_for(text, content)
    named = [row for row in found.named if row.has_all_words]
    return _best_tools(replace(found, ranks=named), content, limit)


def _best_tools(found: Found, content: Content, limit: int) -> list[Tool]:
    """The best tools of a result, or those with the most similar names."""
    keys = found.keys(SearchKind.TOOL) or found.nearest_keys(SearchKind.TOOL)
    return content.having(keys[:limit])


@dataclass(frozen=True)
class Suggestion:
    """One suggestion under a field: its name and kind, and either the address that it opens or the
    value that it fills in.
    """

    name: str
    kind: str
    url: str = ""
    value: str = ""


def suggestions(found: Found, content: Content) -> list[Suggestion]:
    """What a search field suggests: the best results, or the most similar names."""
    others = content.reviewers_having(found.keys(SearchKind.REVIEWER)[:1])
    categories = content.categories_having(found.keys(SearchKind.CATEGORY)[:1])
    rows = [
        Suggestion(tool.labelled_name, tool.tagline, tool.get_absolute_url())
        for tool in _best_tools(found, content, SUGGESTED)
    ]
    rows += [Suggestion(row.name, "Reviewer", row.get_absolute_url()) for row in others]
    rows += [Suggestion(row.name, "Category", row.get_absolute_url()) for row in categories]
    return rows[:SUGGESTED]


def tool_suggestions(text: str, content: Content) -> list[Suggestion]:
    """What a field for a tool suggests: the same tools, whose names it fills in."""
    return [
        Suggestion(
            tool.labelled_name,
            tool.tagline,
            value=str(tool) if tool.shares_name else tool.name,
        )
        for tool in _best_tools(_tools_for(text, content), content, SUGGESTED)
    ]
