"""The content that a page shows: one version throughout, also of what it loads on demand."""

from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Concatenate, ParamSpec, TypeVar, cast

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from shipskip.content.content import Content, VersionChangedError
from shipskip.page_cache.content_version import Shown, current_version
from shipskip.page_cache.middleware import show, shown_on
from shipskip.web.read_snapshot import read_snapshot

P = ParamSpec("P")
T = TypeVar("T")

ATTEMPTS = 3
"""How often a page is made again because the content changed while it was made."""

PATIENCE = 2.0
"""Seconds that such a page waits for the next content."""


_one_at_a_time = Lock()
"""Held while a page is made from a content of its own, which needs time and memory."""


def content_of(request: HttpRequest | None) -> Content:
    """The content that this request's page shows; the newest one for work outside of a page. In an
    atomic block, it is built from that connection and not kept.
    """
    if connection.in_atomic_block:
        return Content(None, timezone.now())
    shown = shown_on(request) if request else None
    if shown is None:
        shown = current_version.get_or_build()
        if request:
            show(request, shown)
    return _content(shown)


def content_beside_preview(request: HttpRequest) -> Content:
    """What readers see now, for the other tools of a preview, whose own rows may not be saved."""
    shown = current_version.shown
    return _content(shown) if shown else content_of(request)


def with_content(
    view: Callable[Concatenate[HttpRequest, Content, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Pass the content to a view, as `from_content` does."""

    @wraps(view)
    def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        return from_content(lambda content: view(request, content, *args, **kwargs), request)

    return answer


def from_content(read: Callable[[Content], T], request: HttpRequest | None = None) -> T:
    """The result of a function of the content: of a request's page, or of work outside of one. It
    is called again with the next content if the database has a newer version when it reads more;
    in the end, with a content of a snapshot of its own.
    """
    for _ in range(ATTEMPTS):
        content = content_of(request)
        try:
            return read(content)
        except VersionChangedError:
            newer = current_version.newer_than(content.number or 0, PATIENCE)
            if request:
                show(request, newer)
    if request:
        show(request, None)
    with _one_at_a_time, read_snapshot():
        return read(Content(None, timezone.now()))


def _content(shown: Shown) -> Content:
    return cast(Content, shown.content)
