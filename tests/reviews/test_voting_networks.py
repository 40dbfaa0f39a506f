"""The limits of a network: which votes are refused, what attacks change, and what is stored."""

from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test import Client

from reviews import voting
from reviews.models import Vote, VoteEvent
from reviews.network_limits import ALL_TOOLS_FACTOR, WIDE_NETWORK_FACTOR
from reviews.scoring import Tally
from shipskip.limits import daily_hashes
from shipskip.limits.models import DailySalt
from shipskip.web.refusals import RefusedError
from tests import factories
from tests.reviews.voters import (
    HOME,
    NOON,
    assert_in_agreement,
    cast,
    row_counts,
    rows,
    tally,
    vote_url,
)
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
MIDNIGHT = NOON.replace(hour=0)


@pytest.fixture
def tool() -> Tool:
    return factories.tool(slug="a", name="A")


def refused(tool: Tool, choice: str = "skip", **how: Any) -> RefusedError:
    """The refusal of a vote, which writes nothing."""
    before = (row_counts(), tally(tool), rows(tool))
    with pytest.raises(RefusedError) as error:
        cast(tool, choice, **how)
    assert (row_counts(), tally(tool), rows(tool)) == before
    return error.value


def test_the_twentieth_vote_of_a_network_counts_and_the_next_is_refused_until_midnight(tool: Tool):
    """A day has a limit for each tool and each network."""
    for _ in range(19):
        cast(tool, "ship")
    assert cast(tool, "skip").tally == Tally(19, 1)
    error = refused(tool, now=NOON + timedelta(hours=8, minutes=55))
    assert (error.status, error.retry_after) == (429, 3 * 3600 + 300)
    assert str(error) == (
        "Nothing was changed. Your network has used up its 20 votes, changes and take-backs of a"
        " day on one tool, which everybody on it shares. You can vote again after midnight UTC, in"
        " 3 hours and 5 minutes."
    )
    cast(tool, "skip", network="192.0.3.0/24")
    cast(factories.tool(), "skip")
    assert refused(tool, now=MIDNIGHT + DAY - SECOND).retry_after == 1
    cast(tool, "skip", now=MIDNIGHT + DAY)
    assert tally(tool) == (19, 3)
    assert_in_agreement(tool)


@pytest.mark.parametrize("later", ["skip", ""])
def test_a_changed_and_a_withdrawn_vote_count_and_are_refused_like_a_vote(tool: Tool, later: str):
    for _ in range(17):
        cast(tool, "ship")
    visitor_id = uuid4()
    for choice in ("ship", "skip", ""):
        cast(tool, choice, by=visitor_id)
    refused(tool)
    own = Vote.objects.earliest("pk").visitor
    refused(tool, later, by=own)
    seen = [voting.votes_of(each, [tool.pk])[tool.pk] for each in (own, uuid4(), None)]
    assert [one.choice for one in seen] == ["ship", "", ""]
    assert {one.tally for one in seen} == {Tally(17, 0)}, "what everybody sees"
    cast(tool, later, by=own, network="203.0.113.0/24")
    assert_in_agreement(tool)


@pytest.mark.parametrize("same_tool", [True, False])
@pytest.mark.parametrize(
    ("network", "factor"),
    [
        ("192.0.2.0/24", 1),
        ("192.0.{}.0/24", WIDE_NETWORK_FACTOR),
        ("2001:db8:1::/48", 1),
        ("2001:db8:{:x}::/48", WIDE_NETWORK_FACTOR),
    ],
)
def test_the_limits_for_one_tool_all_tools_and_the_wide_network_are_multiples_of_the_setting(
    settings, network: str, factor: int, *, same_tool: bool
):
    """By default: 20 and 100 of an address, 200 and 1,000 of a wide network."""
    assert (ALL_TOOLS_FACTOR, WIDE_NETWORK_FACTOR) == (5, 10)
    settings.VOTES_PER_NETWORK_PER_DAY = 1
    room = factor if same_tool else factor * ALL_TOOLS_FACTOR
    one = factories.tool()
    tools = [one] * (room + 2) if same_tool else [factories.tool() for _ in range(room + 2)]
    for number, tool in enumerate(tools[:room]):
        cast(tool, "ship", network=network.format(number))
    for number, tool in enumerate(tools[room:], start=room):
        error = refused(tool, network=network.format(number))
        assert ("wider network" in str(error)) == (factor > 1)
        assert ("all tools" in str(error)) == (not same_tool)
        assert f"its {room} votes" in str(error)


