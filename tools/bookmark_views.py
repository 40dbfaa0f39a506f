"""Bookmarks: saving a tool, removing it, and the list of them."""

from datetime import datetime
from uuid import UUID

from django import forms
from django.db import InterfaceError, OperationalError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from reviews.network_limits import TooManyNewVisitorsError, admit_new_visitor, network_hashes
from shipskip.web.htmx import came_from, fragment_or_page, is_fragment, see_other
from shipskip.web.network import client_address, network_of
from shipskip.web.slugs import validate_slug
from shipskip.web.visitor import set_visitor_cookie, visitor_of, visitor_or_new
from tools.models import MAX_BOOKMARKS, Bookmark, Tool

RETRY_SECONDS = 5
TEMPLATES = ("_bookmark.html", "tools/bookmark.html")


class BookmarkForm(forms.Form):
    """`saved` of a bookmark: `yes` or `no`."""

    saved = forms.ChoiceField(choices=[("yes", "yes"), ("no", "no")])


class RemovedForm(forms.Form):
    """`removed` of the list: the slug of the tool that was just removed."""

    removed = forms.CharField(required=False, validators=[validate_slug])


@require_http_methods(["GET", "HEAD", "POST"])
def bookmark(request: HttpRequest, slug: str) -> HttpResponse:
    """The form that saves or removes a tool; POST does it."""
    now = timezone.now()
    try:
        tool = Tool.objects.for_detail_page(now).at(slug)
        if tool is None:
            raise Http404("There is no tool to save at this address.")
        if request.method == "POST":
            return _save(request, tool, now)
        if tool.slug != slug:
            return redirect("tools:bookmark", tool.slug, permanent=True)
        return _answer(request, tool, now)
    except (OperationalError, InterfaceError):
        context = {
            "slug": slug,
            "saved": _chosen(request) == "no",  # so that the button still offers what was chosen
            "message": "Your list could not be changed. Try again in a moment.",
            "unsent": True,
            "next": came_from(request),
        }
        response = fragment_or_page(request, *TEMPLATES, context, 503)
        response["Retry-After"] = str(RETRY_SECONDS)
        return response


@require_safe
def bookmarks(request: HttpRequest) -> HttpResponse:
    """This visitor's saved tools, newest first, with "compare these" and undo."""
    now = timezone.now()
    rows = list(Bookmark.objects.for_drawer(visitor_of(request), now))
    form, removed = RemovedForm(request.GET), None
    if form.is_valid() and form.cleaned_data["removed"]:
        removed = Tool.objects.published(now).at_any([form.cleaned_data["removed"]]).first()
    if removed and any(row.tool_id == removed.pk for row in rows):
        removed = None
    context = {"bookmarks": rows, "removed": removed, "most": MAX_BOOKMARKS}
    return render(request, "tools/bookmarks.html", context)


def _chosen(request: HttpRequest) -> str:
    """The form's `saved`, `yes` or `no`; empty if it is missing or invalid."""
    form = BookmarkForm(request.POST)
    return form.cleaned_data["saved"] if form.is_valid() else ""


def _save(request: HttpRequest, tool: Tool, now: datetime) -> HttpResponse:
    """Save or remove the tool and answer with the form or a redirect back."""
    chosen = _chosen(request)
    if not chosen:
        return _answer(request, tool, now, "Choose to save the tool or to remove it.", status=400)
    visitor = visitor_or_new(request)
    wanted = chosen == "yes"
    try:
        if wanted and not _saved(request, tool, visitor, now):
            message = f"Your list is full at {MAX_BOOKMARKS} tools. Remove one first."
            return _answer(request, tool, now, message, status=409)
    except TooManyNewVisitorsError as error:
        response = _answer(request, tool, now, str(error), status=429)
        response["Retry-After"] = str(error.retry_after)
        return response
    if not wanted:
        Bookmark.objects.remove_tool(tool, visitor)
    if is_fragment(request):
        message = f"Saved {tool.name}." if wanted else f"Removed {tool.name}."
        response = _answer(
            request,
            tool,
            now,
            message,
            visitor_rows=list(Bookmark.objects.for_drawer(visitor, now)),
        )
    else:
        response = see_other(came_from(request) or f"{tool.get_absolute_url()}#bookmarks")
    if wanted or visitor_of(request):
        set_visitor_cookie(response, visitor)
    return response


def _saved(request: HttpRequest, tool: Tool, visitor: UUID, now: datetime) -> bool:
    """Save the tool; False when the list is full. A new visitor counts for their network."""
    if visitor_of(request):
        return Bookmark.objects.save_tool(tool, visitor, now)
    network = network_of(client_address(request))
    with transaction.atomic():
        admit_new_visitor(network_hashes(network, now), now)
        return Bookmark.objects.save_tool(tool, visitor, now)


def _answer(
    request: HttpRequest,
    tool: Tool,
    now: datetime,
    message: str = "",
    *,
    visitor_rows: list[Bookmark] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The form as a fragment for HTMX (with the drawer when it changed), else as a page."""
    rows = visitor_rows
    if rows is None:
        rows = list(Bookmark.objects.for_drawer(visitor_of(request), now))
    context = {
        "tool": tool,
        "slug": tool.slug,
        "saved": any(row.tool_id == tool.pk for row in rows),
        "bookmarks": rows,
        "changed": visitor_rows is not None,
        "message": message,
        "next": came_from(request),
    }
    return fragment_or_page(request, *TEMPLATES, context, status)
