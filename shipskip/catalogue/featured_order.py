"""The order by hand of the featured comparisons, as a document tells it."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from comparisons.models import Comparison


class Place(NamedTuple):
    """A comparison and where it stands; compares as the document orders them."""

    featured: bool
    position: int | None
    first: str
    second: str
    pk: int

    @property
    def rank(self) -> tuple[bool, bool, int, str, str]:
        """Featured ones first by hand, those without a place after them, the rest by slugs."""
        position = self.position if self.featured else None
        return not self.featured, position is None, position or 0, self.first, self.second


def places(turned: Collection[int] = ()) -> list[Place]:
    """Every comparison whose tools are kept, in the order of a document; one query.

    Those with the keys `turned` count as if their two tools had changed places.
    """
    rows = Comparison.objects.of_existing_tools().order_by()
    keys = rows.values_list("featured", "position", "first__slug", "second__slug", "pk")
    found = [Place(*key) for key in keys]
    for at, place in enumerate(found):
        if place.pk in turned:
            found[at] = place._replace(first=place.second, second=place.first)
    return sorted(found, key=lambda place: place.rank)


def arranged(standing: Sequence[int], named: Sequence[int]) -> list[int]:
    """`standing` with those that `named` names in its order, and its new ones beside them.

    What `named` leaves out keeps its place. A new one comes after the one it follows in `named`.
    """
    present, chosen = set(standing), set(named)
    slots = iter([each for each in named if each in present])
    new_after: dict[int | None, list[int]] = {}
    latest = None
    for each in named:
        if each in present:
            latest = each
        else:
            new_after.setdefault(latest, []).append(each)
    leading = new_after.pop(None, [])
    result: list[int] = []
    for each in standing:
        if each not in chosen:
            result.append(each)
            continue
        here = next(slots)
        result += [*leading, here, *new_after.get(here, ())]
        leading = []
    return result + leading


def reorder(
    named: Sequence[int], fresh: set[int], *, not_yet: Collection[int] | None = None
) -> list[tuple[int, int, int]]:
    """Give the featured comparisons the order of `named`; `fresh` ones were not featured before,
    or are not any more.

    With `not_yet`, the keys of those whose tools would change places, nothing is written. Returns
    those that were and changed places among themselves, each with its place of the
    document before and after, from 1 on.
    """
    if not named:
        return []
    featured = [place for place in places(not_yet or ()) if place.featured]
    standing = [place.pk for place in featured if place.pk not in fresh]
    result = arranged(standing, named)
    if result != standing and not_yet is None:
        Comparison.objects.featured().set_positions(result)
    known = set(standing)
    after = [pk for pk in named if pk in known]
    chosen = set(after)
    before = {pk: at for at, pk in enumerate((pk for pk in standing if pk in chosen), 1)}
    return [(pk, before[pk], at) for at, pk in enumerate(after, 1) if before[pk] != at]
