"""The limits of visitors and networks: what they refuse, attacks change and the site stores."""

from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test import Client

from reviews import voting
from reviews.models import VoteEvent
from reviews.network_limits import ALL_TOOLS_FACTOR, WIDE_NETWORK_FACTOR
from reviews.scoring import Tally
from shipskip.limits import daily_hashes
from shipskip.limits.models import ActCount, DailySalt
from shipskip.web.refusals import RefusedError
from tests import factories
from tests.markup import read
from tests.reviews.voters import (
    HOME,
    NOON,
    assert_in_agreement,
    cast,
    in_place,
    row_counts,
    rows,
    set_visitor_cookie,
    tally,
    vote_url,
)
from tools.models import Bookmark, Tool

pytestmark = pytest.mark.django_db
both_databases = pytest.mark.both_databases

SECOND, MINUTE, HOUR, DAY = (timedelta(seconds=n) for n in (1, 60, 3_600, 86_400))
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


@both_databases
def test_the_twentieth_vote_of_a_network_counts_and_the_next_is_refused_until_midnight(
    tool: Tool, settings
):
    """A day has a limit for each tool and each network."""
    settings.VOTES_PER_NETWORK_PER_DAY = 20
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


@both_databases
@pytest.mark.parametrize("same_tool", [True, False])
@pytest.mark.parametrize(
    ("network", "factor"), [("192.0.2.0/24", 1), ("192.0.{}.0/24", WIDE_NETWORK_FACTOR)]
)
def test_the_limits_for_one_tool_all_tools_and_the_wide_network_are_multiples_of_the_setting(
    tool: Tool, settings, network: str, factor: int, *, same_tool: bool
):
    """By default: 20 and 100 of an address, 200 and 1,000 of a wide network."""
    assert (ALL_TOOLS_FACTOR, WIDE_NETWORK_FACTOR) == (5, 10)
    settings.VOTES_PER_NETWORK_PER_DAY = 1
    room = factor if same_tool else factor * ALL_TOOLS_FACTOR
    last, next_one = (tool if same_tool else factories.tool() for _ in range(2))
    cast(tool, "ship", network=network.format(0))
    earlier = VoteEvent.objects.get()
    for number in range(room - 2):
        earlier.pk, earlier.network = None, earlier.network if factor == 1 else str(number)
        earlier.save()
    if room > 1:
        cast(last, "ship", network=network.format(1))
    error = refused(next_one, network=network.format(2))
    assert ("wider network" in str(error)) == (factor > 1)
    assert ("all tools" in str(error)) == (not same_tool)
    assert f"its {room} votes" in str(error)
    cast(next_one, "ship", network="198.51.100.0/24")


def cast_by(tool: Tool, voters: list[UUID], choice: str = "ship", now: datetime = NOON) -> int:
    """How many of these votes from one network were not refused."""
    done = 0
    for visitor_id in voters:
        with suppress(RefusedError):
            cast(tool, choice, by=visitor_id, now=now)
            done += 1
    return done


@both_databases
def test_whatever_the_age_of_its_visitors_a_network_changes_a_tally_by_the_limit_a_day(
    tool: Tool, settings
):
    """Not by votes that are changed later, by visitors who voted long before or on other tools, or
    who are forgotten. Around midnight it changes twice the limit, as the methodology page says.
    """
    settings.VOTES_PER_NETWORK_PER_DAY = 2
    earlier, new = ([uuid4() for _ in range(3)] for _ in range(2))
    other, at_night = factories.tool(), factories.tool()
    for number, visitor_id in enumerate(earlier):
        cast(other, "ship", by=visitor_id, network=f"10.{number}.0.0/24", now=NOON - 30 * DAY)
    assert cast_by(tool, earlier) == 2
    # A change and a withdrawal use up the next day.
    assert cast_by(tool, earlier[:1], "skip", NOON + DAY) == 1
    assert cast_by(tool, earlier[1:2], "", NOON + DAY) == 1
    for voters, choice in ((new, "ship"), (earlier[:1], "")):
        assert cast_by(tool, voters, choice, NOON + DAY) == 0
    assert tally(tool) == (0, 1)
    assert_in_agreement(tool)
    for _ in range(2):
        visitor_id = uuid4()
        assert cast_by(tool, [visitor_id], "ship", NOON + 2 * DAY) == 1
        voting.forget(visitor_id)
    assert cast_by(tool, new, "ship", NOON + 2 * DAY) == 0
    for seconds in (-10, 10):
        voters = [uuid4() for _ in range(3)]
        cast_by(at_night, voters, "ship", MIDNIGHT + 9 * DAY + seconds * SECOND)
    assert tally(at_night) == (4, 0)


