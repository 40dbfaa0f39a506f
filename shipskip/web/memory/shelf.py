"""Where pages are kept in a process: bounded in bytes, and what nobody asks for goes first."""

from threading import Lock

from shipskip.web.memory.kept import Page


class Shelf:
    """Pages by key. Reading takes no lock; a page that was read since it was last passed over
    stays when room is made (the clock algorithm: nearly the least recently used goes first).
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.weight = 0
        self._pages: dict[str, Page] = {}
        self._lock = Lock()

    def get(self, key: str) -> Page | None:
        """The page under a key."""
        page = self._pages.get(key)
        if page is not None:
            page.read = True
        return page

    def put(self, key: str, page: Page) -> None:
        """Keep a page, or weigh it anew; one that takes more than an eighth of all is not kept."""
        with self._lock:
            self._drop(key)
            weight = page.weight + 2 * len(key)
            if 8 * weight > self.limit:
                return
            page.charged, page.read = weight, False
            self._pages[key] = page
            self.weight += weight
            while self.weight > self.limit:
                self._make_room()

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._pages.clear()
            self.weight = 0

    def __len__(self) -> int:
        return len(self._pages)

    def _make_room(self) -> None:
        oldest, page = next(iter(self._pages.items()))
        if page.read:
            page.read = False
            self._pages[oldest] = self._pages.pop(oldest)
        else:
            self._drop(oldest)

    def _drop(self, key: str) -> None:
        page = self._pages.pop(key, None)
        if page is not None:
            self.weight -= page.charged
