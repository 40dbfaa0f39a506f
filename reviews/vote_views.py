"""Views to cast a vote: a private page with a form, its POST, and the same with HTMX."""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.db import IntegrityError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from reviews import voting
from reviews.network_limits import TooManyNewVisitorsError
from shipskip.web.htmx import came_from, see_other
from shipskip.web.network import client_address, network_of
from shipskip.web.refusals import RefusedError
from shipskip.web.same_origin import is_same_origin, same_origin_only
from shipskip.web.visitor import set_visitor_cookie, visitor_of, visitor_or_new
from tools.models import Tool

CHOICES = [(value, value) for value in ("ship", "skip", "none")]
NOT_SAVED = (
    "Your vote could not be saved. Your choice is still in the form: send it again in a moment."
)
NOT_REMEMBERED = (
    "Your vote counts, but this browser stores no cookies of this site: you cannot change the vote"
    " or take it back later."
)
NO_VOTE_KNOWN = "This browser has no vote here that could be taken back."


class VoteForm(forms.Form):
    """`choice` of a vote: `ship`, `skip`, or `none` to take it back."""

    choice = forms.ChoiceField(choices=CHOICES)


class VoteDoneForm(forms.Form):
    """`done` of the page after a vote: the choice that was sent."""

    done = forms.ChoiceField(choices=CHOICES)


@dataclass(frozen=True)
class Cast:
    """A vote that was cast; `is_new`: the browser sent no cookie, and may not accept any."""

    vote: voting.VisitorVote
    visitor: UUID
    is_new: bool

    def remembered(self, response: HttpResponse) -> HttpResponse:
        """Add the visitor's cookies to the response; a browser without a vote gets none."""
        if self.vote.choice or not self.is_new:
            set_visitor_cookie(response, self.visitor)
        return response


@same_origin_only
@require_http_methods(["GET", "HEAD", "POST"])
def vote(request: HttpRequest, slug: str) -> HttpResponse:
    """The form with this visitor's vote; POST casts, changes or withdraws it."""
    now = timezone.now()
    try:
        tool = _tool(slug, now)
        if request.method == "POST":
            return _post(request, tool, now)
        if tool.slug != slug:
            return redirect("reviews:vote", tool.slug, permanent=True)
        return _page(request, tool, _done(request))
    except (OperationalError, InterfaceError):
        return _unavailable(request, slug)


@same_origin_only
@require_POST
def vote_in_place(request: HttpRequest, slug: str) -> HttpResponse:
    """Cast a vote with HTMX: return the form, and every element of the page that shows the tally.

    A refusal is a sentence in plain text; the form on the page stays as it is.
    """
    now = timezone.now()
    try:
        tool = _tool(slug, now)
        cast = _cast(request, tool, now)
    except RefusedError as error:
        return error.text()
    except (OperationalError, InterfaceError):
        return _not_saved().text()
    message = _message(cast.vote.choice, is_new=cast.is_new)
    context = _context(request, tool, cast.vote) | {"message": message}
    if cast.is_new and cast.vote.choice:
        context["not_remembered"] = NOT_REMEMBERED
    return cast.remembered(render(request, "reviews/_vote_response.html", context))


def _tool(slug: str, now: datetime) -> Tool:
    """The public tool to vote on; Http404 without one."""
    tool = Tool.objects.for_detail_page(now).at(slug)
    if tool is None:
        raise Http404("There is no tool to vote on at this address.")
    return tool


def _chosen(request: HttpRequest) -> str:
    """The form's `choice`: `ship`, `skip` or `none`; empty if it is missing or invalid."""
    form = VoteForm(request.POST)
    return form.cleaned_data["choice"] if form.is_valid() else ""


def _cast(request: HttpRequest, tool: Tool, now: datetime) -> Cast:
    """Cast the submitted vote; raises RefusedError, or Http404 if the tool does not exist."""
    sent = _chosen(request)
    if not sent:
        raise RefusedError("Choose ship, skip, or take your vote back.", 400)
    choice = "" if sent == "none" else sent
    visitor, is_new = visitor_or_new(request), visitor_of(request) is None
    network = network_of(client_address(request))
    try:
        cast = voting.cast(tool, visitor, choice, network, now, is_new=is_new)
    except voting.TooManyVotesError as error:
        wait = f"try again in {error.retry_after} seconds."
        message = f"Too many votes in a minute. Nothing was changed; {wait}"
        raise RefusedError(message, 429, error.retry_after) from None
    except TooManyNewVisitorsError as error:
        raise RefusedError(str(error), 429, error.retry_after) from None
    except IntegrityError:
        raise Http404("This tool is no longer here.") from None
    return Cast(cast, visitor, is_new)


def _post(request: HttpRequest, tool: Tool, now: datetime) -> HttpResponse:
    """Cast the vote and redirect to the page that shows it; a refusal is the page itself."""
    try:
        cast = _cast(request, tool, now)
    except RefusedError as error:
        return error.headed(_page(request, tool, str(error), error.status))
    done = {
        "done": cast.vote.choice or "none",
        "next": came_from(request) or tool.get_absolute_url(),
    }
    address = reverse("reviews:vote", args=[tool.slug])
    return cast.remembered(see_other(f"{address}?{urlencode(done)}"))


def _done(request: HttpRequest) -> str:
    """The message on the vote that was just cast; empty if there was none.

    It is shown only after a redirect from our own page: a link on another site cannot cause it.
    """
    form = VoteDoneForm(request.GET)
    if not form.is_valid() or not is_same_origin(request):
        return ""
    done, is_new = form.cleaned_data["done"], visitor_of(request) is None
    message = _message("" if done == "none" else done, is_new=is_new)
    return f"{message} {NOT_REMEMBERED}" if is_new and done != "none" else message


def _message(choice: str, *, is_new: bool) -> str:
    """The message to the voter on the result of a vote."""
    if choice:
        return f"You voted {choice}."
    return NO_VOTE_KNOWN if is_new else "You have no vote on this tool now."


def _context(request: HttpRequest, tool: Tool, mine: voting.VisitorVote) -> dict[str, object]:
    """The context of the form: the tool, this visitor's choice, the tally, and the way back."""
    return {
        "tool": tool,
        "slug": tool.slug,
        "title": tool.title,
        "choice": mine.choice,
        "message": mine.message,
        "tally": mine.tally,
        "next": came_from(request),
    }


def _page(request: HttpRequest, tool: Tool, message: str = "", status: int = 200) -> HttpResponse:
    """The page with the form, and above it the result or the error message."""
    mine = voting.votes_of(visitor_of(request), [tool.pk])[tool.pk]
    context = _context(request, tool, mine) | {"notice": message}
    # A browser that accepts no cookies gets no second form: each of its votes would be a new one.
    context["lost"] = message.endswith(NOT_REMEMBERED)
    return render(request, "reviews/vote.html", context, status=status)


def _unavailable(request: HttpRequest, slug: str) -> HttpResponse:
    """503: the database does not answer; the form keeps the choice for another try."""
    context = {
        "slug": slug,
        "unsent": _chosen(request),
        "notice": NOT_SAVED,
        "next": came_from(request),
    }
    error = _not_saved()
    return error.headed(render(request, "reviews/vote.html", context, status=error.status))


def _not_saved() -> RefusedError:
    return RefusedError(NOT_SAVED, 503, 5)
