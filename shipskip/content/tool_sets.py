"""Sets of public tools: integers whose bit n stands for the tool at place n, in order of names.

An intersection takes a microsecond, however many tools there are, so that a list counts each of its
choices.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import TypeVar

ToolSet = int
V = TypeVar("V", bound=Hashable)


def set_of(places: Iterable[int], number: int) -> ToolSet:
    """The set of the tools at these places, of `number` tools."""
    bits = bytearray(number // 8 + 1)
    for place in places:
        bits[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(bits, "little")


def sets_by(values: Iterable[V]) -> dict[V, ToolSet]:
    """The set of each value; `values` are those of the tools at places 0, 1, ….."""
    places: dict[V, list[int]] = {}
    number = 0
    for number, value in enumerate(values, 1):
        places.setdefault(value, []).append(number - 1)
    return {value: set_of(found, number) for value, found in places.items()}


def any_of(sets: Mapping[V, ToolSet], values: Iterable[V]) -> ToolSet:
    """The tools with any of these values."""
    return reduce(or_, (sets.get(value, 0) for value in values), 0)


def in_order(order: Sequence[int], among: ToolSet) -> list[int]:
    """The places of an order that are in a set."""
    bits = among.to_bytes(among.bit_length() // 8 + 1, "little")
    end = 8 * len(bits)
    return [place for place in order if place < end and bits[place >> 3] >> (place & 7) & 1]
