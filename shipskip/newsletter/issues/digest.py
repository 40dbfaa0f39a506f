"""Choose the entries of an issue by rule. Pure functions: no database, no clock.

An issue needs a new or a changed verdict. The closest pair and the tool on which panel and
community differ most are only added to such an issue.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

from comparisons.answer import MIN_AHEAD
from reviews.scoring import Panel, Tally, Verdict, verdict_of
from shipskip.newsletter.models import EntryKind

MAX_NEW = 8
MAX_CHANGED = 5
MAX_CLOSE = 5
"""The greatest mean difference of a pair that is called close, in points."""

MIN_GAP = 20
"""The minimum difference between panel and community, in percentage points."""
_NONE = Tally()


@dataclass(frozen=True)
class DigestCandidate:
    """A public tool with at least one take.

    `first_verdict_at` is when readers could first see a verdict on it; `before` counts the takes
    for ship and skip at the start of the window, `scores` are by reviewer.
    """

    tool: int
    slug: str
    category: int
    panel: Panel
    first_verdict_at: datetime
    tally: Tally = _NONE
    before: Tally = _NONE
    scores: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class VerdictChange:
    """A public change of one reviewer's verdict or score on a tool."""

    tool: int
    reviewer: int
    before: str
    after: str
    at: datetime
    score_before: int = 0
    score_after: int = 0
    reason: str = ""


@dataclass(frozen=True)
class ChosenEntry:
    """An entry chosen for an issue: its kind and its tools."""

    kind: EntryKind
    tools: tuple[int, ...]


def merged_changes(changes: Iterable[VerdictChange]) -> list[VerdictChange]:
    """One change per reviewer and tool, from the first value to the last, with the last reason."""
    merged: dict[tuple[int, int], VerdictChange] = {}
    for change in sorted(changes, key=lambda row: row.at):
        first = merged.get((change.tool, change.reviewer), change)
        merged[change.tool, change.reviewer] = replace(
            change, before=first.before, score_before=first.score_before
        )
    return list(merged.values())


def net_changes(changes: Iterable[VerdictChange]) -> list[VerdictChange]:
    """The merged changes of verdicts; none if the verdict changed back."""
    return [change for change in merged_changes(changes) if change.before != change.after]


def verdict_before(row: DigestCandidate, changes: Sequence[VerdictChange]) -> Verdict:
    """The panel's verdict at the start of the window, from the net changes on this tool."""
    ship = row.before.ship
    ship += sum((change.before == "ship") - (change.after == "ship") for change in changes)
    return verdict_of(min(max(ship, 0), row.before.total), row.before.total)


def choose(
    rows: Sequence[DigestCandidate],
    changes: Iterable[VerdictChange],
    since: datetime,
    until: datetime,
    *,
    recently_divided: Collection[int] = (),
) -> list[ChosenEntry]:
    """The entries of the issue for the half-open interval [`since`, `until`), in the mail's order.

    Empty without a new or changed verdict. `recently_divided` are tools that recent issues listed
    as the most divided; they are not listed so again.
    """
    new = [row for row in rows if since <= row.first_verdict_at < until]
    changed = _changed([row for row in rows if row.first_verdict_at < since], changes, since, until)
    fresh = {row.tool for row in [*new, *changed]}
    if not fresh:
        return []
    chosen = [
        ChosenEntry(EntryKind.NEW_VERDICT, (row.tool,))
        for row in sorted(new, key=_sort_key)[:MAX_NEW]
    ]
    chosen += [ChosenEntry(EntryKind.CHANGED_VERDICT, (row.tool,)) for row in changed[:MAX_CHANGED]]
    if pair := closest(rows, {tool for entry in chosen for tool in entry.tools}):
        chosen.append(ChosenEntry(EntryKind.CLOSEST_PAIR, tuple(row.tool for row in pair)))
    if divided := most_divided(rows, recently_divided):
        chosen.append(ChosenEntry(EntryKind.MOST_DIVIDED, (divided.tool,)))
    return chosen


def _sort_key(row: DigestCandidate) -> tuple[int, Decimal, str]:
    """Most takes first, then the best score, then by slug."""
    return -row.panel.total, -(row.panel.score or Decimal(0)), row.slug


def _changed(
    rows: Sequence[DigestCandidate],
    changes: Iterable[VerdictChange],
    since: datetime,
    until: datetime,
) -> list[DigestCandidate]:
    """Tools with a changed panel verdict first, then those with a changed take."""
    by_tool: dict[int, list[VerdictChange]] = {}
    for change in net_changes(change for change in changes if since <= change.at < until):
        by_tool.setdefault(change.tool, []).append(change)
    found = []
    for row in rows:
        own = by_tool.get(row.tool, [])
        before = verdict_before(row, own)
        panel_changed = before not in ("none", row.panel.verdict)
        if own or panel_changed:
            found.append((not panel_changed, -len(own), _sort_key(row), row))
    return [row for *_, row in sorted(found, key=lambda entry: entry[:3])]


def closest(
    rows: Sequence[DigestCandidate], named: Collection[int]
) -> tuple[DigestCandidate, DigestCandidate] | None:
    """The two closest tools with the same category and verdict, at least one of them in `named`.

    As in the answer of a comparison, only reviewers who judged both count. Pairs are sorted by the
    mean difference of these scores, then by the number of these reviewers, then by slugs.
    """
    groups: dict[tuple[int, str], list[DigestCandidate]] = {}
    for row in rows:
        groups.setdefault((row.category, row.panel.verdict), []).append(row)
    pairs = (
        (row, other) if row.slug < other.slug else (other, row)
        for row in rows
        if row.tool in named
        for other in groups[row.category, row.panel.verdict]
        if other is not row
    )
    found = [(key, pair) for pair in pairs if (key := _apart(*pair))]
    return min(found, key=lambda entry: entry[0])[1] if found else None


def _apart(
    first: DigestCandidate, second: DigestCandidate
) -> tuple[Fraction, int, str, str] | None:
    """The sort key of a pair, the closest first; None if too few reviewers judged both, or if they
    are not close.
    """
    shared = first.scores.keys() & second.scores.keys()
    if len(shared) < MIN_AHEAD:
        return None
    points = sum(first.scores[key] - second.scores[key] for key in shared)
    apart = Fraction(abs(points), len(shared))
    return (apart, -len(shared), first.slug, second.slug) if apart <= MAX_CLOSE else None


def gap(row: DigestCandidate) -> int | None:
    """Percentage points between the two shares; None if one has no percentage."""
    panel, community = row.panel.share, row.tally.share
    return None if panel is None or community is None else abs(panel - community)


def most_divided(
    rows: Iterable[DigestCandidate], recent: Collection[int] = ()
) -> DigestCandidate | None:
    """The tool with the widest gap between panel and community; None below MIN_GAP points."""
    found = [
        ((-points, -row.tally.total, row.slug), row)
        for row in rows
        if row.tool not in recent and (points := gap(row)) is not None and points >= MIN_GAP
    ]
    return min(found, key=lambda entry: entry[0])[1] if found else None
