"""Bookmarks: saving a tool, removing it, and the list of them."""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.db import InterfaceError, OperationalError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from comparisons.addresses import MAX_TOOLS, picker_address
from reviews.network_limits import TooManyNewVisitorsError, admit_new_visitor, network_hashes
from shipskip.content.bookmark_drawer import BookmarkDrawer
from shipskip.web.filters import texts_field
from shipskip.web.htmx import came_from, see_other
from shipskip.web.network import client_address, network_of
from shipskip.web.refusals import RefusedError
from shipskip.web.same_origin import is_same_origin, same_origin_only
from shipskip.web.slugs import validate_slug
from shipskip.web.visitor import set_visitor_cookie, visitor_of, visitor_or_new
from tools.models import MAX_BOOKMARKS, Bookmark, Tool

CHOICES = [("yes", "yes"), ("no", "no")]
TOO_FEW = "Tick at least two tools, and compare again."
TOO_MANY = f"At most {MAX_TOOLS} tools can be compared: untick some, and compare again."
NOT_REMEMBERED = (
    "This browser stores no cookies of this site, so it cannot save tools. Allow cookies first."
)


class BookmarkForm(forms.Form):
    """`saved` of a bookmark: `yes` or `no`."""

    saved = forms.ChoiceField(choices=CHOICES)


class BookmarkDoneForm(forms.Form):
    """`done` of the page after a bookmark: what was sent."""

    done = forms.ChoiceField(choices=CHOICES)


class CompareForm(forms.Form):
    """`compare` of the list: the button was pressed; `tools`: the slugs of the ticked tools."""

    compare = forms.BooleanField(required=False)
    tools = texts_field()


class RemovedForm(forms.Form):
    """`removed` of the list: the slug of the tool that was just removed."""

    removed = forms.CharField(required=False, validators=[validate_slug])


@dataclass(frozen=True)
class Changed:
    """The result of a change: whether the tool is on the list now, and the visitor.

    `is_new`: the browser sent no cookie, and may not accept any.
    """

    saved: bool
    visitor: UUID
    is_new: bool

    def remembered(self, response: HttpResponse) -> HttpResponse:
        """Add the visitor's cookies to the response; a browser without a list gets none."""
        if self.saved or not self.is_new:
            set_visitor_cookie(response, self.visitor)
        return response


@same_origin_only
@require_http_methods(["GET", "HEAD", "POST"])
def bookmark(request: HttpRequest, slug: str) -> HttpResponse:
    """The form that saves or removes a tool; POST does it."""
    now = timezone.now()
    try:
        tool = _tool(slug, now)
        if request.method == "POST":
            return _post(request, tool, now)
        if tool.slug != slug:
            return redirect("tools:bookmark", tool.slug, permanent=True)
        return _page(request, tool, now, _done(request, tool))
    except (OperationalError, InterfaceError):
        error = _not_changed()
        context = {
            "slug": slug,
            "saved": _chosen(request) == "no",  # so that the button offers the same choice again
            "notice": str(error),
            "next": came_from(request),
        }
        page = render(request, "tools/bookmark.html", context, status=error.status)
        return error.headed(page)


@same_origin_only
@require_POST
def bookmark_in_place(request: HttpRequest, slug: str) -> HttpResponse:
    """Change the list with HTMX: return the drawer with the list, and a message if there is one.

    A refusal is a sentence in plain text; the form on the page stays as it is.
    """
    now = timezone.now()
    try:
        tool = _tool(slug, now)
        changed = _change(request, tool, now)
        rows = list(Bookmark.objects.for_drawer(changed.visitor, now))
    except RefusedError as error:
        return error.text()
    except (OperationalError, InterfaceError):
        return _not_changed().text()
    context = {
        "drawer": BookmarkDrawer(rows),
        "announced": _message(tool, changed.saved),
    }
    if changed.is_new and changed.saved:
        context["not_remembered"] = NOT_REMEMBERED
    return changed.remembered(render(request, "tools/_bookmark_response.html", context))


