"""Cache-Control of public and private responses: who may store them, and for how long.

Every response is private unless its view is marked `public`. A public response has the same bytes
for everybody, so any cache may store it; browsers revalidate it each time and get a 304 while it
is unchanged. Our own page cache (`page_cache/`) reads what a public view declares here.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Concatenate, ParamSpec, overload

from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from shipskip.web.twins import twins_of

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

PUBLIC = "public, max-age=0, must-revalidate"
PRIVATE = "private, no-store"
NGINX_EXPIRES = "X-Accel-Expires"
"""The header with the seconds that nginx stores a response; 0: not at all. The page cache sets it,
and removes it from responses to other clients."""
MEMORY_ONLY = "memory"
"""A view's value of that header: nginx does not store the response."""


@dataclass(frozen=True)
class PublicView:
    """What a public view declares.

    Its response depends on the query keys `keys` and on those that start with one of `prefixes`;
    the view sees no others. Keys in `lists` and `sets` may be repeated; the order of the values
    counts in a list, but not in a set or under a prefix. Of any other key the last value counts.
    With a key that starts with one of `uncached` no page is cached, and the view sees the whole
    query. `tallies`: its pages show votes. `on_read` is called for each GET that a page answers,
    cached or not; it must not query the database.
    """

    keys: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    lists: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()
    tallies: bool = False
    on_read: Callable[[HttpRequest], None] | None = None
    uncached: tuple[str, ...] = ()
    has_markdown: bool = False
    """Whether a client that prefers Markdown gets the page as that (`twins.py`)."""


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

    `query` lists the query keys that it reads, `prefixes` the prefixes of further ones, `lists` and
    `sets` those of `query` that may be repeated, in an order that counts or does not, `uncached`
    the prefixes of keys with which no page is cached. `tallies`: its pages show votes. `on_read`
    is called for each GET that a page (200) or its revalidation (304) answers. A view with
    prefixes must return `not_cached` for a key that it does not know. Raises ImproperlyConfigured
    when the response sets a cookie or varies by cookie: such a view is not public, and a cache
    would show one visitor's page to another.
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
    declared = replace(declared, has_markdown="md" in twins_of(view).formats)

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
        response.setdefault("Cache-Control", PUBLIC)
        return response

    vars(answer)["public_view"] = declared
    return answer


def not_cached(response: HttpResponse, *, when: Collection[str]) -> HttpResponse:
    """Exclude the response from our caches if `when` is not empty: a page with messages about bad
    values answers one request only, and anyone could fill a cache with such pages.
    """
    if when:
        response[NGINX_EXPIRES] = "0"
    return response


def not_shared(response: HttpResponse) -> HttpResponse:
    """Let only the memory of processes store the response: the number of such addresses is almost
    unlimited, and anyone could fill nginx's cache with them.
    """
    response[NGINX_EXPIRES] = MEMORY_ONLY
    return response


def private_by_default(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: a response without Cache-Control becomes `private, no-store`.

    Cookies are removed from a public response: Django deletes a damaged session cookie on the next
    page of any kind, and a cache would then send that deletion to every reader.
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
