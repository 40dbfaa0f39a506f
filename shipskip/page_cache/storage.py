"""Where pages are cached: in the memory of the process, and in Redis where CACHE_URL is set.

Redis is used while it answers. One that is slow, full, frozen or gone is a miss and a line in the
log, and is not asked again for some seconds.
"""

import json
import logging
from threading import Lock
from time import monotonic, time

from cachetools import TLRUCache
from django.conf import settings
from django.core.cache import caches
from redis import RedisError

from shipskip.page_cache import counts
from shipskip.page_cache.page import Page

log = logging.getLogger(__name__)

SHARED = "shared_pages"
"""The name of the cache in Redis, in settings.CACHES."""

PAUSE = 5.0
"""Seconds without asking Redis after a failure."""

OVERHEAD = 2_000
"""Bytes that a page takes in memory beside its body, about."""

MAX_SHARE = 1 / 8
"""The share of the memory that one page may take."""


class PageMemory:
    """Pages in the memory of the process: bounded in bytes, the least recently used leave first."""

    def __init__(self, max_bytes: int) -> None:
        self.pages: TLRUCache[str, Page] = TLRUCache(
            max_bytes,
            ttu=lambda key, page, now: page.expires,
            timer=time,
            getsizeof=lambda page: len(page.body) + OVERHEAD,
        )
        self._lock = Lock()

    def get(self, key: str) -> Page | None:
        """The page under a key; None where there is none, or it has expired."""
        with self._lock:
            return self.pages.get(key)

    def set(self, key: str, page: Page) -> None:
        """Store a page, unless it would take too much of the memory."""
        if len(page.body) + OVERHEAD <= MAX_SHARE * self.pages.maxsize:
            with self._lock:
                self.pages[key] = page


class PageSerializer:
    """How Django's Redis cache writes a page: without pickle, so what Redis holds is never run."""

    def dumps(self, page: Page) -> bytes:
        """A page as a line of JSON and its body."""
        return json.dumps([page.status, page.headers, page.expires]).encode() + b"\n" + page.body

    def loads(self, value: bytes) -> Page:
        """What `dumps` wrote; ValueError or TypeError for anything else."""
        head, _, body = value.partition(b"\n")
        status, headers, expires = json.loads(head)
        return Page(int(status), dict(headers), body, float(expires))


class SharedPages:
    """Pages in Redis, which all processes of a release share."""

    def __init__(self) -> None:
        self.paused_until = 0.0

    def get(self, key: str) -> Page | None:
        """The page under a key; None where there is none, or it has expired."""
        if SHARED not in settings.CACHES or monotonic() < self.paused_until:
            return None
        try:
            page = caches[SHARED].get(key)
        except (RedisError, OSError) as error:
            self._pause(error)
            return None
        except (ValueError, TypeError):
            log.warning("Redis returned something that is not a page of this site.")
            return None
        if not isinstance(page, Page) or page.expires <= time():
            return None
        counts["shared"] += 1
        return page

    def set(self, key: str, page: Page) -> None:
        """Store a page until it expires."""
        if SHARED in settings.CACHES and monotonic() >= self.paused_until:
            try:
                caches[SHARED].set(key, page, int(page.expires - time()))
            except (RedisError, OSError) as error:
                self._pause(error)

    def _pause(self, error: Exception) -> None:
        self.paused_until = monotonic() + PAUSE
        log.warning("Redis is not used for %d seconds: %s", PAUSE, error)
