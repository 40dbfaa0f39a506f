"""Values computed from published content only, cached in each process for one content version."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import datetime
from sys import getsizeof
from threading import Lock
from typing import Any

from cachetools import LRUCache
from django.db import connection
from django.utils import timezone

from shipskip.page_cache.content_version import current_version

MAX_BYTES = 16 * 2**20


class Snapshot:
    """An LRU cache of values of one content version, limited in bytes.

    All are computed for the moment `now`, and may be computed from each other: when a later
    scheduled moment comes, another version begins. Thread-safe, but two threads may compute the
    same value.
    """

    def __init__(self, now: datetime) -> None:
        self.now = now
        self._lock = Lock()
        self._values: LRUCache[Hashable, Any] = LRUCache(MAX_BYTES, getsizeof=getsizeof)

    def get(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """Return the value of a key, computed if it is not stored."""
        return self.get_many([key], lambda _: {key: compute()})[key]

    def get_many(
        self, keys: Sequence[Hashable], compute: Callable[[Sequence[Any]], Mapping[Any, Any]]
    ) -> dict[Any, Any]:
        """Return the values of these keys; `compute` gets all missing keys in one call."""
        with self._lock:
            found = {key: self._values[key] for key in keys if key in self._values}
        missing = [key for key in keys if key not in found]
        if not missing:
            return found
        computed = compute(missing)
        with self._lock:
            for key, value in computed.items():
                if getsizeof(value) <= MAX_BYTES:
                    self._values[key] = value
        return {**found, **computed}


class PerVersion:
    """The snapshot of the current content version."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.reset()

    def reset(self) -> None:
        """Forget the snapshot."""
        self._version: str | None = None
        self._snapshot: Snapshot | None = None

    def snapshot(self, now: datetime) -> Snapshot:
        """Return the snapshot for one page, so that all its values are of the same version.

        Without a version, and in a transaction (it may be rolled back), it is a new one for `now`.
        """
        version = None if connection.in_atomic_block else current_version.get()
        if version is None:
            return Snapshot(now)
        with self._lock:
            if self._snapshot is None or version != self._version:
                self._version, self._snapshot = version, Snapshot(timezone.now())
            return self._snapshot


per_version = PerVersion()
"""The values of this process."""
