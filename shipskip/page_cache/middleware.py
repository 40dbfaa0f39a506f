"""The first middleware: serves public pages from the cache, and stores rendered ones."""

import hashlib
from collections.abc import Callable
from time import monotonic

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from shipskip.page_cache import response_counts
from shipskip.page_cache.cached_page import CachedPage, best_encoding, cached_page
from shipskip.page_cache.content_version import Shown, current_version
from shipskip.page_cache.keys import PageAddress, address_of
from shipskip.page_cache.nginx_expiry import nginx_expiry
from shipskip.page_cache.storage import PageMemory
from shipskip.web.cache_control import MEMORY_ONLY, NGINX_EXPIRES, PUBLIC

GetResponse = Callable[[HttpRequest], HttpResponseBase]

LIFE, LIFE_WITH_TALLIES = 3_600, 55
"""Seconds until a page expires. Everybody sees a vote within a minute: 55 seconds here, one in
nginx, and up to four of difference between the clocks of machines."""

REVIVED = 1
"""Seconds for which an expired page is still served after rendering it failed."""


class PageCache:
    """The cached pages of this process.

    Pages with a query, and those that are not shared, have a quarter of the memory to themselves,
    so that a thousand random searches, pairs or redirects evict no page that an editor published.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Read the settings, and remove all pages."""
        size = int(settings.PAGE_MEMORY_MB * 2**20)
        self.pages, self.others = PageMemory(size * 3 // 4), PageMemory(size // 4)

    def get(self, key: str, address: PageAddress) -> CachedPage | None:
        """Return the cached page at an address; None if it has to be rendered."""
        page = self.others.get(key)
        return page if page is not None or address.query else self.pages.get(key)

    def revive(self, key: str) -> CachedPage | None:
        """Return an expired page and make it valid for REVIVED more seconds."""
        for memory in (self.others, self.pages):
            if page := memory.get_expired(key):
                page = page._replace(expires=monotonic() + REVIVED)
                memory.set(key, page)
                return page
        return None

    def set(self, key: str, address: PageAddress, page: CachedPage) -> None:
        """Store the page at an address until it expires."""
        if address.query or not page.shared:
            self.others.set(key, page)
        else:
            self.pages.set(key, page)


cache = PageCache()


def page_cache(get_response: GetResponse) -> GetResponse:
    """Middleware: serve public pages from the cache; pass all other requests on unchanged."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        # Start it also in a process that answers only votes or /readyz: after an outage, requests
        # use the database only after a look-up has succeeded.
        current_version.begin()
        reads = request.method in ("GET", "HEAD")
        address = address_of(request) if reads and _may_answer(request) else None
        if address is None:
            return get_response(request)
        address.limit_request(request)
        response = _answer(get_response, request, address)
        on_read = address.view.on_read
        if on_read and request.method == "GET" and response.status_code in (200, 304):
            on_read(request)
        return response

    return middleware


def _answer(
    get_response: GetResponse, request: HttpRequest, address: PageAddress
) -> HttpResponseBase:
    """The page at an address: from the cache, or rendered and cached."""
    encoding = best_encoding(request.META.get("HTTP_ACCEPT_ENCODING", ""))
    is_kept = address.query is not None and settings.PAGE_MEMORY_MB
    if is_kept and not connection.in_atomic_block:
        show(request, current_version.get())
    key = _key(request, address, encoding)
    page = cache.get(key, address) if key else None
    if page is not None:
        answer = page.answer(request)
        response_counts["not_modified" if answer.status_code == 304 else "hit"].inc()
        return _for_nginx(request, answer, shared=page.shared)
    response = get_response(request)
    if response.status_code == 503 and key and (page := cache.revive(key)):
        response_counts["expired"].inc()
        return _for_nginx(request, page.answer(request), shared=page.shared)
    if not isinstance(response, HttpResponse) or not _is_page(response):
        is_file = response.streaming and response.get("Cache-Control") == PUBLIC
        is_file = is_file and response.headers.pop(NGINX_EXPIRES, None) is None
        return _for_nginx(request, response, shared=is_file)
    key = _key(request, address, encoding)  # of the version that the page shows in the end
    life = LIFE_WITH_TALLIES if address.view.tallies else LIFE
    header = response.headers.get(NGINX_EXPIRES)
    del response[NGINX_EXPIRES]
    shared = header is None and response.status_code == 200
    for_many = shared and bool(key) and not address.query
    page = cached_page(
        response,
        encoding,
        monotonic() + life,
        shared=shared,
        for_many=for_many,
        vary="Accept-Encoding, Accept" if address.media_type else "Accept-Encoding",
    )
    if key and header in (None, MEMORY_ONLY):
        cache.set(key, address, page)
    response_counts["miss"].inc()
    return _for_nginx(request, page.answer(request), shared=shared)


def show(request: HttpRequest, shown: Shown | None) -> None:
    """Set the version whose content the request's page shows; None if it shows another state."""
    request.shown = shown  # type: ignore[attr-defined]


def shown_on(request: HttpRequest) -> Shown | None:
    """The version whose content the request's page shows."""
    return getattr(request, "shown", None)


def _key(request: HttpRequest, address: PageAddress, encoding: str) -> str | None:
    """The key of a page, a hash of fixed length; None if the page is not cached."""
    shown = shown_on(request)
    if shown is None or address.query is None or not settings.PAGE_MEMORY_MB:
        return None
    text = f"{shown.version} {encoding} {address.media_type} {address.path}?{address.query}"
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()


def _may_answer(request: HttpRequest) -> bool:
    """Whether the request has an allowed host, and uses HTTPS if that is required."""
    try:
        request.get_host()
    except DisallowedHost:
        return False
    return not settings.SECURE_SSL_REDIRECT or request.is_secure()


def _is_page(response: HttpResponse) -> bool:
    """Whether a response is a public page or a permanent redirect, the same for everybody."""
    public = response.get("Cache-Control") == PUBLIC and response.status_code in (200, 301)
    return public and not response.cookies and not response.has_header("Vary")


def _for_nginx(
    request: HttpRequest, response: HttpResponseBase, *, shared: bool
) -> HttpResponseBase:
    """Tell our nginx to store a shared page until the next clock second, and nothing else.

    After that second nginx revalidates, and the content version is looked up again: a change
    published in one clock second is visible in the next, in nginx too.

    If nginx revalidates, it has an older response for the address and would send it to readers who
    come at the same moment, so every response except a server error replaces it.
    """
    if "HTTP_X_FRONT" in request.META:
        replaces = "HTTP_IF_NONE_MATCH" in request.META and response.status_code < 500
        response[NGINX_EXPIRES] = nginx_expiry(request) if shared or replaces else "0"
    return response
