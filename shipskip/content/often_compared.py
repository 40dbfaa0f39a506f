"""Suggestions of what to compare next: the most read, then editors', then tools with near scores.

The methodology page describes this order.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from comparisons.models import recent_reads, tools_key
from reviews.scoring import OUR_WEIGHTS, Weights
from shipskip.content.content import Content
from shipskip.content.judged_tools import JudgedTool
from shipskip.content.records import Comparison, Tool
from shipskip.content.side_by_side import Pair

MAX_SUGGESTED = 6
"""How many comparisons a page suggests."""

MAX_RELATED = 12
"""How many editors' comparisons are candidates for suggestions, besides the most read."""

MAX_NEAR_TOOLS = 60
"""How many tools of a category are searched for those with similar scores."""


@dataclass(frozen=True)
class Suggested:
    """The suggestions of a page, and the editor's own comparison of exactly its tools."""

    own: Comparison | None
    sets: Sequence[Sequence[Tool]]
    """The tools of each suggestion, in the order of its page."""
    by_use: bool
    """Whether the first suggestion is one of the most read."""

    def pairs(self, weights: Weights = OUR_WEIGHTS) -> list[Pair]:
        """The suggestions with their answers."""
        return [Pair.answered([JudgedTool(tool, weights) for tool in row]) for row in self.sets]

    @property
    def links(self) -> list[Pair]:
        """The suggestions without answers."""
        return [Pair(row) for row in self.sets]


def ranked(read: Mapping[str, int], edited: Sequence[str], near: Mapping[str, float]) -> list[str]:
    """Merge sets of tools (`tools_key`) without duplicates: first the most read ones, then those of
    editors in their order, then those with the nearest scores.
    """
    used = sorted(read, key=lambda key: -read[key])
    close = sorted(near, key=lambda key: near[key])
    return list(dict.fromkeys([*used, *edited, *close]))


def distances(
    tools: Sequence[Tool], others: Sequence[Tool], means: Mapping[int, float]
) -> dict[str, float]:
    """The differences of the panel scores of each of `tools` and each of `others`, by `tools_key`,
    in the order of `others`; infinite if one has no score. `means` are by primary key.
    """
    found = {}
    for other in others:
        for tool in tools:
            one, two = means.get(tool.pk), means.get(other.pk)
            apart = float("inf") if one is None or two is None else abs(one - two)
            found[tools_key([tool.pk, other.pk])] = apart
    return found


def often_compared(
    content: Content,
    tools: Sequence[Tool],
    *,
    near: Tool | None = None,
    without: Collection[str] = (),
    most: int = MAX_SUGGESTED,
) -> Suggested:
    """The comparisons to suggest beside `tools`, or on a page of the whole site; one query, unless
    the recent reads are in memory.

    Near scores are those in the first tool's category, or in that of `near`. The comparison of
    exactly `tools`, and those `without` (by `tools_key`), are not suggested.
    """
    read = recent_reads.most_read([tool.pk for tool in tools])
    key_in_view = tools_key(tool.pk for tool in tools)
    own = content.by_tools_key.get(key_in_view)
    edited = _edited(content, tools, len(read))
    centre = list(tools) or ([near] if near else [])
    if own:
        centre = content.in_page_order(centre)
    order = [
        key
        for key in ranked(
            read, [row.tools_key for row in edited], _near(content, centre, read, edited)
        )
        if key not in (key_in_view, *without)
    ]
    in_view = {tool.pk: tool for tool in tools}  # a preview's tool is not public
    sets = list(filter(None, (_tools_of(content, key, in_view) for key in order)))
    used = [row for row in sets if tools_key(tool.pk for tool in row) in read]
    shown = [*used, *_of_one_category_first(sets[len(used) :], is_varied=not tools)][:most]
    by_use = bool(shown) and tools_key(tool.pk for tool in shown[0]) in read
    return Suggested(own, shown, by_use)


def _of_one_category_first(sets: Sequence[list[Tool]], *, is_varied: bool) -> list[list[Tool]]:
    """The sets with tools of one category before the others, else in their order; `is_varied` takes
    one of each category before a second one.
    """
    seen: Counter[int] = Counter()
    ranks = []
    for tools in sets:
        category = tools[0].category.pk
        is_mixed = any(tool.category.pk != category for tool in tools)
        ranks.append((is_mixed, seen[category] if is_varied else 0))
        seen[category] += 1
    return [sets[at] for at in sorted(range(len(sets)), key=ranks.__getitem__)]


def _edited(content: Content, tools: Sequence[Tool], read: int) -> list[Comparison]:
    """The editors' comparisons of any of these tools, or all of them without tools; at most
    MAX_RELATED more than those that are read.
    """
    places = sorted({at for tool in tools for at in content.comparisons_of.get(tool.pk, ())})
    rows = [content.comparisons[at] for at in places] if tools else content.comparisons
    return list(rows[: read + MAX_RELATED])


def _near(
    content: Content,
    centre: Sequence[Tool],
    read: Collection[str],
    edited: Collection[Comparison],
) -> dict[str, float]:
    """The distances of the tools in view to others of the first one's category: the newest, and
    those that the other suggestions name.
    """
    if not centre:
        return {}
    category = centre[0].category.pk
    named = {pk for key in read for pk in _keys(key)}
    named |= {tool.pk for row in edited for tool in row.tools}
    own = {tool.pk for tool in centre}
    found = {tool.pk: tool for tool in content.newest_of(category, MAX_NEAR_TOOLS)}
    found |= {tool.pk: tool for tool in content.having(named) if tool.category.pk == category}
    others = [tool for pk, tool in found.items() if pk not in own]
    others.sort(key=content.rank_of_newest)
    return distances(centre, others, content.means([*own, *found]))


def _keys(key: str) -> list[int]:
    """The primary keys in a `tools_key`."""
    return [int(pk) for pk in key.split("-")]


def _tools_of(content: Content, key: str, in_view: Mapping[int, Tool]) -> list[Tool]:
    """The tools of a set in the order of its page; empty if one of them is not public."""
    tools = [in_view.get(pk) or content.tool(pk) for pk in _keys(key)]
    known = [tool for tool in tools if tool]
    return content.in_page_order(known) if len(known) == len(tools) else []
