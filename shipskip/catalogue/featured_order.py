"""Load and dump the manual order of the featured comparisons."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from comparisons.models import Comparison
from tools.models import Tool


class FeaturedPlace(NamedTuple):
    """A comparison and its place in the order."""

    featured: bool
    position: int | None
    slugs: tuple[str, ...]
    pk: int

    @property
    def rank(self) -> tuple[bool, bool, int, tuple[str, ...]]:
        """The sort key: featured by position, featured without a position, the rest by slugs."""
        position = self.position if self.featured else None
        return not self.featured, position is None, position or 0, self.slugs


def featured_places(reordered: Mapping[int, Sequence[str]] | None = None) -> list[FeaturedPlace]:
    """Every comparison without a deleted tool, in the order of a document; two queries.

    Those whose keys are in `reordered` are sorted as if their tools were in that order.
    """
    slugs = dict(Tool.objects.order_by().values_list("pk", "slug"))
    rows = Comparison.objects.of_existing_tools().order_by()
    found = [
        FeaturedPlace(featured, position, tuple(slugs[key] for key in keys), pk)
        for featured, position, keys, pk in rows.values_list(
            "featured", "position", "tool_ids", "pk"
        )
    ]
    for at, place in enumerate(found):
        if reordered and place.pk in reordered:
            found[at] = place._replace(slugs=tuple(reordered[place.pk]))
    return sorted(found, key=lambda place: place.rank)


def merged_order(current: Sequence[int], named: Sequence[int]) -> list[int]:
    """Merge two orders: the keys in `named` take its order, and new ones are added.

    Keys that are only in `current` keep their places. A new key follows its predecessor in `named`.
    """
    present, chosen = set(current), set(named)
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
    for each in current:
        if each not in chosen:
            result.append(each)
            continue
        here = next(slots)
        result += [*leading, here, *new_after.get(here, ())]
        leading = []
    return result + leading


def reorder(
    named: Sequence[int],
    new: set[int],
    *,
    dry_run_tools: Mapping[int, Sequence[str]] | None = None,
) -> list[tuple[int, int, int]]:
    """Give the featured comparisons the order of `named`; `new` are those whose `featured` the
    load changed.

    With `dry_run_tools` (the slugs of comparisons whose tools would be reordered) nothing is
    written. Returns the keys that were featured before and moved relative to each other, each with
    its place before and after, counted from 1.
    """
    if not named:
        return []
    featured = [place for place in featured_places(dry_run_tools) if place.featured]
    current = [place.pk for place in featured if place.pk not in new]
    result = merged_order(current, named)
    if result != current and dry_run_tools is None:
        Comparison.objects.featured().set_positions(result)
    known = set(current)
    after = [pk for pk in named if pk in known]
    chosen = set(after)
    before = {pk: at for at, pk in enumerate((pk for pk in current if pk in chosen), 1)}
    return [(pk, before[pk], at) for at, pk in enumerate(after, 1) if before[pk] != at]
