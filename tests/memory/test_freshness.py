"""What is kept is what would be rendered: any change is seen at once by who looks."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from comparisons.models import Comparison
from reviews import ballot
from reviews.models import Reviewer, Take, ToolTally, VoteState
from shipskip.web.memory import counts
from shipskip.web.memory.knowledge import known
from shipskip.web.memory.middleware import memory
from tests import factories as make
from tests.reviews.voters import cast
from tests.site import addresses
from tools.models import Category, Tool

pytestmark = pytest.mark.usefixtures("page_memory")
PAIR = "/compare/alpha-vs-beta/"
MINUTE = timedelta(minutes=1)


def hits(client: Client, path: str) -> int:
    """How many of three requests for a path memory answers."""
    before = counts["hit"]
    for _ in range(3):
        client.get(path)
    return counts["hit"] - before


def assert_as_rendered(client: Client, path: str) -> bytes:
    """The page that memory gives is the one that would be rendered now."""
    given = client.get(path).content
    memory.plain.clear()
    assert client.get(path).content == given, path
    return given


def alpha() -> Tool:
    return Tool.objects.get(slug="alpha")


CHANGES = {
    "a take's score": lambda: Take.objects.filter(tool=alpha()).update(score=7),
    "a new take": lambda: make.take(on=alpha(), by=make.reviewer(name="Newcomer")),
    "a deleted take": lambda: Take.objects.filter(tool=alpha())[0].delete(),
    "a tool's name": lambda: Tool.objects.filter(slug="alpha").update(name="Renamed"),
    "a withdrawn tool": lambda: alpha().withdraw(timezone.now()),
    "a renamed slug": lambda: alpha().rename("omega"),
    "a category's name": lambda: Category.objects.update(name="Helpers"),
    "a reviewer's name": lambda: Reviewer.objects.filter(slug="builder").update(name="Maker"),
    "a comparison's summary": lambda: Comparison.objects.update(summary="Changed"),
    "rows written by hand": lambda: connection.cursor().execute(
        "UPDATE tools_tool SET name = 'By hand' WHERE slug = 'alpha'"
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_of_what_readers_see_is_seen(client, change):
    addresses.world()
    before = client.get(PAIR)
    assert hits(client, PAIR) == 3
    change()
    after = client.get(PAIR)
    assert (after.status_code, after.content) != (before.status_code, before.content)


def test_what_is_rolled_back_changes_nothing(client):
    addresses.world()
    before = client.get(PAIR).content
    with pytest.raises(ZeroDivisionError):
        roll_back()
    assert hits(client, PAIR) == 3
    assert client.get(PAIR).content == before


def roll_back() -> None:
    with transaction.atomic():
        Tool.objects.update(name="Never")
        1 / 0  # noqa: B018


@pytest.mark.parametrize("kind", ["tool", "comparison", "take", "category", "reviewer"])
def test_a_scheduled_moment_that_passes_is_seen(client, clock, kind):
    addresses.world()
    models: dict[str, Any] = {"tool": Tool, "comparison": Comparison, "take": Take}
    models |= {"category": Category, "reviewer": Reviewer}
    now = timezone.now()
    clock(now)
    models[kind].objects.update(published_at=now + MINUTE)
    before = client.get("/sitemap.xml")
    client.get(PAIR)
    assert hits(client, "/sitemap.xml") == 3
    version = known.version
    clock(now + 2 * MINUTE)
    assert hits(client, "/sitemap.xml") == 2
    assert known.version is not version
    assert client.get(PAIR).status_code == 200
    assert before.status_code == 200


def test_nothing_is_made_anew_while_nothing_changes(client):
    addresses.world()
    for path in addresses.PUBLIC.values():
        client.get(path)
    version, misses = known.version, counts["miss"]
    for name, path in addresses.PUBLIC.items():
        assert name == "favicon" or hits(client, path) == 3, name
    assert (known.version, counts["miss"]) == (version, misses)


def test_a_vote_after_a_quiet_minute_is_seen_at_once_on_every_page(client):
    addresses.world()
    before = {path: client.get(path).content for path in addresses.PUBLIC.values()}
    for tool in Tool.objects.all():
        cast(tool, "ship")
    given = {path: client.get(path).content for path in before}
    memory.plain.clear()
    assert {path: client.get(path).content for path in before} == given
    changed = {path for path in before if given[path] != before[path]}
    assert changed == {PAIR, "/tools/alpha/", "/methodology/"}


def test_a_storm_of_votes_is_shown_once_a_minute_and_its_last_vote_too(client, clock, settings):
    settings.VOTES_PER_NETWORK_PER_DAY = 1000
    addresses.world()
    now = timezone.now()
    shown = []
    for second in range(150):
        clock(now + timedelta(seconds=second))
        if second < 70:
            cast(alpha(), "ship")
        misses = counts["miss"]
        client.get("/tools/alpha/")
        if counts["miss"] > misses:
            shown.append(second)
    assert shown == [0, 60, 120]
    assert b"70 votes" in client.get("/tools/alpha/").content
    assert_as_rendered(client, "/tools/alpha/")


def test_a_number_of_all_votes_is_made_anew_once_a_minute(client, clock):
    addresses.world()
    tools, now = list(Tool.objects.all()), timezone.now()
    shown = []
    for second in range(0, 130, 5):
        clock(now + timedelta(seconds=second))
        if second < 65:
            tool = tools[(second // 5) % 3]
            cast(tool, "ship")
        misses = counts["miss"]
        client.get("/methodology/")
        if counts["miss"] > misses:
            shown.append(second)
    assert shown == [0, 60, 120]
    assert_as_rendered(client, "/methodology/")


def test_a_vote_on_one_tool_leaves_the_pages_of_others(client):
    addresses.world()
    client.get("/tools/beta/")
    cast(alpha(), "skip")
    assert hits(client, "/tools/beta/") == 3


def test_what_an_editor_or_a_recount_does_to_votes_is_seen(client, settings):
    settings.VOTES_PER_NETWORK_PER_DAY = 0
    addresses.world()
    cast(alpha(), "ship")
    held = client.get("/tools/alpha/").content
    ToolTally.objects.update(joins_at=timezone.now() - 2 * MINUTE)
    vote = alpha().votes.get()
    assert vote.state == VoteState.HELD
    ballot.decide([vote.pk], VoteState.COUNTED, "seen", timezone.now())
    assert client.get("/tools/alpha/").content != held
    ToolTally.objects.update(ship=9, joins_at=timezone.now() - 2 * MINUTE)
    ballot.recount(alpha().pk)
    assert b"1 ship / 0 skip" in assert_as_rendered(client, "/tools/alpha/")


def test_a_vote_that_is_stored_after_a_look_is_not_overlooked(client):
    """It was counted before the look and is stored after it, with the same moment to join."""
    addresses.world()
    cast(alpha(), "ship")
    assert b"1 ship / 0 skip" in client.get("/tools/alpha/").content
    ToolTally.objects.update(ship=2)
    assert b"2 ship / 0 skip" in client.get("/tools/alpha/").content


def test_a_clock_that_was_wrong_delays_no_vote_for_more_than_a_minute():
    now = timezone.now()
    row = ToolTally(joins_at=now + timedelta(days=1))
    assert row.next_joining(now) == now + MINUTE