def vote(tool: Tool, voters: list[UUID], choice: str = "ship", now: datetime = NOON) -> int:
    """How many of these votes from one network were not refused."""
    done = 0
    for visitor_id in voters:
        with suppress(RefusedError):
            cast(tool, choice, by=visitor_id, now=now)
            done += 1
    return done


def test_whatever_the_age_of_its_visitors_a_network_changes_a_tally_by_the_limit_a_day(
    tool: Tool, settings
):
    """Not by votes that are changed later, by visitors who voted long before or on other tools, or
    who are forgotten. Around midnight it changes twice the limit, as the methodology page says.
    """
    settings.VOTES_PER_NETWORK_PER_DAY = 4
    earlier, new = ([uuid4() for _ in range(number)] for number in (8, 6))
    others = [factories.tool() for _ in range(5)]
    for number, visitor_id in enumerate(earlier):
        for other in others:
            cast(other, "ship", by=visitor_id, network=f"10.{number}.0.0/24", now=NOON - 30 * DAY)
    assert vote(tool, earlier) == 4
    assert vote(tool, earlier[:4], "skip", NOON + DAY) == 4  # changes use up the next day
    assert vote(tool, new, "ship", NOON + DAY) == 0
    assert tally(tool) == (0, 4)
    assert_in_agreement(tool)
    for visitor_id in (uuid4(), uuid4(), uuid4(), uuid4()):
        assert vote(tool, [visitor_id], "ship", NOON + 2 * DAY) == 1
        voting.forget(visitor_id)
    assert vote(tool, new, "ship", NOON + 2 * DAY) == 0
    at_night = factories.tool()
    for seconds in (-10, 10):
        voters = [uuid4() for _ in range(6)]
        vote(at_night, voters, "ship", MIDNIGHT + 9 * DAY + seconds * SECOND)
    assert tally(at_night) == (8, 0)


def test_a_days_votes_of_one_network_share_a_hash_whose_salt_is_destroyed_after_48_hours(
    tool: Tool,
):
    for days in range(4):
        for network in (HOME, HOME, "203.0.113.0/24"):
            cast(tool, "ship", network=network, now=MIDNIGHT + days * DAY)
        days_with_salt = list(DailySalt.objects.order_by("day").values_list("day", flat=True))
        kept = range(max(0, days - 1), days + 1)
        assert days_with_salt == [(NOON + day * DAY).date() for day in kept]
    hashes = list(VoteEvent.objects.order_by("pk").values_list("network", flat=True))
    assert hashes[0::3] == hashes[1::3]
    assert len(set(hashes)) == 4 * 2, "each day and each network has its own"
    assert {len(each) for each in hashes} == {32}
    salts = {bytes(salt) for salt in DailySalt.objects.values_list("salt", flat=True)}
    assert [len(salt) for salt in salts] == [32, 32]
    assert daily_hashes.destroy_old_salts(MIDNIGHT + 5 * DAY - SECOND) == 1
    assert daily_hashes.destroy_old_salts(MIDNIGHT + 5 * DAY) == 1
    assert not DailySalt.objects.exists()


@pytest.mark.parametrize(
    ("address", "traces"),
    [
        ("192.0.2.77", ["192.0.2", "c000024d", "C000024D"]),
        ("2001:db8:1:2::77", ["2001:db8", "2001:0db8", "20010db8"]),
    ],
)
def test_after_a_vote_the_database_contains_no_address_and_no_network(
    tool: Tool, address: str, traces: list[str]
):
    client = Client(REMOTE_ADDR=address)
    for choice in ("ship", "skip"):
        client.post(vote_url(tool), {"choice": choice})
    client.post(f"/tools/{tool.slug}/bookmark/", {"saved": "yes"})
    values = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")  # noqa: S608
            values += [value for row in cursor.fetchall() for value in row]
    texts = [v.tobytes().hex() if isinstance(v, memoryview) else str(v) for v in values]
    texts += [bytes(v).decode("latin-1") for v in values if isinstance(v, bytes | memoryview)]
    assert VoteEvent.objects.earliest("pk").network in texts  # the dump does include what is stored
    assert [text for text in texts for trace in traces if trace in text] == []
