"""From the path of a public page to the form of the row that it shows."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import Resolver404, resolve
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from comparisons.addresses import MAX_TOOLS, parse
from comparisons.models import Comparison
from reviews.models import Reviewer
from shipskip.desk.content_rows import screen_url
from shipskip.newsletter.models import Issue
from shipskip.web.filters import FilterForm
from tools.models import Category, Tool


class PathForm(FilterForm):
    """`path`: that of a public page."""

    path = forms.CharField(required=False, max_length=2_000)


@require_safe
def edit(request: HttpRequest) -> HttpResponse:
    """Redirect to the form of the row that a public page shows; without one, to the first page."""
    path = PathForm(request.GET).validate()["path"]
    try:
        match = resolve(path if isinstance(path, str) else "")
    except Resolver404:
        match = None
    url = _FORMS[match.view_name](**match.kwargs) if match and match.view_name in _FORMS else ""
    if not url:
        messages.info(request, "That page shows no row that can be edited.")
    return redirect(url or "admin:index")


def _form_of(row: Model | None) -> str:
    """The URL of a row's form; empty without a row."""
    return screen_url(type(row), "change", row.pk) if row else ""


def _comparison(pair: str) -> str:
    """The form of the comparison of these tools; if no editor made one yet, a new one."""
    tools = Tool.objects.at_any(parse(pair) or []).by_address()
    keys = [tools[slug].pk for slug in dict.fromkeys(parse(pair) or []) if slug in tools]
    row = Comparison.objects.of_exactly(keys).first()
    if row or not keys:
        return _form_of(row)
    query = urlencode([("tools", key) for key in keys[:MAX_TOOLS]])
    return f"{screen_url(Comparison, 'add')}?{query}"


def _issue(day: date) -> str:
    return _form_of(Issue.objects.filter(date=day).first())


_FORMS: Mapping[str, Callable[..., Any]] = {
    "tools:detail": lambda slug: _form_of(Tool.objects.at(slug)),
    "tools:category": lambda slug: _form_of(Category.objects.filter(slug=slug).first()),
    "reviews:reviewer": lambda slug: _form_of(Reviewer.objects.filter(slug=slug).first()),
    "comparisons:detail": _comparison,
    "newsletter:issue": _issue,
}
"""For the view of each page of one row: the URL of the row's form, by the values in the path."""
