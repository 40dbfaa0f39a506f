"""Suggestions of what to compare next: the most read, then editors', then tools with near scores.

The methodology page describes this order.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from comparisons.models import Comparison, RecentReads, tools_key
from comparisons.side_by_side import Pair
from reviews.judged_tools import judged_tools
from tools.models import Tool

MAX_SUGGESTED = 6
"""How many comparisons a page suggests."""


@dataclass(frozen=True)
class Suggested:
    """The suggestions of a page, and the editor's own comparison of exactly its tools."""

    own: Comparison | None
    pairs: Sequence[Pair]
    by_use: bool
    """Whether the first suggestion is one of the most read."""


def ranked(read: Mapping[str, int], edited: Sequence[str], near: Mapping[str, float]) -> list[str]:
    """Merge sets of tools (`tools_key`) without duplicates: first the most read ones, then those of
    editors in their order, then those with the nearest scores.
    """
    used = sorted(read, key=lambda key: -read[key])
    close = sorted(near, key=lambda key: near[key])
    return list(dict.fromkeys([*used, *edited, *close]))


def distances(tools: Sequence[Tool], others: Sequence[Tool]) -> dict[str, float]:
    """The differences of the panel scores of each of `tools` and each of `others`, by `tools_key`,
    in the order of `others`; infinite if one has no score. For tools `with_panel_mean`.
    """
    found = {}
    for other in others:
        for tool in tools:
            one, two = tool.panel_mean, other.panel_mean
            apart = float("inf") if one is None or two is None else abs(one - two)
            found[tools_key([tool.pk, other.pk])] = apart
    return found


def often_compared(
    tools: Sequence[Tool],
    now: datetime,
    *,
    near: Tool | None = None,
    without: Collection[str] = (),
    most: int = MAX_SUGGESTED,
) -> Suggested:
    """The comparisons to suggest beside `tools`, or on a page of the whole site; three queries.

    Near scores are those in the first tool's category, or in that of `near`. The comparison of
    exactly `tools`, and those `without` (by `tools_key`), are not suggested.
    """
    read = RecentReads.objects.most_read(tools, 2 * most)
    rows = list(Comparison.objects.to_suggest(tools, list(read), now))
    key_in_view = tools_key(tool.pk for tool in tools)
    own = next((row for row in rows if row.tools_key == key_in_view), None)
    centre = list(tools) or ([near] if near else [])
    if own:
        centre.sort(key=lambda tool: own.tool_ids.index(tool.pk))
    edited = {row.tools_key: row.tool_ids for row in rows}
    keys = {pk for key in [*read, *edited] for pk in _keys(key)} | {tool.pk for tool in centre}
    found = judged_tools().to_suggest(keys, centre[0] if centre else None, now)
    public = {tool.pk: tool for tool in [*centre, *found]}  # a preview's tool is not public
    order = [
        key
        for key in ranked(read, list(edited), _near(centre, public))
        if key not in (key_in_view, *without) and public.keys() >= set(_keys(key))
    ][:most]
    return Suggested(
        own=own,
        pairs=[Pair(_in_order(key, edited.get(key), public)) for key in order],
        by_use=bool(order) and order[0] in read,
    )


def _near(centre: Sequence[Tool], public: Mapping[int, Tool]) -> dict[str, float]:
    """The distances of the tools in view to others of the first one's category."""
    if not centre:
        return {}
    own = [public[tool.pk] for tool in centre]
    others = [tool for tool in public.values() if tool not in own]
    return distances(own, [tool for tool in others if tool.category_id == own[0].category_id])


def _keys(key: str) -> list[int]:
    """The primary keys in a `tools_key`."""
    return [int(pk) for pk in key.split("-")]


def _in_order(key: str, edited: Sequence[int] | None, public: Mapping[int, Tool]) -> list[Tool]:
    """The tools of a set in an editor's order, else by slug."""
    if edited:
        return [public[pk] for pk in edited]
    return sorted((public[pk] for pk in _keys(key)), key=lambda tool: tool.slug)