@both_databases
def test_a_days_votes_of_one_network_share_a_hash_whose_salt_is_destroyed_after_48_hours(
    tool: Tool,
):
    for days, kept in enumerate(([0], [0, 1], [1, 2], [2, 3])):
        for network in (HOME, HOME, "203.0.113.0/24"):
            cast(tool, "ship", network=network, now=MIDNIGHT + days * DAY)
        salts = DailySalt.objects.order_by("day").values_list("day", "salt")
        assert [day for day, _ in salts] == [(NOON + day * DAY).date() for day in kept]
        assert {len(bytes(salt)) for _, salt in salts} == {32}
    hashes = list(VoteEvent.objects.order_by("pk").values_list("network", flat=True))
    assert hashes[0::3] == hashes[1::3]
    assert len(set(hashes)) == 4 * 2, "each day and each network has its own"
    assert {len(each) for each in hashes} == {32}
    assert daily_hashes.destroy_old_salts(MIDNIGHT + 5 * DAY - SECOND) == 1
    assert daily_hashes.destroy_old_salts(MIDNIGHT + 5 * DAY) == 1


@both_databases
def test_after_a_vote_the_database_contains_no_address_and_no_network(tool: Tool):
    for address in ("192.0.2.77", "2001:db8:1:2::77"):
        client = Client(REMOTE_ADDR=address)
        vote(client)
        save(client)
    values = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")  # noqa: S608
            values += [value for row in cursor.fetchall() for value in row]
    texts = [v.tobytes().hex() if isinstance(v, memoryview) else str(v) for v in values]
    texts += [bytes(v).decode("latin-1") for v in values if isinstance(v, bytes | memoryview)]
    assert VoteEvent.objects.earliest("pk").network in texts  # the dump does include what is stored
    traces = ("192.0.2", "c000024d", "C000024D", "2001:db8", "2001:0db8", "20010db8")
    assert [text for text in texts for trace in traces if trace in text] == []


@pytest.fixture
def few_new_browsers(settings, clock) -> None:
    settings.VOTES_PER_NETWORK_PER_DAY = 1_000
    settings.NEW_VISITORS_PER_NETWORK_PER_HOUR = 2
    clock(NOON)


@both_databases
@pytest.mark.usefixtures("few_new_browsers")
def test_the_thirtieth_change_in_a_minute_is_accepted_and_the_next_only_after_it(
    tool: Tool, clock, settings
):
    """On all tools together, and the same choice again is no change."""
    settings.VOTES_PER_VISITOR_PER_MINUTE = 30
    client, other = Client(), factories.tool()
    visitor_id = set_visitor_cookie(client, uuid4())
    for number in range(30):
        where, choice = (other, "ship") if number == 0 else (tool, ("ship", "skip")[number % 2])
        cast(where, choice, by=visitor_id)
        cast(where, choice, by=visitor_id)
    cast(tool, "ship")  # another visitor has a limit of their own
    before = row_counts()
    clock(NOON + 20 * SECOND)
    response = client.post(vote_url(tool), {"choice": "none"})
    assert (response.status_code, response["Retry-After"]) == (429, "40")
    assert not response.cookies
    page = read(response)
    [alert] = page.texts("p", role="alert")
    assert alert.startswith("Nothing was changed. This browser has used up its 30 votes, changes")
    assert alert.endswith("You can vote again in 40 seconds.")
    assert page.one("button", aria_pressed="true").attributes["value"] == "skip"
    response = client.post(in_place(tool), {"choice": "none"})
    assert (response.status_code, response.content.decode()) == (429, alert)
    assert (row_counts(), tally(tool)) == (before, (1, 1))
    clock(NOON + MINUTE)
    assert client.post(vote_url(tool), {"choice": "ship"}).status_code == 303
    assert tally(tool) == (2, 0)


def vote(client: Client):
    return client.post("/tools/a/vote/", {"choice": "ship"})


def save(client: Client):
    return client.post("/tools/a/bookmark/", {"saved": "yes"})


@pytest.mark.usefixtures("few_new_browsers")
def test_votes_and_bookmarks_of_new_visitors_have_one_limit(tool: Tool, clock):
    clock(NOON + 15.5 * MINUTE)
    known = Client()
    assert [vote(known).status_code, save(Client()).status_code] == [303, 303]
    before = row_counts()
    for send in (vote, save):
        response = send(Client())
        assert (response.status_code, response["Retry-After"]) == (429, "2670")
        assert "its 2 new browsers of an hour" in read(response).text
        assert not response.cookies
        assert row_counts() == before
    assert save(known).status_code == 303
    assert vote(Client(REMOTE_ADDR="198.51.100.1")).status_code == 303
    clock(NOON + HOUR)
    assert vote(Client()).status_code == 303
    counts = ActCount.objects.filter(kind="new browsers").values_list("acts", flat=True)
    assert sorted(counts) == [1, 1, 2]


@pytest.mark.usefixtures("few_new_browsers")
def test_a_request_that_writes_nothing_does_not_count_towards_the_network_s_limit(
    tool: Tool, monkeypatch
):
    monkeypatch.setattr("tools.models.bookmarks.MAX_BOOKMARKS", 1)
    client = Client()
    client.get(vote_url(tool))
    for choice in ("none", "junk"):
        client.post(vote_url(tool), {"choice": choice})
    client.post("/tools/a/bookmark/", {"saved": "no"})
    Bookmark.objects.save_tool(factories.tool(), set_visitor_cookie(client, uuid4()), NOON)
    assert save(client).status_code == 409
    assert not ActCount.objects.filter(kind="new browsers").exists()
