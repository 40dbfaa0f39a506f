"""What is deleted after which time; docs/operations.md has the table of ages."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.sessions.models import Session

from comparisons.models import STORAGE_PERIOD, DayReads
from reviews import voting
from reviews.network_limits import erase_old_network_hashes
from shipskip.desk import uploads
from shipskip.limits import daily_hashes
from shipskip.limits.act_limits import delete_old_counts
from shipskip.newsletter import retention
from shipskip.programs.pictures import storage as pictures
from shipskip.reports import retention as reports

LOGIN_ATTEMPTS = timedelta(days=7)


def delete_sessions(now: datetime) -> int:
    """Delete expired sessions; return how many."""
    return Session.objects.filter(expire_date__lt=now).delete()[0]


def delete_login_attempts(now: datetime) -> int:
    """Delete django-axes' log of logins, with addresses and browsers; return how many."""
    tables = (AccessAttempt, AccessLog, AccessFailureLog)
    old = [table.objects.filter(attempt_time__lte=now - LOGIN_ATTEMPTS) for table in tables]
    return sum(rows.delete()[0] for rows in old)


TASKS: list[tuple[str, timedelta, Callable[[datetime], int]]] = [
    ("salts of network hashes", daily_hashes.SALT_LIFETIME, daily_hashes.destroy_old_salts),
    (
        "network hashes of votes",
        daily_hashes.SALT_LIFETIME,
        erase_old_network_hashes,
    ),
    ("ids of visitors at votes, and bookmarks", voting.GONE_AFTER, voting.forget_gone),
    ("counts of limits", timedelta(0), delete_old_counts),
    ("login attempts", LOGIN_ATTEMPTS, delete_login_attempts),
    ("expired sessions", timedelta(0), delete_sessions),
    ("uploaded files", uploads.MAX_AGE, uploads.delete_expired),
    ("pictures above 512 MB", timedelta(0), pictures.delete_oldest),
    ("unconfirmed addresses", retention.UNCONFIRMED, retention.delete_unconfirmed),
    ("confirmation mails", retention.UNCONFIRMED, retention.delete_confirmations),
    ("ended subscriptions", retention.ENDED, retention.delete_ended),
    ("deliveries of issues", retention.DELIVERIES, retention.delete_deliveries),
    ("reads of comparisons", STORAGE_PERIOD, DayReads.objects.delete_old),
    ("what reporters wrote", reports.DECIDED, reports.delete_words),
    ("undecided reports", reports.UNDECIDED, reports.delete_undecided),
    ("views of addresses", retention.ADDRESS_VIEWS, retention.delete_address_views),
]
"""What is deleted, after which time, and by which function."""


@dataclass(frozen=True)
class Deleted:
    """How many rows of one kind were deleted."""

    rows: int
    what: str
    age: timedelta


def tidy(now: datetime) -> Iterator[Deleted]:
    """Delete what is older than its age. Concurrent runs are safe."""
    for what, age, clear in TASKS:
        yield Deleted(clear(now), what, age)


def age_text(age: timedelta) -> str:
    """An age as the table in docs/operations.md states it."""
    hours = age // timedelta(hours=1)
    if not hours:
        return "at once"
    return f"{hours} h" if hours <= 48 else f"{age.days} days"
