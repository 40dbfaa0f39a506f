"""`tidy` deletes what is older than its documented age, and prints the numbers."""

import os
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.utils import timezone

from comparisons.models import DayReads
from reviews import voting
from reviews.models import Vote, VoteEvent
from shipskip.limits.models import ActCount, DailySalt
from shipskip.newsletter.models import (
    COMPLAINED,
    AddressLook,
    Confirmation,
    Delivery,
    ForgottenAddress,
    Issue,
    Subscriber,
)
from shipskip.newsletter.subscribers import subscription
from shipskip.operations.tidying import TASKS, age_text
from shipskip.programs.pictures.storage import MAX_STORED_BYTES
from tests import factories as make
from tests.source_files import ROOT
from tools.models import Bookmark

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def tidy() -> dict[str, int]:
    """The numbers of deleted rows and files, by kind, as the command prints them."""
    out = StringIO()
    call_command("tidy", stdout=out)
    return {
        what: int(number)
        for number, what in (
            row.split(" (")[0].split(maxsplit=1) for row in out.getvalue().splitlines()
        )
    }


def login_attempt(moment: datetime) -> None:
    """A row in each table of django-axes."""
    for number, table in enumerate((AccessAttempt, AccessLog, AccessFailureLog)):
        more = {"failures_since_start": 1} if table is AccessAttempt else {}
        row = table.objects.create(username=f"ada {number}", user_agent=str(moment), **more)
        table.objects.filter(pk=row.pk).update(attempt_time=moment)


def upload(folder, moment: datetime) -> None:
    path = folder / "uploads" / uuid4().hex
    path.parent.mkdir(exist_ok=True)
    path.touch()
    os.utime(path, (moment.timestamp(), moment.timestamp()))


def picture(folder: Path, moment: datetime) -> None:
    """A drawn picture, half as large as all may be together."""
    path = folder / "pictures" / f"{moment:%s}.png"
    path.parent.mkdir(exist_ok=True)
    path.touch()
    os.truncate(path, MAX_STORED_BYTES // 2 + 1)
    os.utime(path, (moment.timestamp(), moment.timestamp()))


def delivery(moment: datetime) -> None:
    """A mail of an issue that was sent at that moment, to a current subscriber."""
    issue = make.issue(sent_at=moment, frozen_at=moment, until=moment)
    reader = make.subscriber()
    Delivery.objects.create(issue=issue, subscriber=reader, state="sent", finished_at=moment)


@pytest.fixture
def row_factories(settings, tmp_path) -> dict[str, Callable[[datetime], object]]:
    """Functions that create each kind of deleted thing, at a moment."""
    settings.VAR_DIR = tmp_path
    tool = make.tool()
    return {
        "network hashes of votes": lambda at: voting.cast(
            tool, uuid4(), "ship", "203.0.113.0/24", at
        ),
        "ids of visitors at votes, and bookmarks": lambda at: Bookmark.objects.create(
            visitor=uuid4(), tool=tool, saved_at=at
        ),
        "counts of limits": lambda at: ActCount.objects.create(
            kind="x", key=uuid4().hex, until=at, acts=1
        ),
        "login attempts": login_attempt,
        "expired sessions": lambda at: Session.objects.create(
            session_key=uuid4().hex, expire_date=at
        ),
        "uploaded files": lambda at: upload(tmp_path, at),
        "pictures above 512 MB": lambda at: picture(tmp_path, at),
        "unconfirmed addresses": lambda at: make.subscriber(state="waiting", joined_at=at),
        "confirmation mails": lambda at: make.confirmation(
            to=make.subscriber(), asked_at=at, ended_at=at
        ),
        "ended subscriptions": lambda at: make.subscriber(state="left", ended_at=at),
        "deliveries of issues": delivery,
        "reads of comparisons": lambda at: DayReads.objects.add({(at.date(), str(tool.pk)): 1}),
        "what reporters wrote": lambda at: make.report(
            decision=make.decision(decided_at=at), reported_at=at - DAY
        ),
        "undecided reports": lambda at: make.report(reported_at=at),
        "views of addresses": lambda at: AddressLook.objects.create(who_then="editor", at=at),
    }


@pytest.mark.both_databases
def test_only_what_is_old_is_deleted_and_a_second_run_finds_nothing(row_factories, tmp_path):
    now = timezone.now()
    for what, age, _ in TASKS:
        if what in row_factories:
            row_factories[what](now - age / 2 + timedelta(hours=1))
            row_factories[what](now - age - DAY)
    expected = dict.fromkeys((what for what, _, _ in TASKS), 1) | {"login attempts": 3}
    expected["counts of limits"] = 3  # of both votes too
    assert tidy() == expected
    assert set(tidy().values()) == {0}
    left = [AccessAttempt, AccessLog, AccessFailureLog, Session, ActCount, Confirmation]
    left += [Delivery, AddressLook, DailySalt]
    assert {table: table.objects.count() for table in left} == dict.fromkeys(left, 1)
    assert len(list((tmp_path / "uploads").iterdir())) == 1
    assert VoteEvent.objects.exclude(network="").count() == 1
    assert Vote.objects.count() == 2
    states = sorted(Subscriber.objects.values_list("state", flat=True))
    assert states == ["confirmed"] * 4 + ["left", "waiting"]


def test_mails_of_an_issue_that_is_being_sent_stay_and_a_sent_one_keeps_its_count():
    delivery(timezone.now() - 91 * DAY)
    sent_at = Issue.objects.get().sent_at
    for moment, deleted in ((None, 0), (sent_at, 1)):
        Issue.objects.update(sent_at=moment)
        assert tidy()["deliveries of issues"] == deleted
    assert Issue.objects.get().accepted == 1


def test_a_deleted_address_that_complained_gets_no_mail_and_one_that_joined_again_stays():
    old = timezone.now() - 91 * DAY
    reader = make.subscriber(state="refused", ended_at=old, ended_why=COMPLAINED)
    make.subscriber(state="refused", ended_at=old, ended_why="bounced")
    again = make.subscriber(state="waiting", joined_at=timezone.now(), ended_at=old)
    assert tidy()["ended subscriptions"] == 2
    assert Subscriber.objects.get() == again
    assert ForgottenAddress.objects.count() == 1
    assert subscription.is_address_forgotten(reader.normalised)


def test_the_operators_page_states_the_ages_that_the_command_uses():
    text = (ROOT / "docs/operations.md").read_text().partition("## Tidying")[2].partition("## ")[0]
    stated = re.findall(r"^\| (.+) \| (.+) \|$", text, re.M)[1:]
    assert len(stated) == len(TASKS)
    for (sentence, age), (what, limit, _) in zip(stated, TASKS, strict=True):
        assert sentence.startswith(what)
        assert age == age_text(limit)
