"""This visitor's votes and bookmarks: as a page, as marks for a public page, and “forget me”."""

from django import forms
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from reviews import voting
from reviews.models import Vote, VoteEvent
from shipskip.content.bookmark_drawer import BookmarkDrawer
from shipskip.content.current import content_of
from shipskip.page_cache.cached_page import compress
from shipskip.web.filters import texts_field
from shipskip.web.htmx import see_other
from shipskip.web.slugs import slug_fault
from shipskip.web.visitor import delete_visitor_cookie, visitor_of
from tools.models import Bookmark, Tool

MAX_IN_VIEW = 10


class InViewForm(forms.Form):
    """`tools` of the marks: the slugs of the tools in view; the parameter may be repeated."""

    tools = texts_field()

    def clean_tools(self) -> list[str]:
        """The valid slugs among them, up to a maximum number."""
        texts: list[str] = self.cleaned_data["tools"]
        return [text for text in texts[:MAX_IN_VIEW] if not slug_fault(text)]


class ForgottenForm(forms.Form):
    """`done`: set on the page after the deletion."""

    done = forms.BooleanField(required=False)


@require_safe
def me(request: HttpRequest) -> HttpResponse:
    """A page of what is stored for this browser."""
    now, visitor = timezone.now(), visitor_of(request)
    votes = Vote.objects.filter(visitor=visitor) if visitor else Vote.objects.none()
    public = votes.filter(tool__in=Tool.objects.published(now))
    context = {
        "votes": list(public.select_related("tool", "voiding").order_by("-changed_at")),
        "bookmarks": list(Bookmark.objects.for_drawer(visitor, now)),
        "visitor": visitor is not None,
    }
    return render(request, "reviews/me.html", context)


@require_safe
def my_data(request: HttpRequest) -> HttpResponse:
    """All that is stored for this browser, as a file. Of a tool that readers do not see now only
    the vote or bookmark is told.
    """
    visitor = visitor_of(request)
    own = {"visitor": visitor} if visitor else {"pk__in": ()}
    votes = list(Vote.objects.filter(**own).order_by("cast_at", "pk"))
    acts = list(VoteEvent.objects.filter(**own).order_by("at", "pk"))
    saved = list(Bookmark.objects.filter(**own).order_by("saved_at", "pk"))
    tools = Tool.objects.published(timezone.now()).in_bulk(
        {row.tool_id for rows in (votes, acts, saved) for row in rows}
    )
    slugs = {pk: tool.slug for pk, tool in tools.items()}
    data = {
        "visitor": visitor,
        "votes": [
            {
                "tool": slugs.get(row.tool_id),
                "choice": row.choice,
                "cast_at": row.cast_at,
                "changed_at": row.changed_at,
                "void": row.voiding_id is not None,
            }
            for row in votes
        ],
        "acts": [
            {"tool": slugs.get(row.tool_id), "from": row.before, "to": row.after, "at": row.at}
            for row in acts
        ],
        "bookmarks": [{"tool": slugs.get(row.tool_id), "saved_at": row.saved_at} for row in saved],
    }
    response = JsonResponse(data, json_dumps_params={"indent": 2})
    response["Content-Disposition"] = 'attachment; filename="ship-or-skip-my-data.json"'
    return response


@require_safe
def marks(request: HttpRequest) -> HttpResponse:
    """This visitor's marks for a public page: votes and tallies for the tools with a vote on
    it, and the drawer, which lists every saved tool. At most three queries.

    The response may be compressed: it contains no token and no text from the request.
    """
    now, visitor = timezone.now(), visitor_of(request)
    form = InViewForm(request.GET)
    form.full_clean()
    in_view = form.cleaned_data["tools"]
    content = content_of(request)
    tools = [content.by_slug[slug] for slug in in_view if slug in content.by_slug]
    drawer = BookmarkDrawer(list(Bookmark.objects.for_drawer(visitor, now)))
    mine = voting.votes_of(visitor, [tool.pk for tool in tools])
    context = {
        "states": [(tool, mine[tool.pk]) for tool in tools],
        "drawer": drawer,
        "oob": True,
    }
    return compress(request, render(request, "reviews/_marks.html", context))


@require_http_methods(["GET", "HEAD", "POST"])
def forget_me(request: HttpRequest) -> HttpResponse:
    """GET asks for confirmation; POST deletes cookie, bookmarks and the link to the votes."""
    visitor = visitor_of(request)
    if request.method != "POST":
        form = ForgottenForm(request.GET)
        done = form.is_valid() and form.cleaned_data["done"] and visitor is None
        context = {"visitor": visitor, "done": done}
        return render(request, "reviews/forget.html", context)
    if visitor:
        with transaction.atomic():
            voting.forget(visitor)
            Bookmark.objects.of(visitor).delete()
    response = see_other("?done=yes")
    delete_visitor_cookie(response)
    response.delete_cookie(settings.CSRF_COOKIE_NAME, samesite="Lax")
    return response
