"""Recent changes of everything that is published: who did what, and when."""

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from shipskip.desk.content_rows import content_rows
from shipskip.desk.coverage import may_see
from shipskip.editing.history_entries import HistoryEntry, timeline
from shipskip.editing.states import name_of
from shipskip.web.filters import FilterForm
from shipskip.web.paging import Page

PAGE_SIZE = 50
MAX_PAGES = 20
"""A page reads the keys of all changes up to its own of every model."""


@require_safe
def changed(request: HttpRequest) -> HttpResponse:
    """The recent changes of what this editor may view, a page at a time."""
    if not may_see(request):
        raise PermissionDenied
    form = FilterForm(request.GET)
    chosen = form.validate()
    number = min(chosen["page"], MAX_PAGES)
    page = recent_changes(request, number, PAGE_SIZE)
    context = {
        **admin.site.each_context(request),
        "title": "Changed",
        "page": Page(page.rows, number, page.has_next and number < MAX_PAGES),
        "chosen": chosen,
        "notices": form.notices,
    }
    return render(request, "admin/changed.html", context)


def recent_changes(request: HttpRequest, number: int, size: int) -> Page[HistoryEntry]:
    """Page `number` of the changes of all that this editor may view, newest first."""
    histories = [rows.model.history.all() for rows in content_rows(request)]
    return timeline(histories, name_of, number, size)