@require_safe
def bookmarks(request: HttpRequest) -> HttpResponse:
    """This visitor's saved tools, newest first, with "compare these" and undo.

    `?compare=yes&tools=a&tools=b` redirects to their comparison; if there are too few or too many,
    the list is shown again with the same ticks.
    """
    now, sent = timezone.now(), CompareForm(request.GET)
    sent.full_clean()
    ticked, fault = sent.cleaned_data["tools"], ""
    if sent.cleaned_data["compare"]:
        if 2 <= len(ticked) <= MAX_TOOLS:
            return redirect(picker_address(ticked))
        fault = TOO_FEW if len(ticked) < 2 else TOO_MANY
    rows = list(Bookmark.objects.for_drawer(visitor_of(request), now))
    form, removed = RemovedForm(request.GET), None
    if form.is_valid() and form.cleaned_data["removed"]:
        removed = Tool.objects.published(now).at_any([form.cleaned_data["removed"]]).first()
    if removed and any(row.tool_id == removed.pk for row in rows):
        removed = None
    if not fault and len(rows) > 1:
        ticked = [row.tool.slug for row in rows[:MAX_TOOLS]]
    context = {
        "bookmarks": rows,
        "removed": removed,
        "most": MAX_BOOKMARKS,
        "ticked": ticked,
        "fault": fault,
    }
    return render(request, "tools/bookmarks.html", context)


def _tool(slug: str, now: datetime) -> Tool:
    """The public tool to save; Http404 without one."""
    tool = Tool.objects.for_detail_page(now).at(slug)
    if tool is None:
        raise Http404("There is no tool to save at this address.")
    return tool


def _chosen(request: HttpRequest) -> str:
    """The form's `saved`, `yes` or `no`; empty if it is missing or invalid."""
    form = BookmarkForm(request.POST)
    return form.cleaned_data["saved"] if form.is_valid() else ""


def _change(request: HttpRequest, tool: Tool, now: datetime) -> Changed:
    """Save or remove the tool, according to the form; raises RefusedError."""
    chosen = _chosen(request)
    if not chosen:
        raise RefusedError("Choose to save the tool or to remove it.", 400)
    visitor, is_new = visitor_or_new(request), visitor_of(request) is None
    if chosen == "no":
        Bookmark.objects.remove_tool(tool, visitor)
        return Changed(saved=False, visitor=visitor, is_new=is_new)
    try:
        with transaction.atomic():
            if is_new:
                network = network_of(client_address(request))
                admit_new_visitor(network_hashes(network, now), now)
            fits = Bookmark.objects.save_tool(tool, visitor, now)
    except TooManyNewVisitorsError as error:
        raise RefusedError(str(error), 429, error.retry_after) from None
    if not fits:
        raise RefusedError(f"Your list is full at {MAX_BOOKMARKS} tools. Remove one first.", 409)
    return Changed(saved=True, visitor=visitor, is_new=is_new)


def _post(request: HttpRequest, tool: Tool, now: datetime) -> HttpResponse:
    """Save or remove the tool, and redirect to the list or the page that shows what was done."""
    try:
        changed = _change(request, tool, now)
    except RefusedError as error:
        return error.headed(_page(request, tool, now, str(error), error.status))
    came, listed = came_from(request), reverse("tools:bookmarks")
    if came.partition("?")[0] == listed:
        return changed.remembered(see_other(came))
    done = {"done": "yes" if changed.saved else "no", "next": came or tool.get_absolute_url()}
    address = reverse("tools:bookmark", args=[tool.slug])
    return changed.remembered(see_other(f"{address}?{urlencode(done)}"))


def _done(request: HttpRequest, tool: Tool) -> str:
    """The message on the bookmark that was just changed; empty if there was none.

    It is shown only after a redirect from our own page: a link on another site cannot cause it.
    """
    form = BookmarkDoneForm(request.GET)
    if not form.is_valid() or not is_same_origin(request):
        return ""
    return (
        _message(tool, form.cleaned_data["done"] == "yes")
        if visitor_of(request)
        else NOT_REMEMBERED
    )


def _message(tool: Tool, saved: bool) -> str:  # noqa: FBT001
    return f"Saved {tool.name}." if saved else f"Removed {tool.name}."


def _page(
    request: HttpRequest, tool: Tool, now: datetime, message: str = "", status: int = 200
) -> HttpResponse:
    """The page with the form, and above it the result or the error message."""
    rows = Bookmark.objects.for_drawer(visitor_of(request), now)
    context = {
        "tool": tool,
        "slug": tool.slug,
        "saved": any(row.tool_id == tool.pk for row in rows),
        "notice": message,
        "next": came_from(request),
    }
    return render(request, "tools/bookmark.html", context, status=status)


def _not_changed() -> RefusedError:
    return RefusedError("Your list could not be changed. Try again in a moment.", 503, 5)
