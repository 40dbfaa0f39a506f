"""Casting a vote: a private page with the form, and its POST."""

from datetime import datetime

from django import forms
from django.db import IntegrityError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from reviews import ballot
from reviews.judged_tools import judged_tools
from reviews.network_limits import TooManyNewVisitorsError
from shipskip.web.htmx import came_from, fragment_or_page, is_fragment, see_other
from shipskip.web.network import client_address, network_of
from shipskip.web.visitor import set_visitor_cookie, visitor_of, visitor_or_new
from tools.models import Tool

RETRY_SECONDS = 5
TEMPLATES = ("reviews/_vote.html", "reviews/vote.html")
NOT_SAVED = (
    "Your vote could not be saved. Your choice is still in the form: send it again in a moment."
)


class VoteForm(forms.Form):
    """`choice` of a vote: `ship`, `skip`, or `none` to take it back."""

    choice = forms.ChoiceField(choices=[(value, value) for value in ("ship", "skip", "none")])


@require_http_methods(["GET", "HEAD", "POST"])
def vote(request: HttpRequest, slug: str) -> HttpResponse:
    """The form with this visitor's vote; POST casts, changes or withdraws it."""
    now = timezone.now()
    try:
        tool = judged_tools().for_detail_page(now).with_tally().at(slug)
        if tool is None:
            raise Http404("There is no tool to vote on at this address.")
        if request.method == "POST":
            return _cast(request, tool, now)
        if tool.slug != slug:
            return redirect("reviews:vote", tool.slug, permanent=True)
        return _answer(request, tool, _current_ballot(request, tool))
    except (OperationalError, InterfaceError):
        return _unavailable(request, slug)
    except IntegrityError:
        raise Http404("This tool is no longer here.") from None


def _chosen(request: HttpRequest) -> str:
    """The form's `choice`: `ship`, `skip` or `none`; empty if it is missing or invalid."""
    form = VoteForm(request.POST)
    return form.cleaned_data["choice"] if form.is_valid() else ""


def _cast(request: HttpRequest, tool: Tool, now: datetime) -> HttpResponse:
    """Read the choice, cast it, and answer with the form or a redirect back."""
    sent = _chosen(request)
    if not sent:
        message = "Choose ship, skip, or take your vote back."
        return _answer(request, tool, _current_ballot(request, tool), message, status=400)
    choice = "" if sent == "none" else sent
    visitor, is_new = visitor_or_new(request), visitor_of(request) is None
    network = network_of(client_address(request))
    try:
        cast = ballot.cast(tool, visitor, choice, network, now, is_new=is_new)
    except ballot.TooManyVotesError as error:
        wait = f"try again in {error.retry_after} seconds."
        message = f"Too many votes in a minute. Nothing was changed; {wait}"
        return _refused(request, tool, message, error.retry_after)
    except TooManyNewVisitorsError as error:
        return _refused(request, tool, str(error), error.retry_after)
    if is_fragment(request):
        message = f"You voted {choice}." if choice else "You have no vote on this tool now."
        response = _answer(request, tool, cast, message, changed=True)
    else:
        response = see_other(came_from(request) or f"{tool.get_absolute_url()}#community")
    if choice or not is_new:
        set_visitor_cookie(response, visitor)
    return response


def _refused(request: HttpRequest, tool: Tool, message: str, seconds: int) -> HttpResponse:
    """429: a limit is reached for so many seconds."""
    response = _answer(request, tool, _current_ballot(request, tool), message, status=429)
    response["Retry-After"] = str(seconds)
    return response


def _answer(
    request: HttpRequest,
    tool: Tool,
    cast: ballot.Ballot,
    message: str = "",
    *,
    changed: bool = False,
    status: int = 200,
) -> HttpResponse:
    """The form as a fragment for HTMX, otherwise as a page."""
    context = {
        "tool": tool,
        "slug": tool.slug,
        "choice": cast.choice,
        "tally": cast.tally,
        "message": message,
        "changed": changed,
        "next": came_from(request),
    }
    return fragment_or_page(request, *TEMPLATES, context, status)


def _unavailable(request: HttpRequest, slug: str) -> HttpResponse:
    """503: the database does not answer; the form keeps the choice for another try."""
    context = {
        "slug": slug,
        "choice": _chosen(request),
        "tally": None,
        "message": NOT_SAVED,
        "unsent": True,
        "next": came_from(request),
    }
    response = fragment_or_page(request, *TEMPLATES, context, 503)
    response["Retry-After"] = str(RETRY_SECONDS)
    return response


def _current_ballot(request: HttpRequest, tool: Tool) -> ballot.Ballot:
    return ballot.ballots_of(visitor_of(request), [tool])[tool.pk]
