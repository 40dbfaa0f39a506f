"""Scheduled rows by day, in the editor's time zone, and drafts by age."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby, pairwise

from django.urls import reverse
from django.utils import timezone

from shipskip.desk.content_models import ContentModel, RowName
from shipskip.newsletter.models import Issue
from shipskip.web.publishing import Publishable

MAX_SCHEDULED = 20
"""Maximum number of rows of each model in the schedule; the earliest are shown."""
MAX_DRAFTS = 10
DAY = timedelta(days=1)


@dataclass(frozen=True)
class ScheduleLine:
    """A row with its date and the URL of its form; an issue has a title instead of a name."""

    kind: str
    named: RowName | None
    moment: datetime | None
    url: str
    title: str = ""


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
class Ages:
    """Numbers of a model's drafts: started today, this week, this month, earlier, total."""

    kind: str
    url: str
    counts: Sequence[int]


def midnight(now: datetime) -> datetime:
    """The start of the day in the editor's zone."""
    return timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)


def schedule(models: Sequence[ContentModel], now: datetime, *, with_issues: bool) -> Schedule:
    """All rows scheduled after `now`; one query for each model, and one for the issues."""
    lines: list[ScheduleLine] = []
    more: list[tuple[str, str]] = []
    for content in models:
        rows = list(content.named_rows().scheduled(now).soonest()[: MAX_SCHEDULED + 1])
        if len(rows) > MAX_SCHEDULED:
            more.append((content.label_plural, content.url_of_state("scheduled")))
        lines += [_line(content, row, row.published_at) for row in rows[:MAX_SCHEDULED]]
    if with_issues:
        lines += [_issue_line(issue) for issue in Issue.objects.scheduled(now)[:MAX_SCHEDULED]]
    return Schedule(_days(lines, midnight(now)), more)


def _days(lines: list[ScheduleLine], today: datetime) -> list[ScheduleDay]:
    """The lines by day; today is included even without a line."""
    lines.sort(key=_moment)
    found = {day: list(each) for day, each in groupby(lines, lambda line: midnight(_moment(line)))}
    names = {today: "Today", today + DAY: "Tomorrow"}
    return [
        ScheduleDay(names.get(day, f"{day:%A} {day.day} {day:%B %Y}"), found.get(day, []))
        for day in sorted({today, *found})
    ]


def _moment(line: ScheduleLine) -> datetime:
    """The sort key of a line: its date; lines without a date come first."""
    return line.moment or datetime.min.replace(tzinfo=UTC)


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


def oldest_drafts(models: Sequence[ContentModel]) -> list[ScheduleLine]:
    """The oldest drafts, those without a start date first."""
    found = [
        _line(content, row, row.begun_at)
        for content in models
        for row in content.named_rows().draft().with_beginning().oldest_first()[:MAX_DRAFTS]
    ]
    found.sort(key=_moment)
    return found[:MAX_DRAFTS]


def _line(content: ContentModel, row: Publishable, moment: datetime | None) -> ScheduleLine:
    return ScheduleLine(content.label, content.name(row), moment, content.url("change", row.pk))


def _issue_line(issue: Issue) -> ScheduleLine:
    url = reverse("admin:newsletter_issue_change", args=[issue.pk])
    return ScheduleLine(
        "Issue", None, issue.scheduled_at, url, f"No. {issue.number}: {issue.subject}"
    )
