"""Turns to render pages, so that a thread is free for votes and for pages that are in the cache."""

from threading import BoundedSemaphore

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve

from shipskip.page_cache.middleware import GetResponse
from shipskip.web.cache_control import public_view

MAX_RENDERED_AT_ONCE = 2
"""In one process: while one page waits for the database, another one is computed. `deploy/serve`
starts many more threads, in which requests wait for their turn and use no processor."""

MAX_WAIT_SECONDS = 10
turns = BoundedSemaphore(MAX_RENDERED_AT_ONCE)


class BusyError(Exception):
    """No turn became free in time; readers get a 503, or the expired page."""


def render_in_turn(get_response: GetResponse) -> GetResponse:
    """Middleware: let public and unknown pages wait for their turn; pass all other requests."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.method not in ("GET", "HEAD") or not _takes_turn(request.path_info):
            return get_response(request)
        if not turns.acquire(timeout=MAX_WAIT_SECONDS):
            raise BusyError
        try:
            return get_response(request)
        finally:
            turns.release()

    return middleware


def _takes_turn(path: str) -> bool:
    """Whether a page at this path may take long: a public one, or a 404 with similar names."""
    try:
        return public_view(resolve(path).func) is not None
    except Resolver404:
        return True
