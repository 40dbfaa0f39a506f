"""Waiting for a sign, never for time to pass."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

WAIT = 300
"""Seconds after which what has not happened fails a test."""


def wait_until(condition: Callable[[], T | None]) -> T:
    """Wait until a condition is true, and return its value; the test fails after five minutes."""
    end = time.monotonic() + WAIT
    while not (value := condition()):
        assert time.monotonic() < end, "it is never true"
        time.sleep(0.02)
    return value
