"""Turns to render pages, so that a thread is free for votes and for pages that are in the cache."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve

from shipskip.page_cache.middleware import GetResponse
from shipskip.web.cache_control import public_view
from shipskip.web.network import client_address, network_of

MAX_RENDERED_AT_ONCE = 2
"""In one process: while one page waits for the database, another one is computed. `deploy/serve`
starts many more threads, in which requests wait for their turn and use no processor."""

MAX_WAIT_SECONDS = 10


class BusyError(Exception):
    """No turn became free in time; readers get a 503, or the expired page."""


class Turns:
    """A network (IPv4 /24, IPv6 /48) has one turn at a time, so that a flood of one leaves a turn
    to other readers.
    """

    def __init__(self) -> None:
        self._networks: set[str] = set()
        self._changed = Condition()

    @contextmanager
    def take(self, network: str) -> Iterator[None]:
        """Have a turn inside `with`; raises BusyError after MAX_WAIT_SECONDS."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._is_free(network), MAX_WAIT_SECONDS):
                raise BusyError
            self._networks.add(network)
        try:
            yield
        finally:
            with self._changed:
                self._networks.remove(network)
                self._changed.notify_all()

    def _is_free(self, network: str) -> bool:
        return len(self._networks) < MAX_RENDERED_AT_ONCE and network not in self._networks


turns = Turns()


def render_in_turn(get_response: GetResponse) -> GetResponse:
    """Middleware: let public and unknown pages wait for their turn; pass all other requests."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.method not in ("GET", "HEAD") or not _takes_turn(request.path_info):
            return get_response(request)
        with turns.take(network_of(client_address(request))):
            return get_response(request)

    return middleware


def _takes_turn(path: str) -> bool:
    """Whether a page at this path may take long: a public one, or a 404 with similar names."""
    try:
        return public_view(resolve(path).func) is not None
    except Resolver404:
        return True
