"""Under which key a page is kept: its path, and the query keys that its view reads."""

from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.urls import Resolver404, resolve

from shipskip.web.caching import Query

LONGEST_PATH = 400
LONGEST_QUERY = 300
MOST_VALUES = 4
"""Values of a repeated key that a page can depend on."""


@dataclass(frozen=True)
class Place:
    """Where a page is kept, and the query that it is rendered with; no key: it is not kept."""

    key: str | None
    query: str | None = None

    def prepare(self, request: HttpRequest) -> None:
        """Let the view see only what the key holds, so that its bytes depend on nothing else."""
        if self.query is not None:
            request.META["QUERY_STRING"] = self.query
            request.GET = QueryDict(self.query)


@lru_cache(maxsize=4096)
def query_of(path: str) -> Query | None:
    """The query keys that the public view at a path reads; None where there is no such view."""
    try:
        found: Query | None = getattr(resolve(path).func, "query", None)
    except Resolver404:
        return None
    return found


def place_of(request: HttpRequest) -> Place | None:
    """Where the page that a request asks for is kept; None when it is no public one.

    Unknown query keys are ignored, but for those that look like a known one: the page tells of
    them. The order of keys, empty values and all but the last of a key's values do not count.
    """
    path = request.path_info
    if len(path) > LONGEST_PATH:
        return None
    asked = query_of(path)
    if asked is None:
        return None
    if not request.META.get("QUERY_STRING"):
        return Place(path)
    if any(key not in asked.keys and _bare(key) in asked.keys for key in request.GET):
        return Place(None)
    query = urlencode([pair for key in asked.keys for pair in _values(request, key, asked)])
    if len(query) > LONGEST_QUERY:
        return Place(None)
    return Place(f"{path}?{query}" if query else path, query)


def _values(request: HttpRequest, key: str, asked: Query) -> list[tuple[str, str]]:
    values = request.GET.getlist(key)
    if key in asked.lists:
        return [(key, value) for value in values[:MOST_VALUES]]
    return [(key, value) for value in values[-1:] if value]


def _bare(key: str) -> str:
    return "".join(c for c in key[:100].lower() if "a" <= c <= "z")
