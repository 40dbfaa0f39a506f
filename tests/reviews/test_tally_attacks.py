"""Attacks on a tally by one person, and how many votes they change in a day."""

from contextlib import suppress
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest

from reviews.models import VoteEvent
from reviews.network_limits import ALL_TOOLS_FACTOR, WIDE_NETWORK_FACTOR
from shipskip.web.refusals import RefusedError
from tests import factories
from tests.reviews.voters import HOME, NOON, assert_in_agreement, cast, tally
from tools.models import Tool

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.fixture
def tool() -> Tool:
    return factories.tool()


def vote(tool: Tool, voters: list[UUID], choice: str, now: datetime, network: str = HOME) -> int:
    """How many of these votes were not refused."""
    done = 0
    for visitor_id in voters:
        with suppress(RefusedError):
            cast(tool, choice, by=visitor_id, network=network, now=now)
            done += 1
    return done


def test_votes_from_one_address_that_are_changed_later_change_at_most_the_limit_a_day(
    tool: Tool, settings
):
    """Before: 400 votes; a day later a rule released 380 of them, and 47 were flipped: "100 % ship
    of 400".
    """
    settings.VOTES_PER_NETWORK_PER_DAY = 5
    ship, skip = [uuid4() for _ in range(53)], [uuid4() for _ in range(7)]
    assert (vote(tool, ship, "ship", NOON), vote(tool, skip, "skip", NOON)) == (5, 0)
    assert vote(tool, ship[:5], "skip", NOON + DAY) == 5  # those that counted use up the next day
    assert vote(tool, [uuid4() for _ in range(25)], "ship", NOON + DAY) == 0
    assert tally(tool) == (0, 5)
    assert_in_agreement(tool)


def test_visitors_who_voted_on_ten_tools_get_no_higher_limit_on_an_eleventh(tool: Tool, settings):
    """Before, with a cap of 20: all 200 counted a day later, in two seconds."""
    settings.VOTES_PER_NETWORK_PER_DAY = 4
    voters, done = [], 0
    for _ in range(10):
        crowd = [uuid4() for _ in range(4)]
        done += vote(factories.tool(), crowd, "ship", NOON)
        voters += crowd
    assert done == 4 * ALL_TOOLS_FACTOR
    assert vote(tool, voters, "ship", NOON + DAY) == 4


def test_around_midnight_a_network_changes_a_tally_by_twice_the_limit(tool: Tool, settings):
    """The methodology page says so: the limit is of a day, as the salt is."""
    settings.VOTES_PER_NETWORK_PER_DAY = 4
    midnight = NOON.replace(hour=0) + DAY
    for now in (midnight - timedelta(seconds=10), midnight + timedelta(seconds=10)):
        vote(tool, [uuid4() for _ in range(6)], "ship", now)
    assert tally(tool) == (8, 0)


@pytest.mark.parametrize(
    ("networks", "wide", "on_one_tool", "on_all_tools"),
    [
        (["192.0.2.0/24"], "one address, or a /24", 1, ALL_TOOLS_FACTOR),
        (
            [f"10.1.{n}.0/24" for n in range(12)],
            "one /16",
            WIDE_NETWORK_FACTOR,
            WIDE_NETWORK_FACTOR * ALL_TOOLS_FACTOR,
        ),
        ([f"10.{n}.0.0/24" for n in range(12)], "spread", 12, 12 * ALL_TOOLS_FACTOR),
    ],
)
def test_an_attack_changes_at_most_these_multiples_of_the_setting_in_a_day(
    tool: Tool, settings, networks: list[str], wide: str, on_one_tool: int, on_all_tools: int
):
    """By default, the multiples of 20: 20 and 100; 200 and 1,000; 240 and 1,200."""
    settings.VOTES_PER_NETWORK_PER_DAY = 1
    tools = [tool, *(factories.tool() for _ in range(ALL_TOOLS_FACTOR))]
    for network in networks:
        for one in (tool, *tools):
            vote(one, [uuid4()], "ship", NOON, network)
    assert tally(tool)[0] == on_one_tool, wide
    assert VoteEvent.objects.count() == on_all_tools, wide
