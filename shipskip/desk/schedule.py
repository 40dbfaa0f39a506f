"""Rows scheduled for today and tomorrow (UTC), and drafts by age."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from shipskip.desk.content_models import ContentModel, RowName
from shipskip.web.publishing import Publishable

MAX_SCHEDULED = 10
"""Maximum number of rows of each model in a day's list."""
MAX_DRAFTS = 10
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Line:
    """A row with its date and the URL of its form."""

    kind: str
    named: RowName
    moment: datetime | None
    url: str


@dataclass(frozen=True)
class Day:
    """What is published on one day, in order; `more` links to longer lists."""

    label: str
    lines: Sequence[Line]
    more: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Ages:
    """Numbers of a model's drafts: started today, this week, this month, earlier, total."""

    kind: str
    url: str
    counts: Sequence[int]


def midnight(now: datetime) -> datetime:
    """The start of the day (UTC)."""
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def scheduled_days(models: Sequence[ContentModel], now: datetime) -> list[Day]:
    """Today, from `now` on, and tomorrow; one query for each model and day."""
    today = midnight(now)
    return [
        _day("Today", models, now, today),
        _day("Tomorrow", models, now, today + DAY),
    ]


def _day(label: str, models: Sequence[ContentModel], now: datetime, start: datetime) -> Day:
    lines: list[Line] = []
    more: list[tuple[str, str]] = []
    for content in models:
        rows = content.named_rows().scheduled(now).between(start, start + DAY).soonest()
        found = list(rows[: MAX_SCHEDULED + 1])
        if len(found) > MAX_SCHEDULED:
            more.append((content.label_plural, content.url_of_state("scheduled")))
        lines += [_line(content, row, row.published_at) for row in found[:MAX_SCHEDULED]]
    lines.sort(key=lambda line: line.moment or start)
    return Day(label, lines, more)


def drafts_by_age(models: Sequence[ContentModel], now: datetime) -> list[Ages]:
    """The drafts of each model by start date; one query for each.

    A week is the last 7 days and a month the last 30, whole days without today. A draft
    without a history is older than the history tables and counts as started earlier.
    """
    today = midnight(now)
    starts = [today, today - 7 * DAY, today - 30 * DAY]
    found = []
    for content in models:
        since = content.rows().draft().with_beginning().counts_since(starts)
        counts = [since[0], *(after - before for before, after in pairwise(since)), since[-1]]
        found.append(Ages(content.label_plural, content.url_of_state("draft"), counts))
    return found


def oldest_drafts(models: Sequence[ContentModel]) -> list[Line]:
    """The oldest drafts, those without a start date first."""
    found = [
        _line(content, row, row.begun_at)
        for content in models
        for row in content.named_rows().draft().with_beginning().oldest_first()[:MAX_DRAFTS]
    ]
    beginning = datetime.min.replace(tzinfo=UTC)
    found.sort(key=lambda line: line.moment or beginning)
    return found[:MAX_DRAFTS]


def _line(content: ContentModel, row: Publishable, moment: datetime | None) -> Line:
    return Line(content.label, content.name(row), moment, content.url("change", row.pk))
