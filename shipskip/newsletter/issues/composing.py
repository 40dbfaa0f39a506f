"""A new issue: its window, what stands in it by rule, and its subject."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max

from shipskip.newsletter.issues import digest, digest_queries
from shipskip.newsletter.issues.contents import Facts, facts_of
from shipskip.newsletter.models import EntryKind, Issue, IssueEntry

FIRST_WINDOW = timedelta(days=7)
"""What the very first issue looks back on."""
TURNS_OF_DIVIDED = 4
"""Issues for which a tool named as the most divided is not named again."""
LONGEST_SUBJECT = 78


class OpenIssueError(Exception):
    """An issue is still being edited, scheduled or sent; the next one begins where it ends."""

    def __init__(self, issue: Issue) -> None:
        super().__init__(f"{issue} is still {issue.state}")
        self.issue = issue


def window_start(now: datetime) -> datetime:
    """Where the next issue begins: at the end of the last one that was not cancelled."""
    last = Issue.objects.filter(cancelled_at=None).aggregate(end=Max("until"))["end"]
    return last or now - FIRST_WINDOW


def compose(now: datetime) -> Issue | None:
    """A draft of what was published since the last issue; None when there is nothing to tell.

    Raises OpenIssueError while another is open, and IntegrityError when two compose at once.
    """
    with transaction.atomic():
        waiting = Issue.objects.filter(cancelled_at=None, sent_at=None)
        if issue := waiting.select_for_update().first():
            raise OpenIssueError(issue)
        since = window_start(now)
        chosen = _choice(since, now)
        if not chosen:
            return None
        number = (Issue.objects.aggregate(last=Max("number"))["last"] or 0) + 1
        day = Issue.objects.free_date(now.date())
        issue = Issue.objects.create(number=number, date=day, subject="-", since=since, until=now)
        _fill(issue, chosen, now)
    return issue


def choose_again(issue: Issue, now: datetime) -> bool:
    """Choose by rule once more, up to `now`; what an editor ordered and dropped is lost, the
    subject and the introduction stay. False, and nothing changed, when there is nothing to tell.
    """
    with transaction.atomic():
        chosen = _choice(issue.since, now)
        if not chosen:
            return False
        issue.entries.all().delete()
        issue.until = now
        issue.save(update_fields=["until"])
        _fill(issue, chosen, now, keep_subject=True)
    return True


def _choice(since: datetime, until: datetime) -> list[digest.Chosen]:
    lately = Issue.objects.filter(cancelled_at=None, until__lte=since).order_by("-until")
    divided = IssueEntry.objects.filter(
        kind=EntryKind.MOST_DIVIDED, dropped=False, issue__in=list(lately[:TURNS_OF_DIVIDED])
    )
    return digest.choose(
        digest_queries.judged(since, until),
        digest_queries.turns(since, until),
        since,
        until,
        lately_divided=set(divided.values_list("tool_id", flat=True)),
    )


def _fill(
    issue: Issue, chosen: Sequence[digest.Chosen], now: datetime, *, keep_subject: bool = False
) -> None:
    """Give an issue its entries, and a subject that tells the first of them."""
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
    """A subject in at most LONGEST_SUBJECT characters: the first verdicts, and how many more.

    As in `Cursor: ship; Devin: skip; and 3 more verdicts`.
    """
    news = [part for part in parts if part["kind"] in (digest.NEW, digest.CHANGED)]
    said = []
    for part in news:
        tool = part["tools"][0]
        now = "now " if part["kind"] == digest.CHANGED else ""
        said.append(f"{tool['title']}: {now}{_WORDS[tool['verdict']]}")
    for shown in range(min(3, len(said)), 0, -1):
        more = len(said) - shown
        rest = [f"and {more} more verdict{'' if more == 1 else 's'}"] if more else []
        subject = "; ".join([*said[:shown], *rest])
        if len(subject) <= LONGEST_SUBJECT:
            return subject
    number = len(said)
    return f"{number} verdict{'' if number == 1 else 's'} of the week" if number else "The week"
