"""The desk's search: everything that the editor may see, drafts and deleted rows included."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from comparisons.models import Comparison
from reviews.models import Reviewer, Take
from shipskip.desk.content_rows import may_see_rows, screen_url
from shipskip.editing import trash
from shipskip.editing.admin_base import BaseAdmin
from shipskip.editing.history_entries import as_row, author_of, related_to
from shipskip.editing.last_changes import LastChange, last_changes
from shipskip.editing.states import name_of, state_in_words
from shipskip.newsletter.models import Issue, Subscriber
from shipskip.search.models import SearchKind, Synonym
from shipskip.search.query_string import SearchForm
from shipskip.search.searching import Found, Scope, search
from shipskip.web.paging import in_order
from shipskip.web.publishing import Publishable, Versioned
from tools.models import Attribute, Category, Fact, Family, Tool

ON_PAGE = 15
"""How many rows of each kind are shown."""

NAMED = ("name", "slug")
OF_ATTRIBUTES = (*NAMED, "group", "help")
DELETED: Mapping[type[Versioned], Sequence[str]] = {
    Tool: (*NAMED, "label", "tagline", "maker"),
    Take: ("tool__name", "tool__slug", "reviewer__name", "because", "body"),
    Comparison: ("summary",),
    Category: NAMED,
    Reviewer: NAMED,
    Attribute: OF_ATTRIBUTES,
    Family: NAMED,
}
"""The models whose deleted rows are found, each by these fields of its last version."""


@dataclass(frozen=True)
class Result:
    """A row that was found: its name, the URL of its screen, its state and its last change."""

    name: str
    url: str
    state: str = ""
    changed: LastChange | None = None


@dataclass(frozen=True)
class ResultGroup:
    """The results of one kind."""

    title: str
    results: Sequence[Result]


@require_safe
def desk_search(request: HttpRequest) -> HttpResponse:
    """Every row that matches the query and that this editor may see."""
    form = SearchForm(request.GET)
    chosen = form.validate()
    rows = {kind: rows for kind, rows in _indexed().items() if may_see_rows(request, rows.model)}
    text = chosen["q"] or ""
    found = Found()
    if rows:
        found = search(text, Scope(None, list(rows)), is_literal=bool(chosen["literal"]))
    kinds = dict.fromkeys(SearchKind(rank.candidate.kind) for rank in found.ranks)
    groups = [
        ResultGroup(kind.label, _results(in_order(rows[kind], found.keys(kind)[:ON_PAGE])))
        for kind in kinds
    ]
    groups += [*_others(request, text), *_deleted(request, text)] if len(text) > 1 else []
    context = {
        **admin.site.each_context(request),
        "title": "Search",
        "q": text,
        "found": found,
        "groups": [group for group in groups if group.results],
        "notices": form.notices,
    }
    return render(request, "admin/search.html", context)


def _indexed() -> "Mapping[SearchKind, QuerySet[Any]]":
    return {
        SearchKind.TOOL: Tool.objects.select_related("category"),
        SearchKind.TAKE: Take.objects.on_existing_tools().select_related(
            "tool__category", "reviewer"
        ),
        SearchKind.COMPARISON: Comparison.objects.of_existing_tools().with_tools(),
        SearchKind.ISSUE: Issue.objects.defer("html", "text"),
        SearchKind.CATEGORY: Category.objects.all(),
        SearchKind.REVIEWER: Reviewer.objects.all(),
    }


def _others(request: HttpRequest, text: str) -> list[ResultGroup]:
    """The rows that are not in the search index: those that readers do not search for, and people,
    because no copy of an address may stay after the address is deleted.
    """
    facts = Fact.objects.filter(tool__deleted_at=None).select_related("attribute", "tool")
    facts = facts.filter(_has_any(text.split(), _OF_FACTS))  # not only the name of their tool
    kinds: Sequence[tuple[str, QuerySet[Any], Sequence[str]]] = [
        ("Attributes", Attribute.objects.all(), OF_ATTRIBUTES),
        ("Facts", facts, (*_OF_FACTS, "tool__name")),
        ("Families", Family.objects.all(), NAMED),
        ("Synonyms", Synonym.objects.all(), ("word", "means")),
        ("Accounts", User.objects.order_by("username"), _OF_ACCOUNTS),
        ("Subscribers", Subscriber.objects.order_by("address"), ("address",)),
    ]
    return [
        ResultGroup(title, _results(list(_matching(rows, fields, text)[:ON_PAGE])))
        for title, rows, fields in kinds
        if may_see_rows(request, Tool if rows.model is Fact else rows.model)
    ]


_OF_FACTS = ("attribute__name", "text", "note", "source")
_OF_ACCOUNTS = ("username", "first_name", "last_name", "email")


def _deleted(request: HttpRequest, text: str) -> list[ResultGroup]:
    """The deleted rows of each kind, each with the page that brings it back."""
    found = []
    for model, fields in DELETED.items():
        screen = admin.site.get_model_admin(model)
        if not isinstance(screen, BaseAdmin) or not may_see_rows(request, model):
            continue
        versions = list(_matching(trash.last_versions(screen), fields, text)[:ON_PAGE])
        related = related_to(versions)
        results = [
            Result(
                name_of(as_row(version, related)),
                screen_url(model, "bring_back", version.id),
                "Deleted",
                LastChange(author_of(version), version.history_date),
            )
            for version in versions
        ]
        found.append(ResultGroup(f"Deleted {screen.opts.verbose_name_plural}", results))
    return found


def _matching(rows: "QuerySet[Any]", fields: Sequence[str], text: str) -> "QuerySet[Any]":
    """The rows that have each word of the text in one of these fields."""
    for word in text.split():
        rows = rows.filter(_has_any([word], fields))
    return rows


def _has_any(words: Sequence[str], fields: Sequence[str]) -> Q:
    return reduce(or_, (Q(**{f"{each}__icontains": word}) for each in fields for word in words))


def _results(rows: Sequence[Model]) -> list[Result]:
    """Each of these rows of one model; the screen of a fact is that of its tool."""
    if not rows:
        return []
    changes = last_changes(type(rows[0]), [row.pk for row in rows])
    return [Result(name_of(row), _url(row), _state(row), changes.get(row.pk)) for row in rows]


def _url(row: Model) -> str:
    if isinstance(row, Fact):
        url = screen_url(Tool, "change", row.tool_id)
        return f"{url}#fact-{row.attribute.slug}"
    return screen_url(type(row), "change", row.pk)


def _state(row: Model) -> str:
    if isinstance(row, Publishable):
        return state_in_words(row)
    if isinstance(row, Issue):
        return row.state.capitalize()
    return f"of {row.tool.labelled_name}" if isinstance(row, Fact) else ""
