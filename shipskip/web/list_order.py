"""Rearranging a typed list by buttons, without JavaScript. No database here."""

import re
from collections.abc import Sequence
from typing import TypeVar

_ACT = re.compile(r"(up|down|remove)-([0-9]{1,2})")

T = TypeVar("T")


def rearranged(values: Sequence[T], act: str, empty: T) -> list[T]:
    """Return the values after a button was pressed: `up-1`, `down-1` and `remove-1` contain a place
    counted from 0; `add` appends an empty value. An unknown act or place changes nothing.
    """
    if act == "add":
        return [*values, empty]
    found, result = _ACT.fullmatch(act), list(values)
    at = int(found[2]) if found else len(result)
    if not found or at >= len(result):
        return result
    value = result.pop(at)
    if found[1] != "remove":
        result.insert(max(at - 1, 0) if found[1] == "up" else at + 1, value)
    return result


def place_after(act: str) -> int | None:
    """The place of the moved value after `up-1` or `down-1`; None for another act."""
    found = _ACT.fullmatch(act)
    if not found or found[1] == "remove":
        return None
    return max(int(found[2]) - 1, 0) if found[1] == "up" else int(found[2]) + 1
