"""Where pages are cached: in the memory of the process."""

from threading import Lock
from time import monotonic

from cachetools import LRUCache

from shipskip.page_cache.cached_page import CachedPage

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
        return page if page and page.expires > monotonic() else None

    def get_expired(self, key: str) -> CachedPage | None:
        """The page under a key, even if it has expired."""
        with self._lock:
            return self.pages.get(key)

    def set(self, key: str, page: CachedPage) -> None:
        """Store a page, unless it would take too much of the memory."""
        if len(page.body) + PAGE_OVERHEAD <= MAX_SHARE * self.pages.maxsize:
            with self._lock:
                self.pages[key] = page
