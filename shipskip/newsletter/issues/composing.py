"""Compose an issue: its time window, its entries by rule, and its subject."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import F, Max

from shipskip.editing.moments import moment_in_words
from shipskip.newsletter.issues import digest, digest_queries
from shipskip.newsletter.issues.entry_facts import Facts, facts_of
from shipskip.newsletter.issues.mail_rendering import VERDICTS
from shipskip.newsletter.models import EntryKind, Issue, IssueEntry

DRAFT_WEEKDAY, DRAFT_HOUR = 0, 6
DRAFT_DAY = "Monday after 06:00 UTC"
"""When `manage.py newsletter` makes the week's draft; documents and the desk name it so."""
FIRST_WINDOW = timedelta(days=7)
"""The time window of the very first issue."""
ISSUES_BETWEEN_DIVIDED = 4
"""A tool listed as most divided is not listed so again in this many issues."""
LONGEST_SUBJECT = 78


class NoIssueError(Exception):
    """No issue was made: the message says why, and `issue` is one that has to be finished first."""

    def __init__(self, reason: str, issue: Issue | None = None) -> None:
        super().__init__(reason)
        self.issue = issue


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    try:
        with transaction.atomic():
            yield
    except IntegrityError:
        reason = "A colleague made an issue at the same time: try again."
        raise NoIssueError(reason) from None


def window_start(now: datetime) -> datetime:
    """The start of the next issue: the end of the last one that was not cancelled."""
    last = Issue.objects.filter(cancelled_at=None).aggregate(end=Max("until"))["end"]
    return last or now - FIRST_WINDOW


def is_draft_due(now: datetime) -> bool:
    """Whether it is the day of the week's draft, and no issue was made since its hour."""
    start = now.replace(hour=DRAFT_HOUR, minute=0, second=0, microsecond=0)
    is_day = now.weekday() == DRAFT_WEEKDAY and now >= start
    return is_day and not Issue.objects.filter(until__gte=start).exists()


def compose(now: datetime) -> Issue:
    """Create a draft from what was published since the last issue.

    Raises NoIssueError if it would be empty, while another is open, and when two compose at once.
    """
    with _one_at_a_time():
        by_rule = Issue.objects.exclude(since=F("until"))
        if issue := by_rule.filter(cancelled_at=None, sent_at=None).first():
            raise NoIssueError(f"{issue} is still {issue.state}: finish or cancel it first.", issue)
        since = window_start(now)
        chosen = _choose_entries(since, now)
        if not chosen:
            words = moment_in_words(since)
            raise NoIssueError(f"No new and no changed verdicts since {words}: no issue is made.")
        day = Issue.objects.free_date(now.date())
        issue = Issue.objects.create(
            number=_next_number(), date=day, subject="-", since=since, until=now
        )
        _save_entries(issue, chosen)
    return issue


def compose_own(now: datetime, subject: str, introduction: str = "") -> Issue:
    """Create a draft of an editor's own text: it covers no time, so that the next issue by rule
    misses nothing. It may be made beside another open issue. Raises NoIssueError when two compose
    at once.
    """
    with _one_at_a_time():
        start, day = window_start(now), Issue.objects.free_date(now.date())
        texts = {"subject": subject, "introduction": introduction}
        return Issue.objects.create(
            number=_next_number(), date=day, since=start, until=start, **texts
        )


def _next_number() -> int:
    return (Issue.objects.aggregate(last=Max("number"))["last"] or 0) + 1


def _choose_entries(since: datetime, until: datetime) -> list[digest.ChosenEntry]:
    recent = Issue.objects.filter(cancelled_at=None, until__lte=since).order_by("-until")
    divided = IssueEntry.objects.filter(
        kind=EntryKind.MOST_DIVIDED, dropped=False, issue__in=list(recent[:ISSUES_BETWEEN_DIVIDED])
    )
    return digest.choose(
        digest_queries.candidates(since, until),
        digest_queries.verdict_changes(since, until),
        since,
        until,
        recently_divided=set(divided.values_list("tool_id", flat=True)),
    )


def _save_entries(issue: Issue, chosen: Sequence[digest.ChosenEntry]) -> None:
    """Save the entries of an issue, and its subject."""
    IssueEntry.objects.bulk_create(
        IssueEntry(
            issue=issue,
            kind=part.kind,
            tool_id=part.tools[0],
            other_id=part.tools[1] if len(part.tools) > 1 else None,
            position=place,
        )
        for place, part in enumerate(chosen, 1)
    )
    issue.subject = subject_of([facts for _, facts in facts_of(issue)])
    issue.save(update_fields=["subject"])


def subject_of(parts: Sequence[Facts]) -> str:
    """A subject of at most LONGEST_SUBJECT characters: the first verdicts, and how many more.

    Example: `Cursor: ship; Devin: skip; and 3 more verdicts`.
    """
    judged = [
        part for part in parts if part["kind"] in (EntryKind.NEW_VERDICT, EntryKind.CHANGED_VERDICT)
    ]
    verdicts = []
    for part in judged:
        tool = part["tools"][0]
        now = "now " if part["kind"] == EntryKind.CHANGED_VERDICT else ""
        verdicts.append(f"{tool['title']}: {now}{VERDICTS[tool['verdict']].lower()}")
    for shown in range(min(3, len(verdicts)), 0, -1):
        more = len(verdicts) - shown
        rest = [f"and {more} more verdict{'' if more == 1 else 's'}"] if more else []
        subject = "; ".join([*verdicts[:shown], *rest])
        if len(subject) <= LONGEST_SUBJECT:
            return subject
    number = len(verdicts)
    return f"{number} verdict{'' if number == 1 else 's'} of the week" if number else "The week"
