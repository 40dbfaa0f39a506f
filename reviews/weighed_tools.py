"""All public tools under a reader's own weights: their order by score, and their verdicts.

The takes are read once for each content version, as a column of integers for each reviewer; weights
add multiples of these columns. Each integer has three bit fields (whether the take ships, that
there is one, and its score), so that one addition adds all three.
"""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from reviews.models import Take
from reviews.scoring import verdict_of
from reviews.tool_sets import Keys, PublicTools, ToolSet, by_name
from shipskip.page_cache.per_version import Snapshot

SHIP_UNIT, TAKE_UNIT = 1 << 42, 1 << 21
"""The bit offsets of the numbers of ship takes and of takes; scores have offset 0. Each field has
21 bits, enough for 6,000 reviewers of weight 3."""


@dataclass(frozen=True)
class TakeColumns:
    """The takes on the public tools, by name: integers by tool and reviewer, and the sums."""

    keys: Keys
    by_reviewer: Mapping[int, "array[int]"]
    sums: "array[int]"

    def __sizeof__(self) -> int:
        """About the bytes that it takes; a snapshot limits them."""
        return 8 * len(self.keys) * (len(self.by_reviewer) + 2)

    def weighed(self, weights: Mapping[int, int]) -> Iterable[int]:
        """The sums under these weights, by the reviewer's primary key; the default weight is 1."""
        sums: Iterable[int] = self.sums
        for reviewer, weight in weights.items():
            if column := self.by_reviewer.get(reviewer):
                more = weight - 1
                sums = [total + more * each for total, each in zip(sums, column, strict=True)]
        return sums


@dataclass(frozen=True)
class WeighedTools:
    """`keys`: the best weighted mean first, tools without one last, then by name."""

    keys: Keys
    by_verdict: Mapping[str, ToolSet]

    def __sizeof__(self) -> int:
        """About the bytes that it takes; a snapshot limits them."""
        return 16 * len(self.keys)


def weighed_tools(
    snapshot: Snapshot, tools: PublicTools, weights: Mapping[int, int]
) -> WeighedTools:
    """The public tools under these weights; one query for each content version."""

    def load() -> WeighedTools:
        return _weighed(tools, take_columns(snapshot), weights)

    found: WeighedTools = snapshot.get(("weighed", tuple(sorted(weights.items()))), load)
    return found


def take_columns(snapshot: Snapshot) -> TakeColumns:
    """The takes on the public tools; one query for each content version."""

    def load() -> TakeColumns:
        keys = by_name(snapshot)
        places = {key: place for place, key in enumerate(keys)}
        columns: dict[int, array[int]] = {}
        sums = array("q", bytes(8 * len(keys)))
        rows = Take.objects.published(snapshot.now).order_by()
        for tool, reviewer, score, verdict in rows.values_list(
            "tool", "reviewer", "score", "verdict"
        ):
            place = places.get(tool)
            if place is not None:
                if reviewer not in columns:
                    columns[reviewer] = array("q", bytes(8 * len(keys)))
                columns[reviewer][place] = (
                    SHIP_UNIT * (verdict == "ship") + TAKE_UNIT + (score or 0)
                )
                sums[place] += columns[reviewer][place]
        return TakeColumns(keys, columns, sums)

    found: TakeColumns = snapshot.get("take columns", load)
    return found


def _weighed(tools: PublicTools, columns: TakeColumns, weights: Mapping[int, int]) -> WeighedTools:
    means: list[float] = []
    having: dict[str, list[int]] = {}
    for key, numbers in zip(columns.keys, columns.weighed(weights), strict=True):
        total = numbers // TAKE_UNIT % TAKE_UNIT
        means.append(numbers % TAKE_UNIT / total if total else -1.0)
        having.setdefault(_verdict_of(numbers // SHIP_UNIT, total), []).append(key)
    # The sort is stable: equal means stay in the order of names.
    best = sorted(range(len(means)), key=means.__getitem__, reverse=True)
    return WeighedTools(
        [columns.keys[place] for place in best],
        {verdict: tools.having(keys) for verdict, keys in having.items()},
    )


_verdict_of = lru_cache(maxsize=4096)(verdict_of)
