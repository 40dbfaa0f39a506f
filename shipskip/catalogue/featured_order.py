"""The manual order of the featured comparisons, in a dump and in a load."""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from shipskip.catalogue.entries import COMPARISON
from shipskip.catalogue.rows import Slugs, rows_in_documents

T = TypeVar("T")


class Place(NamedTuple):
    """A comparison in the order of a document: featured ones first, by position, those without one
    after them, then the others; the rest is by slugs.
    """

    is_other: bool
    has_no_position: bool
    position: int
    slugs: tuple[str, ...]
    pk: int


def places(slugs: Slugs) -> list[Place]:
    """Every comparison of a document, in its order; one query."""
    rows = rows_in_documents(COMPARISON, slugs.public_at)
    names = slugs.names["tools"]
    found = []
    columns = ("featured", "position", "tool_list", "pk")
    for featured, position, listed, pk in rows.values_list(*columns):
        place = position if featured else None
        own = tuple(names[item["tool"]] for item in listed)
        found.append(Place(not featured, place is None, place or 0, own, pk))
    return sorted(found)


def merged_order(current: Sequence[T], named: Sequence[T]) -> list[T]:
    """Merge two orders: the keys in `named` take its order, and new ones are added.

    Keys that are only in `current` keep their places. A new key follows its predecessor in `named`.
    """
    known, chosen = set(current), set(named)
    moved = [each for each in named if each in known]
    slots = iter(moved)
    result = [next(slots) if each in chosen else each for each in current]
    place = result.index(moved[0]) if moved else len(result)
    for each in named:
        if each in known:
            place = result.index(each) + 1
        else:
            result.insert(place, each)
            place += 1
    return result
