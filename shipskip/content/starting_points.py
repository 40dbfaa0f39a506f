"""What a page offers that has nothing of its own to show."""

from collections.abc import Sequence
from dataclasses import dataclass

from shipskip.content.content import Content
from shipskip.content.judged_tools import judged
from shipskip.content.records import Category
from shipskip.content.side_by_side import Pair

MAX_STARTING_COMPARISONS = 3


@dataclass(frozen=True)
class StartingPoints:
    """The first of the editors' comparisons, and all categories with tools."""

    pairs: Sequence[Pair]
    categories: Sequence[Category]


def starting_points(content: Content) -> StartingPoints:
    """Where a reader can go on; all of it is in memory."""
    comparisons = content.comparisons[:MAX_STARTING_COMPARISONS]
    return StartingPoints(
        pairs=[Pair.answered(judged(row.tools)) for row in comparisons],
        categories=[row for row in content.categories if content.by_category.get(row.pk)],
    )
