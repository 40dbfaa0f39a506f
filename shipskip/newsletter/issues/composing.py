"""Compose an issue: its time window, its entries by rule, and its subject."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max

from shipskip.newsletter.issues import digest, digest_queries
from shipskip.newsletter.issues.entry_facts import Facts, facts_of
from shipskip.newsletter.models import EntryKind, Issue, IssueEntry
from tools.models import Tool

FIRST_WINDOW = timedelta(days=7)
"""The time window of the very first issue."""
ISSUES_BETWEEN_DIVIDED = 4
"""A tool listed as most divided is not listed so again in this many issues."""
LONGEST_SUBJECT = 78


class OpenIssueError(Exception):
    """The last issue is not sent or cancelled yet; the next one starts where it ends."""

    def __init__(self, issue: Issue) -> None:
        super().__init__(f"{issue} is still {issue.state}")
        self.issue = issue


def window_start(now: datetime) -> datetime:
    """The start of the next issue: the end of the last one that was not cancelled."""
    last = Issue.objects.filter(cancelled_at=None).aggregate(end=Max("until"))["end"]
    return last or now - FIRST_WINDOW


def compose(now: datetime) -> Issue | None:
    """Create a draft from what was published since the last issue; None if it would be empty.

    Raises OpenIssueError while another is open, and IntegrityError when two compose at once.
    """
    with transaction.atomic():
        # `schedule.undo_cancel` locks the last issue too, so that only one of the two succeeds.
        Issue.objects.order_by("-number").select_for_update().first()
        if issue := Issue.objects.filter(cancelled_at=None, sent_at=None).first():
            raise OpenIssueError(issue)
        since = window_start(now)
        chosen = _choose_entries(since, now)
        if not chosen:
            return None
        number = (Issue.objects.aggregate(last=Max("number"))["last"] or 0) + 1
        day = Issue.objects.free_date(now.date())
        issue = Issue.objects.create(number=number, date=day, subject="-", since=since, until=now)
        _save_entries(issue, chosen, now)
    return issue


def choose_again(issue: Issue, now: datetime) -> bool:
    """Choose the entries again by rule, up to `now`.

    Subject and introduction stay; the replaced entries are stored for `undo_choice`. Returns False
    and changes nothing if the issue would be empty.
    """
    with transaction.atomic():
        chosen = _choose_entries(issue.since, now)
        if not chosen:
            return False
        _replace_entries(issue, now)
        _save_entries(issue, chosen, now, keep_subject=True)
    return True


def undo_choice(issue: Issue) -> bool:
    """Swap the entries with those from before the last `choose_again`; a second call undoes the
    first. Return False if they were never chosen again.
    """
    with transaction.atomic():
        row = Issue.objects.select_for_update().get(pk=issue.pk)
        before = row.replaced_selection
        if before is None or row.frozen_at or row.cancelled_at:
            return False
        _replace_entries(row, datetime.fromisoformat(before["until"]))
        used = {entry["tool_id"] for entry in before["entries"]}
        used |= {entry["other_id"] for entry in before["entries"]}
        exist = {None, *Tool.everything.filter(pk__in=used - {None}).values_list("pk", flat=True)}
        IssueEntry.objects.bulk_create(
            IssueEntry(issue=row, **entry)
            for entry in before["entries"]
            if {entry["tool_id"], entry["other_id"]} <= exist
        )
    return True


def _replace_entries(issue: Issue, until: datetime) -> None:
    """Remove the entries, store them as the replaced ones, and set the end of the time window."""
    columns = ("kind", "tool_id", "other_id", "position", "dropped")
    issue.replaced_selection = {
        "until": issue.until.isoformat(),
        "entries": list(issue.entries.values(*columns)),
    }
    issue.entries.all().delete()
    issue.until = until
    issue.save(update_fields=["until", "replaced_selection"])


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


def _save_entries(
    issue: Issue, chosen: Sequence[digest.ChosenEntry], now: datetime, *, keep_subject: bool = False
) -> None:
    """Save the entries of an issue, and its subject unless `keep_subject`."""
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
    if not keep_subject:
        issue.subject = subject_of([facts for _, facts in facts_of(issue, now)])
        issue.save(update_fields=["subject"])


_WORDS = {"ship": "ship", "skip": "skip", "split": "split", "none": "no verdict"}


def subject_of(parts: Sequence[Facts]) -> str:
    """A subject of at most LONGEST_SUBJECT characters: the first verdicts, and how many more.

    Example: `Cursor: ship; Devin: skip; and 3 more verdicts`.
    """
    judged = [
        part for part in parts if part["kind"] in (digest.NEW_VERDICT, digest.CHANGED_VERDICT)
    ]
    verdicts = []
    for part in judged:
        tool = part["tools"][0]
        now = "now " if part["kind"] == digest.CHANGED_VERDICT else ""
        verdicts.append(f"{tool['title']}: {now}{_WORDS[tool['verdict']]}")
    for shown in range(min(3, len(verdicts)), 0, -1):
        more = len(verdicts) - shown
        rest = [f"and {more} more verdict{'' if more == 1 else 's'}"] if more else []
        subject = "; ".join([*verdicts[:shown], *rest])
        if len(subject) <= LONGEST_SUBJECT:
            return subject
    number = len(verdicts)
    return f"{number} verdict{'' if number == 1 else 's'} of the week" if number else "The week"
