"""Scheduled rows by day, in the editor's time zone, and the number of drafts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter

from django.utils import timezone
from django.utils.text import capfirst

from shipskip.desk.content_rows import ContentQuerySet, screen_url
from shipskip.editing.states import name_of
from shipskip.newsletter.models import Issue
from shipskip.web.publishing import Publishable

MAX_SCHEDULED = 20
"""Maximum number of rows of each model in the schedule; the earliest are shown."""
DAY = timedelta(days=1)


@dataclass(frozen=True)
class ScheduleLine:
    """A row with its date and the URL of its form."""

    kind: str
    name: str
    moment: datetime
    url: str


@dataclass(frozen=True)
class ScheduleDay:
    """The rows that are published or sent on one day, in order."""

    label: str
    lines: Sequence[ScheduleLine]


@dataclass(frozen=True)
class Schedule:
    """The days with something scheduled, always with today; `more` links to longer lists."""

    days: Sequence[ScheduleDay]
    more: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class DraftCount:
    """How many drafts of a kind there are, with the URL of their list."""

    kind: str
    url: str
    number: int


def midnight(now: datetime) -> datetime:
    """The start of the day in the editor's zone."""
    return timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)


def schedule(kinds: Sequence[ContentQuerySet], now: datetime, *, with_issues: bool) -> Schedule:
    """All rows scheduled after `now`; one query for each model, and one for the issues."""
    lines: list[ScheduleLine] = []
    more: list[tuple[str, str]] = []
    for kind in kinds:
        rows = list(kind.scheduled(now).soonest()[: MAX_SCHEDULED + 1])
        if len(rows) > MAX_SCHEDULED:
            more.append(_list_of(kind, "scheduled"))
        lines += [_line(row) for row in rows[:MAX_SCHEDULED]]
    if with_issues:
        lines += [_issue_line(issue) for issue in Issue.objects.scheduled(now)[:MAX_SCHEDULED]]
    return Schedule(_days(lines, midnight(now)), more)


def _days(lines: list[ScheduleLine], today: datetime) -> list[ScheduleDay]:
    """The lines by day; today is included even without a line."""
    lines.sort(key=attrgetter("moment"))
    found = {day: list(each) for day, each in groupby(lines, lambda line: midnight(line.moment))}
    names = {today: "Today", today + DAY: "Tomorrow"}
    return [
        ScheduleDay(names.get(day, f"{day:%A} {day.day} {day:%B %Y}"), found.get(day, []))
        for day in sorted({today, *found})
    ]


def count_drafts(kinds: Sequence[ContentQuerySet]) -> list[DraftCount]:
    """The number of drafts of each kind that has some; one query for each."""
    counts = [DraftCount(*_list_of(kind, "draft"), kind.draft().count()) for kind in kinds]
    return [each for each in counts if each.number]


def _list_of(kind: ContentQuerySet, state: str) -> tuple[str, str]:
    """The plural name of a kind, and the URL of the list of its rows in a state."""
    url = f"{screen_url(kind.model, 'changelist')}?state={state}"
    return capfirst(str(kind.model._meta.verbose_name_plural)), url


def _line(row: Publishable) -> ScheduleLine:
    assert row.published_at  # noqa: S101 - for the type checker
    url = screen_url(type(row), "change", row.pk)
    return ScheduleLine(capfirst(str(row._meta.verbose_name)), name_of(row), row.published_at, url)


def _issue_line(issue: Issue) -> ScheduleLine:
    assert issue.scheduled_at  # noqa: S101 - for the type checker
    url = screen_url(Issue, "change", issue.pk)
    return ScheduleLine("Issue", f"No. {issue.number}: {issue.subject}", issue.scheduled_at, url)
