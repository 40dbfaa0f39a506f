"""What an issue is about: chosen by rule from what was published. No database, no clock here.

New verdicts and changed verdicts make an issue. The closest pair and the tool on which panel and
community differ most go with them; alone they are no reason to write to anybody.
"""

from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import groupby, pairwise

from reviews.scoring import Panel, Tally, Verdict, verdict_of

NEW, CHANGED, CLOSEST, DIVIDED = "new_verdict", "changed_verdict", "closest_pair", "most_divided"

MOST_NEW = 8
MOST_CHANGED = 5
FEWEST_TAKES_OF_A_PAIR = 2
"""Reviewers who judged each of two tools before they count as close."""
LEAST_GAP = 20
"""Points of a hundred by which panel and community differ before it is worth a line."""
_NONE = Tally()


@dataclass(frozen=True)
class Judged:
    """A public tool that the panel has judged.

    `begun_at` is when readers could first see a verdict on it, `before` how many reviewers
    shipped and skipped it when the window opened.
    """

    tool: int
    slug: str
    category: int
    panel: Panel
    begun_at: datetime
    tally: Tally = _NONE
    before: Tally = _NONE


@dataclass(frozen=True)
class Turn:
    """A change of one reviewer's verdict on a tool that readers could see."""

    tool: int
    reviewer: int
    before: str
    after: str
    at: datetime


@dataclass(frozen=True)
class Chosen:
    """A part of an issue: its kind and the tools it is about."""

    kind: str
    tools: tuple[int, ...]


def net(turns: Iterable[Turn]) -> list[Turn]:
    """What remains of these changes: one for each reviewer and tool, none for who turned back."""
    found: dict[tuple[int, int], Turn] = {}
    for turn in sorted(turns, key=lambda row: row.at):
        first = found.get((turn.tool, turn.reviewer), turn)
        found[turn.tool, turn.reviewer] = Turn(
            turn.tool, turn.reviewer, first.before, turn.after, turn.at
        )
    return [turn for turn in found.values() if turn.before != turn.after]


def verdict_before(row: Judged, turns: Sequence[Turn]) -> Verdict:
    """The panel's verdict when the window opened; `turns` are the net ones on this tool."""
    ship = row.before.ship
    ship += sum((turn.before == "ship") - (turn.after == "ship") for turn in turns)
    return verdict_of(min(max(ship, 0), row.before.total), row.before.total)


def choose(
    rows: Sequence[Judged],
    turns: Iterable[Turn],
    since: datetime,
    until: datetime,
    *,
    lately_divided: Collection[int] = (),
) -> list[Chosen]:
    """The parts of the issue for `since` (included) to `until` (not), in the mail's order.

    Empty when the panel said nothing new. `lately_divided` are tools that an issue of late has
    named as the most divided; they have had their turn.
    """
    new = [row for row in rows if since <= row.begun_at < until]
    changed = _changed([row for row in rows if row.begun_at < since], turns, since, until)
    news = {row.tool for row in [*new, *changed]}
    if not news:
        return []
    chosen = [Chosen(NEW, (row.tool,)) for row in sorted(new, key=_weight)[:MOST_NEW]]
    chosen += [Chosen(CHANGED, (row.tool,)) for row in changed[:MOST_CHANGED]]
    if pair := closest(rows, news):
        chosen.append(Chosen(CLOSEST, tuple(row.tool for row in pair)))
    if divided := most_divided(rows, lately_divided):
        chosen.append(Chosen(DIVIDED, (divided.tool,)))
    return chosen


def _weight(row: Judged) -> tuple[int, Decimal, str]:
    """Most reviewers first, then the best score, then the alphabet."""
    return -row.panel.total, -(row.panel.score or Decimal(0)), row.slug


def _changed(
    rows: Sequence[Judged], turns: Iterable[Turn], since: datetime, until: datetime
) -> list[Judged]:
    """Tools whose panel, or a reviewer of it, changed its mind; turned panels first."""
    by_tool: dict[int, list[Turn]] = {}
    for turn in net(turn for turn in turns if since <= turn.at < until):
        by_tool.setdefault(turn.tool, []).append(turn)
    found = []
    for row in rows:
        own = by_tool.get(row.tool, [])
        before = verdict_before(row, own)
        turned = before not in ("none", row.panel.verdict)
        if own or turned:
            found.append((not turned, -len(own), _weight(row), row))
    return [row for *_, row in sorted(found, key=lambda entry: entry[:3])]


def closest(rows: Iterable[Judged], news: AbstractSet[int]) -> tuple[Judged, Judged] | None:
    """The two tools of one category that the panel can hardly tell apart, one of them in the news.

    Both have one verdict, since two that a verdict parts are told apart. Then the smallest
    difference in score decides, then in share, then the most takes, then the alphabet. In the
    order of scores a tool's nearest is beside it, so neighbours alone are looked at.
    """
    known = [row for row in rows if row.panel.total >= FEWEST_TAKES_OF_A_PAIR]
    known.sort(key=lambda row: (_kind(row), row.panel.score, row.panel.share, row.slug))
    best: tuple[tuple[Decimal, int, int, str, str], tuple[Judged, Judged]] | None = None
    for _, group in groupby(known, key=_kind):
        for pair in pairwise(group):
            if news.isdisjoint(row.tool for row in pair):
                continue
            first, second = sorted(pair, key=lambda row: row.slug)
            key = (
                abs((first.panel.score or Decimal(0)) - (second.panel.score or Decimal(0))),
                abs((first.panel.share or 0) - (second.panel.share or 0)),
                -(first.panel.total + second.panel.total),
                first.slug,
                second.slug,
            )
            if best is None or key < best[0]:
                best = key, (first, second)
    return best[1] if best else None


def _kind(row: Judged) -> tuple[int, str]:
    """Those that can be close to one another."""
    return row.category, row.panel.verdict


def gap(row: Judged) -> int | None:
    """Points by which the two shares differ; None where one of them is no per cent."""
    panel, community = row.panel.share, row.tally.share
    return None if panel is None or community is None else abs(panel - community)


def most_divided(rows: Iterable[Judged], lately: Collection[int] = ()) -> Judged | None:
    """The tool with the widest gap between panel and community; None below LEAST_GAP points."""
    found = [
        ((-points, -row.tally.total, row.slug), row)
        for row in rows
        if row.tool not in lately and (points := gap(row)) is not None and points >= LEAST_GAP
    ]
    return min(found, key=lambda entry: entry[0])[1] if found else None
