"""The migration to groups of held votes, and back to the release before."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command
from django.db import connection

from reviews import tallies
from reviews.models import HeldGroup, Vote, VoteEvent
from tests import factories
from tests.reviews.voters import NOON, assert_in_agreement, cast, tally
from tools.models import Tool

DAY = timedelta(days=1)


def migrate(target: str) -> None:
    call_command("migrate", "reviews", target, verbosity=0)


@pytest.fixture
def tool(transactional_db):
    yield factories.tool()
    call_command("migrate", verbosity=0)  # all apps, each to its newest, for the tests that follow


def former_rows(tool: Tool) -> list[tuple[str, str]]:
    """Choice and state of each vote on a tool, as the release before reads them."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT choice, state FROM reviews_vote WHERE tool_id = %s ORDER BY id", [tool.pk]
        )
        return [(choice, state) for choice, state in cursor.fetchall()]


def vote(tool: Tool, choice: str, state: str, network: str, days: int = 0) -> UUID:
    """A vote and its event, as the release before wrote them."""
    visitor_id, at = uuid4(), NOON + days * DAY
    row = {"tool": tool, "visitor": visitor_id, "state": state}
    Vote.objects.create(**row, choice=choice, network=network, cast_at=at, changed_at=at)
    VoteEvent.objects.create(**row, before="", after=choice, at=at)
    return visitor_id


def test_held_votes_get_groups_and_the_reverse_migration_keeps_what_the_tally_counts(
    tool: Tool, settings
):
    """Votes of the release before on two tools, and of this one on a third: one way back and
    forth for both, because it takes seconds.
    """
    other, newer = factories.tool(), factories.tool()
    vote(tool, "ship", "counted", "h1")
    vote(tool, "skip", "void", "h1")
    same = [vote(tool, "ship", "held", "h1"), vote(tool, "skip", "held", "h1")]
    for on, network, days in ((tool, "h2", 0), (tool, "", 0), (tool, "h3", 1), (other, "h1", 0)):
        vote(on, "ship", "held", network, days)
    tallies.recount(tool.pk)
    cast_by_this_release(newer, settings)
    before = [former_rows(one) for one in (tool, other)]
    migrate("0004_no_tally_joins")
    assert [former_rows(one) for one in (tool, other)] == before
    assert former_rows(newer) == [("ship", "counted"), ("ship", "counted"), ("skip", "held")]
    migrate("0007_group_held_votes")
    assert [former_rows(one) for one in (tool, other)] == before
    assert (tally(tool), tally(newer)) == ((1, 0), (2, 0))
    assert tallies.drifts() == []
    groups = HeldGroup.objects.with_counts().filter(tool__in=[tool, other])
    found = {(g.tool_id, (g.day - NOON.date()).days, g.network): g.held_votes for g in groups}
    one, two = tool.pk, other.pk
    assert found == {
        (one, 0, "h1"): 2,
        (one, 0, "h2"): 1,
        (one, 0, None): 1,
        (one, 1, "h3"): 1,
        (two, 0, "h1"): 1,
    }
    acts = VoteEvent.objects.filter(group=HeldGroup.objects.get(tool=tool, network="h1"))
    assert set(acts.values_list("visitor", flat=True)) == set(same)
    assert not Vote.objects.exclude(state="held").exclude(group=None).exists()
    assert_in_agreement(tool)


def cast_by_this_release(tool: Tool, settings) -> None:
    """Two votes that count and are changed or taken back past the cap, and two that are held."""
    settings.VOTES_PER_NETWORK_PER_DAY = 2
    changed, taken_back, never = uuid4(), uuid4(), uuid4()
    cast(tool, "ship", by=changed)
    cast(tool, "ship", by=taken_back)
    for visitor_id, choice in ((changed, "skip"), (taken_back, ""), (never, "ship"), (never, "")):
        cast(tool, choice, by=visitor_id)
    cast(tool, "skip")


def test_workers_of_the_previous_release_can_still_store_votes(tool: Tool):
    """They know none of the new columns; each of their votes counts as it did."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO reviews_vote (tool_id, visitor, choice, state, reason, network, cast_at,"
            " changed_at) VALUES (%s, NULL, 'ship', 'counted', '', 'h', %s, %s)",
            [tool.pk, NOON, NOON],
        )
        cursor.execute(
            "INSERT INTO reviews_voteevent (tool_id, visitor, before, after, state, reason, at)"
            " VALUES (%s, NULL, '', 'ship', 'counted', '', %s)",
            [tool.pk, NOON],
        )
    assert tallies.recount(tool.pk).ship == 1
    assert VoteEvent.objects.get().wide_network == ""
