"""Public and private bytes: who may keep an answer, and for how long.

Everything is private unless its view is marked `public`. A public answer is the same bytes for
everybody, so any cache may keep it; it is asked again each time and answers 304 while unchanged.
We keep it ourselves too (`memory/`), and a view says here what that has to know of its page.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, overload

from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

PUBLIC = "public, max-age=0, must-revalidate"
PRIVATE = "private, no-store"
_NOTES = "shipskip.notes"


@dataclass(frozen=True)
class Query:
    """The query keys that a page's bytes depend on; all others it never sees.

    `lists` are those that may stand more than once; of the others the last counts.
    """

    keys: tuple[str, ...] = ()
    lists: frozenset[str] = frozenset()


@dataclass
class Notes:
    """What a view says of its page beside its bytes.

    `tallies` are the primary keys of the tools whose tallies it shows; `every_tally`: a number
    that depends on all of them. `refused`: it tells of values that were left out.
    """

    tallies: set[int] = field(default_factory=set)
    every_tally: bool = False
    refused: bool = False


class Row(Protocol):
    """A row of the database."""

    pk: Any


@overload
def public(view: View[P]) -> View[P]:
    """Mark a view that reads no query."""


@overload
def public(*, query: Iterable[str] = (), lists: Iterable[str] = ()) -> Callable[[View[P]], View[P]]:
    """Mark a view that reads these query keys."""


def public(
    view: View[P] | None = None, *, query: Iterable[str] = (), lists: Iterable[str] = ()
) -> View[P] | Callable[[View[P]], View[P]]:
    """Mark a view's pages and redirects as the same bytes for everybody.

    `query` names the query keys that it reads, `lists` those of them that may be repeated.
    Raises ImproperlyConfigured when the answer sets a cookie or varies by one: such a view
    is not public, and keeping its answer would show one visitor's page to another.
    """
    asked = Query(tuple(query), frozenset(lists))
    return _marked(view, asked) if view else lambda view: _marked(view, asked)


def _marked(view: View[P], asked: Query) -> View[P]:
    @wraps(view)
    def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        response = view(request, *args, **kwargs)
        if response.status_code not in (200, 301, 302, 303):
            return response
        if response.cookies or "Cookie" in response.get("Vary", ""):
            raise ImproperlyConfigured(f"{request.path} is marked public but belongs to a visitor.")
        response["Cache-Control"] = PUBLIC
        return response

    # Nothing is written here, so a wrong method gets its 405 and not a lesson about tokens.
    answer.csrf_exempt = True  # type: ignore[attr-defined]
    answer.query = asked  # type: ignore[attr-defined]
    return answer


def notes_of(request: HttpRequest) -> Notes:
    """What the view has said of its page so far."""
    notes: Notes = request.META.setdefault(_NOTES, Notes())
    return notes


def shows_tallies_of(request: HttpRequest, tools: Iterable[Row]) -> None:
    """Say that the page shows the tallies of these tools: it is made anew as they change."""
    notes_of(request).tallies |= {tool.pk for tool in tools}


def shows_every_tally(request: HttpRequest) -> None:
    """Say that the page shows a number that any vote may change."""
    notes_of(request).every_tally = True


def tells_of(request: HttpRequest, complaints: Collection[str]) -> None:
    """Say what the page complains of, if anything: such a page is not kept, lest a stranger's
    nonsense fill the memory.
    """
    notes_of(request).refused |= bool(complaints)


def private_by_default(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: an answer that does not say who may keep it is kept by nobody.

    One that anybody may keep leaves without cookies: Django takes a damaged session cookie back
    on whatever page comes next, and a cache would take it from every reader.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if not response.has_header("Cache-Control"):
            response["Cache-Control"] = PRIVATE
        elif response["Cache-Control"] == PUBLIC and response.cookies:
            response.cookies.clear()
            words = response.get("Vary", "").split(", ")
            del response["Vary"]
            if others := [word for word in words if word not in ("", "Cookie")]:
                response["Vary"] = ", ".join(others)
        return response

    return middleware
