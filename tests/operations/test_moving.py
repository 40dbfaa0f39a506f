"""`move_database` to SQLite and back: no row is lost, and no key is given twice."""

import shutil
from datetime import timedelta
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection, connections
from django.utils import timezone

from reviews import voting
from reviews.models import VoteEvent
from shipskip.limits.models import DailySalt
from shipskip.newsletter.models import Delivery, Subscriber
from shipskip.operations.management.commands.move_database import Command
from shipskip.page_cache.models import ContentVersion
from tests import factories as make
from tests.migrated_database import migrated_file
from tests.operations.sites import Site, temporary_site
from tests.shared_database import use
from tools.models import Bookmark, Tool

pytestmark = [
    pytest.mark.skipif(connection.vendor != "postgresql", reason="it moves between both databases"),
    pytest.mark.both_databases,
]
MARKED = """
reviews_vote reviews_voteevent tools_bookmark newsletter_subscriber
newsletter_delivery limits_dailysalt auth_user search_synonym
""".split()
MIGRATIONS: dict[str, list[str]] = {"django_migrations": []}  # one of them was undone


def fill() -> int:
    """A row in the tables that a catalogue document leaves out; the key of a deleted event."""
    now = timezone.now()
    tool = Tool.objects.order_by("pk")[0]
    Bookmark.objects.create(visitor=uuid4(), tool=tool, saved_at=now)
    make.subscriber(address="reader@example.org")
    issue = make.sent_issue(about=tool)
    for subscriber in Subscriber.objects.all():
        Delivery.objects.get_or_create(issue=issue, subscriber=subscriber)
    DailySalt.objects.create(day=(now - timedelta(days=1)).date(), salt=bytes(range(32)))
    User.objects.get(username="editor").set_password("a long one")
    key = vote()
    VoteEvent.objects.get(pk=key).delete()
    return key


def vote() -> int:
    """The key of a new event."""
    voting.cast(Tool.objects.all()[0], uuid4(), "ship", "198.51.100.0/24", timezone.now())
    return VoteEvent.objects.order_by("-pk")[0].pk


def current_version() -> int:
    """The number of the content version."""
    return ContentVersion.objects.get().number


def as_after_some_migrations() -> None:
    """Undo the migrations of one app, and make rows as a data migration does."""
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE django_session")
        cursor.execute("DELETE FROM django_migrations WHERE app = 'sessions'")
    make.attribute()


def move(site: Site, target: Site) -> list[str]:
    """The lines that the command prints: counts and checksums of tables, then a sentence."""
    target.run(as_after_some_migrations)
    lines = site.manage("move_database", target.url).splitlines()
    del connections["target"]
    assert "checksums of every table are the same" in lines[-1]
    return lines[:-1]


def in_this_process(command: Command, url: str, *arguments: str) -> None:
    """What the command does in a process of its own; the first move has shown that it does."""
    with use(url):
        call_command(*arguments, stdout=StringIO())


def test_everything_moves_to_sqlite_and_back(
    django_db_setup, django_db_blocker, tmp_path: Path, monkeypatch
):
    copy = tmp_path / "copy.sqlite3"
    with (
        django_db_blocker.unblock(),
        temporary_site(tmp_path) as site,
        temporary_site(tmp_path, full=False) as moved,
    ):
        shutil.copyfile(migrated_file(), copy)
        between = Site(f"sqlite:///{copy}")
        key = site.run(fill)
        before = site.content()
        assert all(before[table] for table in MARKED)
        there = move(site, between)
        monkeypatch.setattr(Command, "_in_target", in_this_process)
        assert there == move(between, moved)
        assert moved.content() | MIGRATIONS == before | MIGRATIONS
        assert moved.run(current_version) > between.run(current_version) > site.run(current_version)
        assert "the target has rows already" in between.refused("move_database", moved.url)
        assert "Every tally agrees" in moved.manage("recount", "--check")
        assert "SmolLM3" in moved.page("/search/?q=smollm3")
        assert moved.run(vote) > key
