"""The address of a cached page: its path, the query keys that its view reads, and its format."""

from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlencode

from django.core.exceptions import TooManyFieldsSent
from django.http import HttpRequest, QueryDict
from django.urls import Resolver404, resolve

from shipskip.web.cache_control import PublicView, public_view
from shipskip.web.twins import HTML, MARKDOWN, PREFERS_MARKDOWN

MAX_PATH = 2_000
"""Ten tools need up to 1,100 characters."""
MAX_QUERY = 300
MAX_VALUES = 11
"""Values of a repeated key that a page can depend on: ten tools, and one more to report."""


class PageAddress(NamedTuple):
    """The address of a public page, reduced to what its bytes depend on.

    `query` is None for a page that must not be cached; `media_type` is empty for one that has a
    single format.
    """

    view: PublicView
    path: str
    query: str | None
    media_type: str

    def limit_request(self, request: HttpRequest) -> None:
        """Show the view only the query and the format in the key, so that its bytes depend on
        nothing else.
        """
        request.META["HTTP_ACCEPT"] = self.media_type
        if self.query is not None and request.META.get("QUERY_STRING"):
            request.META["QUERY_STRING"] = self.query
            request.GET = QueryDict(self.query)


@lru_cache(maxsize=4096)
def view_at(path: str) -> PublicView | None:
    """What the public view at a path declares; None where there is no such view."""
    try:
        return public_view(resolve(path).func) if len(path) <= MAX_PATH else None
    except Resolver404:
        return None


def address_of(request: HttpRequest) -> PageAddress | None:
    """The address of the requested public page; None when it is not a public page."""
    path = request.path_info
    view = view_at(path)
    if view is None:
        return None
    query = known_query(request, view)
    return PageAddress(view, path, query, _media_type(request, view, query))


def _media_type(request: HttpRequest, view: PublicView, query: str | None) -> str:
    """The format that the client gets; empty where there is HTML alone. That is so with a filter or
    own weights too: the twin of a path shows none.
    """
    if not view.has_markdown or query != "":
        return ""
    return MARKDOWN if PREFERS_MARKDOWN.search(request.META.get("HTTP_ACCEPT", "")) else HTML


def known_query(request: HttpRequest, view: PublicView) -> str | None:
    """Normalise the query: return the part that a view reads; None if it cannot be cached.

    Unknown keys are ignored, except those that resemble a known one: the page says that they were
    left out. Empty values are ignored. A set is sorted and has each value once, so that equal
    choices have one cache key; of a list the first MAX_VALUES values count, of any other key the
    last one. Keys with a known prefix are sets and follow the others, in alphabetical order.
    """
    if not (view.keys or view.prefixes or view.uncached) or not request.META.get("QUERY_STRING"):
        return ""
    try:
        request.GET  # noqa: B018 - parsed at the first access
    except TooManyFieldsSent:
        return None  # the view raises it again, inside the middleware that set our headers
    if any(key.startswith(view.uncached) for key in request.GET):
        return None
    others = [key for key in request.GET if key not in view.keys]
    begun = sorted(key for key in others if key.startswith(view.prefixes))
    if any(_letters(key) in view.keys for key in others if key not in begun):
        return None
    keys = [*view.keys, *begun]
    query = urlencode([pair for key in keys for pair in _values(request, key, view)])
    return query if len(query) <= MAX_QUERY else None


def _values(request: HttpRequest, key: str, view: PublicView) -> list[tuple[str, str]]:
    values = request.GET.getlist(key)
    if key in view.lists:
        return [(key, value) for value in values[:MAX_VALUES]]
    if key in view.sets or key not in view.keys:
        return [(key, value) for value in sorted(set(values)) if value]
    return [(key, value) for value in values[-1:] if value]


def _letters(key: str) -> str:
    return "".join(c for c in key[:100].lower() if "a" <= c <= "z")
