"""The desk's search: tools, takes, comparisons, issues and people that the editor may see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from comparisons.models import Comparison
from reviews.models import Reviewer, Take
from shipskip.newsletter.models import Issue, Subscriber
from shipskip.search.models import SearchKind
from shipskip.search.query_string import SearchForm
from shipskip.search.searching import Found, Scope, search
from shipskip.web.paging import in_order
from tools.models import Category, Tool

ON_PAGE = 15
"""How many rows of each kind are shown."""


@dataclass(frozen=True)
class ResultGroup:
    """The results of one kind: its name, and names of rows with links to their screens."""

    title: str
    rows: Sequence[tuple[str, str]]


@require_safe
def desk_search(request: HttpRequest) -> HttpResponse:
    """Every row that matches the query and that this editor may see, drafts included."""
    form = SearchForm(request.GET)
    chosen = form.validate()
    rows = {kind: rows for kind, rows in _rows().items() if _may_see(request, rows.model)}
    text = chosen["q"] or ""
    found = Found()
    if rows:
        found = search(text, Scope(None, list(rows)), is_literal=bool(chosen["literal"]))
    kinds = dict.fromkeys(SearchKind(rank.candidate.kind) for rank in found.ranks)
    groups = [
        ResultGroup(kind.label, _links(in_order(rows[kind], found.keys(kind)[:ON_PAGE])))
        for kind in kinds
    ]
    context = {
        **admin.site.each_context(request),
        "title": "Search",
        "q": text,
        "found": found,
        "groups": [group for group in [*groups, *_people(request, text)] if group.rows],
        "notices": form.notices,
    }
    return render(request, "admin/search.html", context)


def _rows() -> "Mapping[SearchKind, QuerySet[Any]]":
    return {
        SearchKind.TOOL: Tool.objects.all(),
        SearchKind.TAKE: Take.objects.on_existing_tools().select_related("tool", "reviewer"),
        SearchKind.COMPARISON: Comparison.objects.of_existing_tools().with_tools(),
        SearchKind.ISSUE: Issue.objects.defer("html", "text"),
        SearchKind.CATEGORY: Category.objects.all(),
        SearchKind.REVIEWER: Reviewer.objects.all(),
    }


def _people(request: HttpRequest, text: str) -> list[ResultGroup]:
    """Accounts and subscribers whose name or address contains the text. They are not in the search
    index: no copy of an address may stay after the address is deleted.
    """
    if len(text) < 2:
        return []
    named = Q(username__icontains=text) | Q(first_name__icontains=text)
    named |= Q(last_name__icontains=text) | Q(email__icontains=text)
    people: Sequence[tuple[str, QuerySet[Any]]] = [
        ("Accounts", User.objects.filter(named).order_by("username")),
        ("Subscribers", Subscriber.objects.filter(address__icontains=text).order_by("address")),
    ]
    return [
        ResultGroup(title, _links(list(rows[:ON_PAGE])))
        for title, rows in people
        if _may_see(request, rows.model)
    ]


def _may_see(request: HttpRequest, model: type[Model]) -> bool:
    if not admin.site.is_registered(model):
        return False
    return admin.site.get_model_admin(model).has_view_permission(request)


def _links(rows: Sequence[Model]) -> list[tuple[str, str]]:
    """The name of each row, and the address of its screen."""
    found = []
    for row in rows:
        screen = f"admin:{row._meta.app_label}_{row._meta.model_name}_change"
        found.append((str(row), reverse(screen, args=[row.pk])))
    return found
