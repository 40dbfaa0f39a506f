"""Create the snapshot of a due issue: its content and its recipients do not change any more."""

from datetime import datetime

from django.db import connection, transaction

from shipskip.newsletter.issues.entry_facts import Facts, facts_of
from shipskip.newsletter.issues.mail_rendering import issue_mail, render
from shipskip.newsletter.models import DeliveryState, Issue, IssueEntry, SubscriberState

_INSERT = """
INSERT INTO newsletter_delivery
  (issue_id, subscriber_id, state, attempts, next_at, reason, message_id)
SELECT %s, id, %s, 0, %s, '', '' FROM newsletter_subscriber WHERE state = %s ORDER BY id
"""


def create_snapshot(pk: int, now: datetime) -> Issue | None:
    """Create the snapshot if the issue is due at `now`; None if not, or if another process did it.

    Atomic: an issue has all its deliveries or none. An issue without any entry left, and one of
    an editor's own without any text, is cancelled instead and returned in that state.
    """
    with transaction.atomic():
        issue = Issue.objects.due(now).select_for_update().filter(pk=pk).first()
        if issue is None:
            return None
        entries = facts_of(issue)
        if not (entries or (issue.is_own and issue.introduction.strip())):
            issue.cancelled_at = now
            issue.save(update_fields=["cancelled_at"])
            return issue
        _save_content(issue, entries)
        issue.frozen_at = now
        issue.recipients = _create_deliveries(issue, now)
        content = ["frozen_subject", "html", "text"]
        issue.save(update_fields=[*content, "frozen_at", "recipients"])
        return issue


def _save_content(issue: Issue, entries: list[tuple[IssueEntry, Facts]]) -> None:
    """Store the subject, both bodies and the facts; remove entries without a public tool."""
    for entry, facts in entries:
        entry.facts = facts
    IssueEntry.objects.bulk_update([entry for entry, _ in entries], ["facts"])
    issue.entries.exclude(pk__in=[entry.pk for entry, _ in entries]).update(dropped=True)
    issue.frozen_subject = issue.subject
    issue.html, issue.text = render(issue_mail(issue, [facts for _, facts in entries]))


def _create_deliveries(issue: Issue, now: datetime) -> int:
    """Create a delivery for each currently confirmed subscriber and return how many.

    One INSERT … SELECT, because inserting 100,000 rows one by one would keep SQLite's write lock
    longer than a vote waits for it.
    """
    moment = connection.ops.adapt_datetimefield_value(now)
    values = (issue.pk, DeliveryState.WAITING.value, moment, SubscriberState.CONFIRMED.value)
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, values)
        return int(cursor.rowcount)
