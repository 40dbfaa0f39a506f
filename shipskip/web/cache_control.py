"""Cache-Control of public and private responses: who may store them, and for how long.

Everything is private unless its view is marked `public`. A public answer is the same bytes for
everybody, so any cache may store it; browsers revalidate it each time and get a 304 while it is
unchanged. Our own page cache (`page_cache/`) reads what a public view declares here.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec, overload

from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from shipskip.web.visitor import correct_marks

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

PUBLIC = "public, max-age=0, must-revalidate"
PRIVATE = "private, no-store"
NGINX_EXPIRES = "X-Accel-Expires"
"""The header that tells nginx how long to store a response; 0: not at all. The page cache sets it,
and removes it from responses to other clients."""
MEMORY_ONLY = "memory"
"""A view's value of that header: neither nginx nor Redis stores the response."""


@dataclass(frozen=True)
class PublicView:
    """What a public view declares.

    `keys` are the query keys that its bytes depend on, besides those that begin with one of
    `prefixes`, and it sees no others. `lists` are those that may be repeated; `sets` too, and the
    order of their values does not count, as of those with a prefix; of the others the last value
    counts. With a key that begins with one of `uncached` no page is cached, and the view sees the
    whole query. `tallies`: its pages show votes. `on_read` is called with each GET that a
    page answers, a cached one too; it must not query.
    """

    keys: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    lists: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()
    tallies: bool = False
    on_read: Callable[[HttpRequest], None] | None = None
    uncached: tuple[str, ...] = ()


def public_view(view: Callable[..., HttpResponseBase]) -> PublicView | None:
    """What a view declares; None for one that is not public."""
    return vars(view).get("public_view")


@overload
def public(view: View[P]) -> View[P]:
    """Mark a view that reads no query and shows no votes."""


@overload
def public(
    *,
    query: Iterable[str] = (),
    prefixes: Iterable[str] = (),
    lists: Iterable[str] = (),
    sets: Iterable[str] = (),
    uncached: Iterable[str] = (),
    tallies: bool = False,
    on_read: Callable[[HttpRequest], None] | None = None,
) -> Callable[[View[P]], View[P]]:
    """Mark a view that reads these query keys, shows votes, or counts its readers."""


def public(
    view: View[P] | None = None,
    *,
    query: Iterable[str] = (),
    prefixes: Iterable[str] = (),
    lists: Iterable[str] = (),
    sets: Iterable[str] = (),
    uncached: Iterable[str] = (),
    tallies: bool = False,
    on_read: Callable[[HttpRequest], None] | None = None,
) -> View[P] | Callable[[View[P]], View[P]]:
    """Mark a view's pages and redirects as the same bytes for everybody.

    `query` names the query keys that it reads, `prefixes` the beginnings of further ones, `lists`
    and `sets` those of `query` that may be repeated, in an order that counts or does not,
    `uncached` the beginnings of keys with which no page is cached. `tallies` says that its pages
    show votes; `on_read` is called with each GET that a page (200) or its revalidation (304)
    answers. A view with prefixes must answer `not_cached` for a key that it does not know. Raises
    ImproperlyConfigured when the answer sets a cookie or varies by one: such a view is not public,
    and a cache would show one visitor's page to another.
    """
    declared = PublicView(
        keys=tuple(query),
        prefixes=tuple(prefixes),
        lists=frozenset(lists),
        sets=frozenset(sets),
        uncached=tuple(uncached),
        tallies=tallies,
        on_read=on_read,
    )
    return _marked(view, declared) if view else lambda view: _marked(view, declared)


def _marked(view: View[P], declared: PublicView) -> View[P]:
    # The view writes nothing: a POST gets a 405, not an error about a missing CSRF token.
    @csrf_exempt
    @wraps(view)
    def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        response = view(request, *args, **kwargs)
        if response.status_code not in (200, 301, 302, 303):
            return response
        if response.cookies or "Cookie" in response.get("Vary", ""):
            raise ImproperlyConfigured(
                f"{request.path} is marked public but sets a cookie or varies by cookie."
            )
        response["Cache-Control"] = PUBLIC
        return response

    vars(answer)["public_view"] = declared
    return answer


def not_cached(response: HttpResponse, *, when: Collection[str]) -> HttpResponse:
    """The response, excluded from our caches if `when` is not empty: a page with messages about bad
    values is made for one request, and anyone could fill a cache with such pages.
    """
    if when:
        response[NGINX_EXPIRES] = "0"
    return response


def not_shared(response: HttpResponse) -> HttpResponse:
    """The response, stored in the memory of processes only: there are more such addresses than
    an editor ever wrote, and anyone could fill Redis or nginx with them.
    """
    response[NGINX_EXPIRES] = MEMORY_ONLY
    return response


def private_by_default(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: a response without Cache-Control becomes `private, no-store`, and the visitor's
    readable cookie is made to agree with the id.

    A public one loses its cookies: Django deletes a damaged session cookie on the next page of
    any kind, and a cache would then delete it for every reader.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if not response.has_header("Cache-Control"):
            response["Cache-Control"] = PRIVATE
            correct_marks(request, response)
        elif response["Cache-Control"] == PUBLIC and response.cookies:
            response.cookies.clear()
            words = response.get("Vary", "").split(", ")
            del response["Vary"]
            if others := [word for word in words if word not in ("", "Cookie")]:
                response["Vary"] = ", ".join(others)
        return response

    return middleware
