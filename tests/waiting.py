"""Waiting for a sign, never for time to pass."""

import time
from collections.abc import Callable

WAIT = 300
"""Seconds after which what has not happened fails a test."""


def wait_until(condition: Callable[[], object]) -> None:
    """Wait until a condition is true; it fails the test after five minutes."""
    end = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < end, "it is never true"
        time.sleep(0.02)
