"""The moment an issue is fixed: its words, and who gets it. After it neither changes."""

from datetime import datetime

from django.db import connection, transaction

from shipskip.newsletter.issues.contents import Facts, facts_of
from shipskip.newsletter.issues.letters import html_of, letter_of
from shipskip.newsletter.issues.plain_text import text_of
from shipskip.newsletter.models import DeliveryState, Issue, IssueEntry, SubscriberState

_INSERT = """
INSERT INTO newsletter_delivery
  (issue_id, subscriber_id, state, attempts, next_at, reason, claimed_by, message_id)
SELECT %s, id, %s, 0, %s, '', '', '' FROM newsletter_subscriber WHERE state = %s ORDER BY id
"""


def freeze(pk: int, now: datetime) -> Issue | None:
    """Fix the issue if it is due at `now`; None when it is not, or was fixed by another.

    One transaction: an issue has all its deliveries or none. An issue that has nothing to tell
    any more is cancelled instead, and comes back so.
    """
    with transaction.atomic():
        issue = Issue.objects.due(now).select_for_update().filter(pk=pk).first()
        if issue is None:
            return None
        kept = facts_of(issue, now)
        if not kept:
            issue.cancelled_at = now
            issue.save(update_fields=["cancelled_at"])
            return issue
        _fix_words(issue, kept)
        issue.frozen_at = now
        issue.recipients = _fix_recipients(issue, now)
        words = ["frozen_subject", "html", "text"]
        issue.save(update_fields=[*words, "frozen_at", "recipients"])
        return issue


def _fix_words(issue: Issue, kept: list[tuple[IssueEntry, Facts]]) -> None:
    """Fix the subject, both bodies and the facts; entries that lost their tool are dropped."""
    for entry, facts in kept:
        entry.facts = facts
    IssueEntry.objects.bulk_update([entry for entry, _ in kept], ["facts"])
    issue.entries.exclude(pk__in=[entry.pk for entry, _ in kept]).update(dropped=True)
    letter = letter_of(issue, [facts for _, facts in kept])
    issue.frozen_subject = issue.subject
    issue.html, issue.text = html_of(letter), text_of(letter)


def _fix_recipients(issue: Issue, now: datetime) -> int:
    """A delivery for each confirmed subscriber of this moment; how many.

    One statement within the database: row by row from here, a hundred thousand would keep SQLite's
    one writer for longer than a vote waits.
    """
    moment = connection.ops.adapt_datetimefield_value(now)
    values = (issue.pk, DeliveryState.WAITING.value, moment, SubscriberState.CONFIRMED.value)
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, values)
        return int(cursor.rowcount)
