"""What is scheduled for today and tomorrow (days of UTC), and drafts by how long they lie there."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from shipskip.desk.kinds import Kind, Named
from shipskip.web.publishing import Publishable

MOST_SCHEDULED = 10
"""Rows of each kind that a day shows."""
MOST_DRAFTS = 10
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Line:
    """A row with a moment, and its screen."""

    kind: str
    named: Named
    moment: datetime | None
    url: str


@dataclass(frozen=True)
class Day:
    """What goes public on one day, in order; `more` leads to what did not fit."""

    label: str
    lines: Sequence[Line]
    more: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Ages:
    """How many drafts of a kind there are: begun today, this week, this month, earlier, in all."""

    kind: str
    url: str
    counts: Sequence[int]


def midnight(now: datetime) -> datetime:
    """The beginning of the day (UTC)."""
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def scheduled_days(kinds: Sequence[Kind], now: datetime) -> list[Day]:
    """Today, from `now` on, and tomorrow; a query for each kind and day."""
    today = midnight(now)
    return [
        _day("Today", kinds, now, today),
        _day("Tomorrow", kinds, now, today + DAY),
    ]


def _day(label: str, kinds: Sequence[Kind], now: datetime, start: datetime) -> Day:
    lines: list[Line] = []
    more: list[tuple[str, str]] = []
    for kind in kinds:
        rows = kind.named_rows().scheduled(now).between(start, start + DAY).soonest()
        found = list(rows[: MOST_SCHEDULED + 1])
        if len(found) > MOST_SCHEDULED:
            more.append((kind.many, kind.url_of_state("scheduled")))
        lines += [_line(kind, row, row.published_at) for row in found[:MOST_SCHEDULED]]
    lines.sort(key=lambda line: line.moment or start)
    return Day(label, lines, more)


def drafts_by_age(kinds: Sequence[Kind], now: datetime) -> list[Ages]:
    """The drafts of each kind by when they were begun; a query for each.

    A week is the last 7 days and a month the last 30, whole days without today. A draft that has
    no history was there before histories were kept, and counts as begun earlier.
    """
    today = midnight(now)
    starts = [today, today - 7 * DAY, today - 30 * DAY]
    found = []
    for kind in kinds:
        since = kind.rows().draft().with_beginning().counts_since(starts)
        counts = [since[0], *(after - before for before, after in pairwise(since)), since[-1]]
        found.append(Ages(kind.many, kind.url_of_state("draft"), counts))
    return found


def oldest_drafts(kinds: Sequence[Kind]) -> list[Line]:
    """The drafts that were begun the longest ago, those of unknown age first."""
    found = [
        _line(kind, row, row.begun_at)
        for kind in kinds
        for row in kind.named_rows().draft().with_beginning().oldest_first()[:MOST_DRAFTS]
    ]
    beginning = datetime.min.replace(tzinfo=UTC)
    found.sort(key=lambda line: line.moment or beginning)
    return found[:MOST_DRAFTS]


def _line(kind: Kind, row: Publishable, moment: datetime | None) -> Line:
    return Line(kind.one, kind.name(row), moment, kind.url("change", row.pk))
