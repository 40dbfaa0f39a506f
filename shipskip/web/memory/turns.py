"""One renderer per page: who comes while it is rendered waits for it, though not for long."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock

PATIENCE = 1.0
"""Seconds after which those who wait render the page themselves."""


class Turns:
    """Whose turn it is to render which page."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._busy: dict[str, Event] = {}

    @contextmanager
    def taken(self, key: str) -> Iterator[bool]:
        """Take the turn for a key, or wait until another had it; whether it was ours at once."""
        with self._lock:
            other = self._busy.get(key)
            if other is None:
                mine = self._busy[key] = Event()
        if other is not None:
            other.wait(PATIENCE)
            yield False
            return
        try:
            yield True
        finally:
            with self._lock:
                del self._busy[key]
            mine.set()
