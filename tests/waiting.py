"""Waiting for a sign, never for time to pass."""

import time
from collections.abc import Callable
from inspect import getsource
from typing import TypeVar

T = TypeVar("T")

WAIT = 300
"""Seconds after which what has not happened fails a test."""


def wait_until(condition: Callable[[], T | None], explain: Callable[[], str] = str) -> T:
    """Wait until a condition is true, and return its value. The test fails after five minutes, with
    the condition as it is written and an explanation.
    """
    end = time.monotonic() + WAIT
    while not (value := condition()):
        assert time.monotonic() < end, f"never true: {getsource(condition)}{explain()}"
        time.sleep(0.02)
    return value
