"""`move_database` to PostgreSQL and back: no row is lost, and no key is given twice."""

import shutil
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from reviews import voting
from reviews.models import VoteEvent
from shipskip.limits.models import DailySalt
from shipskip.newsletter.models import Delivery, Subscriber
from tests import factories as make
from tests.deploy.production_site import database
from tests.everything import ready_postgres
from tests.migrated_database import migrated_file
from tests.operations.sites import Site, temporary_site
from tests.stress_site import environment, manage
from tools.models import Bookmark, Tool

MARKED = [
    *("reviews_vote", "reviews_voteevent", "tools_bookmark", "newsletter_subscriber"),
    *("newsletter_delivery", "limits_dailysalt", "auth_user", "search_synonym"),
]


JSON = "newsletter_issueentry"


def without(table: str, content: dict[str, list[str]]) -> dict[str, list[str]]:
    """All other tables."""
    return {name: rows for name, rows in content.items() if name != table}


def fill() -> int:
    """A row in the tables that a catalogue document leaves out; the key of a deleted event."""
    now = timezone.now()
    tool = Tool.objects.order_by("pk")[0]
    Bookmark.objects.create(visitor=uuid4(), tool=tool, saved_at=now)
    make.subscriber(address="reader@example.org")
    issue = make.sent_issue(about=tool)
    for subscriber in Subscriber.objects.all():
        Delivery.objects.get_or_create(issue=issue, subscriber=subscriber)
    voting.cast(tool, uuid4(), "ship", "198.51.100.0/24", now)
    DailySalt.objects.create(day=(now - timedelta(days=1)).date(), salt=bytes(range(32)))
    User.objects.get(username="editor").set_password("a long one")
    last = VoteEvent.objects.order_by("pk").last()
    assert last
    key = last.pk
    last.delete()
    return key


@pytest.mark.skipif(bool(ready_postgres()), reason="there is no PostgreSQL")
def test_everything_moves_to_postgresql_and_back(
    django_db_setup, django_db_blocker, tmp_path: Path
):
    copy = tmp_path / "copy.sqlite3"
    with (
        django_db_blocker.unblock(),
        temporary_site(tmp_path) as site,
        database(tmp_path, "postgresql") as url,
    ):
        key = site.run(fill)
        before = site.content()
        assert all(before[table] for table in MARKED)
        there = manage(environment(site.url), "move_database", url).stdout
        assert "checksums of every table are the same" in there
        again = manage(environment(site.url), "move_database", url, must=False)
        assert "the target has rows already" in again.stderr

        shutil.copyfile(migrated_file(), copy)
        back = manage(environment(url), "move_database", f"sqlite:///{copy}").stdout
        assert back.splitlines()[:-1] == there.splitlines()[:-1]  # counts and checksums
        moved = Site(f"sqlite:///{copy}")
        # PostgreSQL sorts the keys of JSON; the checksums have compared its values.
        assert without(JSON, moved.content()) == without(JSON, before)
        assert "Every tally agrees" in moved.manage("recount", "--check")
        assert "SmolLM3" in moved.page("/search/?q=smollm3")
        assert moved.run(vote) > key


def vote() -> int:
    """The key of a new event."""
    voting.cast(Tool.objects.all()[0], uuid4(), "ship", "198.51.100.0/24", timezone.now())
    return VoteEvent.objects.order_by("-pk")[0].pk
