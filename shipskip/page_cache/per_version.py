"""What follows from published content alone, computed once a content version in each process."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from sys import getsizeof
from threading import Lock
from typing import Any

from cachetools import LRUCache
from django.db import connection

from shipskip.page_cache.content_version import current

MAX_BYTES = 16 * 2**20


class PerVersion:
    """Values of the current content version, limited in bytes, least recently used evicted first.

    Threads may use it at the same time; two may compute the same value.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self.reset()

    def reset(self) -> None:
        """Forget all values."""
        self._version: str | None = None
        self._values: LRUCache[Hashable, Any] = LRUCache(MAX_BYTES, getsizeof=getsizeof)

    def get(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """The value under a key, computed if it is not known."""
        return self.get_many([key], lambda _: {key: compute()})[key]

    def get_many(
        self, keys: Sequence[Hashable], compute: Callable[[Sequence[Any]], Mapping[Any, Any]]
    ) -> dict[Any, Any]:
        """The values under these keys; `compute` gets those that are not known, all at once.

        The version is read before the values are computed: what changes meanwhile has the next
        version. Without one nothing is stored, nor in a transaction, which may be rolled back.
        """
        version = None if connection.in_atomic_block else current.get()
        with self._lock:
            known = self._values if version and version == self._version else {}
            found = {key: known[key] for key in keys if key in known}
        missing = [key for key in keys if key not in found]
        if not missing:
            return found
        computed = compute(missing)
        if version:
            self._store(version, computed)
        return {**found, **computed}

    def _store(self, version: str, computed: Mapping[Any, Any]) -> None:
        with self._lock:
            if version != self._version:
                self._values.clear()
                self._version = version
            for key, value in computed.items():
                if getsizeof(value) <= MAX_BYTES:
                    self._values[key] = value


per_version = PerVersion()
"""The values of this process."""
