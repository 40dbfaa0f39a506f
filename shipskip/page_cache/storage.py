"""Where pages are cached: in the memory of the process, and in Redis where CACHE_URL is set.

Redis is optional. If it is slow, full, frozen or down, the request is a cache miss, a warning is
logged, and Redis is not used for some seconds (a circuit breaker).
"""

import json
import logging
from threading import Lock
from time import monotonic, time

from cachetools import LRUCache
from django.conf import settings
from django.core.cache import caches

from shipskip.page_cache import response_counts
from shipskip.page_cache.cached_page import CachedPage

log = logging.getLogger(__name__)

SHARED = "shared_pages"
"""The name of the cache in Redis, in settings.CACHES."""

PAUSE = 5.0
"""Seconds without Redis after a failure."""

PAGE_OVERHEAD = 2_000
"""Approximate bytes of memory that a page takes in addition to its body."""

MAX_SHARE = 1 / 8
"""The share of the memory that one page may take."""


class PageMemory:
    """An LRU cache of pages in the memory of the process, limited in bytes.

    Expired pages stay until they are evicted: they are served while the database does not answer.
    """

    def __init__(self, max_bytes: int) -> None:
        self.pages: LRUCache[str, CachedPage] = LRUCache(
            max_bytes, getsizeof=lambda page: len(page.body) + PAGE_OVERHEAD
        )
        self._lock = Lock()

    def get(self, key: str) -> CachedPage | None:
        """The page under a key; None where there is none, or it has expired."""
        page = self.get_expired(key)
        return page if page and page.expires > time() else None

    def get_expired(self, key: str) -> CachedPage | None:
        """The page under a key, even if it has expired."""
        with self._lock:
            return self.pages.get(key)

    def set(self, key: str, page: CachedPage) -> None:
        """Store a page, unless it would take too much of the memory."""
        if len(page.body) + PAGE_OVERHEAD <= MAX_SHARE * self.pages.maxsize:
            with self._lock:
                self.pages[key] = page


class PageSerializer:
    """Serialise pages for Django's Redis cache without pickle: data from Redis cannot run code."""

    def dumps(self, page: CachedPage) -> bytes:
        """A page as a line of JSON and its body."""
        return json.dumps([page.status, page.headers, page.expires]).encode() + b"\n" + page.body

    def loads(self, value: bytes) -> CachedPage:
        """Return the page that `dumps` wrote; raises ValueError or TypeError for other data."""
        head, _, body = value.partition(b"\n")
        status, headers, expires = json.loads(head)
        return CachedPage(int(status), dict(headers), body, float(expires))


def redis_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that a cache in Redis raises. The library is imported on the first
    error: importing it at the start would be a quarter of the start time of every command and
    worker, and most sites have no Redis.
    """
    from redis import RedisError

    return RedisError, OSError


class SharedPages:
    """Pages in Redis, which all processes of a release share."""

    def __init__(self) -> None:
        self.paused_until = 0.0

    def get(self, key: str) -> CachedPage | None:
        """The page under a key; None where there is none, or it has expired."""
        if SHARED not in settings.CACHES or monotonic() < self.paused_until:
            return None
        try:
            page = caches[SHARED].get(key)
        except redis_errors() as error:
            self._pause(error)
            return None
        except (ValueError, TypeError):
            log.warning("Redis returned something that is not a page of this site.")
            return None
        if not isinstance(page, CachedPage) or page.expires <= time():
            return None
        response_counts["shared"] += 1
        return page

    def set(self, key: str, page: CachedPage) -> None:
        """Store a page until it expires."""
        if SHARED in settings.CACHES and monotonic() >= self.paused_until:
            try:
                caches[SHARED].set(key, page, int(page.expires - time()))
            except redis_errors() as error:
                self._pause(error)

    def _pause(self, error: Exception) -> None:
        self.paused_until = monotonic() + PAUSE
        log.warning("Redis is not used for %d seconds: %s", PAUSE, error)
