"""The daily cap of a network: which votes are held, who can see it, and what is stored."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test import Client

from reviews import ballot, daily_hashes
from reviews.models import DailySalt, Vote, VoteEvent
from reviews.scoring import Tally
from tests import factories
from tests.reviews.voters import (
    HOME,
    NOON,
    assert_in_agreement,
    become,
    cast,
    events,
    rows,
    tally,
    vote_url,
)
from tools.models import Tool

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.fixture
def tool() -> Tool:
    return factories.tool(slug="a", name="A")


def fill(tool: Tool, *, network: str = HOME, now=NOON, votes: int = 20) -> None:
    """Cast as many votes of new visitors as a network may cast in a day."""
    for _ in range(votes):
        cast(tool, "ship", network=network, now=now)


def trusted_visitor() -> UUID:
    """A visitor whose vote on another tool has counted for a day."""
    who = uuid4()
    cast(factories.tool(), "ship", by=who, network="203.0.113.0/24", now=NOON - DAY)
    return who


def test_the_twentieth_vote_of_a_network_counts_and_the_next_is_held(tool: Tool):
    fill(tool, votes=19)
    cast(tool, "skip")
    assert tally(tool) == (19, 1)
    answer = cast(tool, "skip")
    assert rows(tool)[-2:] == [("skip", "counted"), ("skip", "held")]
    assert tally(tool) == (19, 1)
    assert (answer.choice, answer.tally) == ("skip", Tally(19, 2))  # its voter sees it counted
    assert cast(tool, "", by=uuid4()).tally == Tally(19, 1)  # other visitors do not
    assert_in_agreement(tool)


def test_the_cap_is_a_setting(tool: Tool, settings):
    settings.VOTES_PER_NETWORK_PER_DAY = 2
    fill(tool, votes=3)
    assert [state for _, state in rows(tool)] == ["counted", "counted", "held"]


def test_another_network_and_another_tool_have_room_of_their_own(tool: Tool):
    fill(tool)
    other = factories.tool()
    cast(tool, "skip", network="192.0.3.0/24")
    cast(other, "skip")
    assert (tally(tool), tally(other)) == ((20, 1), (0, 1))


def test_the_next_day_the_network_has_room_again(tool: Tool):
    fill(tool)
    midnight = NOON.replace(hour=0) + DAY
    cast(tool, "skip", now=midnight - timedelta(seconds=1))
    assert rows(tool)[-1] == ("skip", "held")
    cast(tool, "skip", now=midnight)
    assert rows(tool)[-1] == ("skip", "counted")
    assert tally(tool) == (20, 1)


def test_a_vote_taken_back_makes_room_for_another(tool: Tool):
    fill(tool, votes=19)
    who = uuid4()
    cast(tool, "ship", by=who)
    cast(tool, "", by=who)
    cast(tool, "skip")
    assert tally(tool) == (19, 1)


def test_forgetting_a_visitor_makes_no_room_for_another_vote_of_its_network(tool: Tool):
    for _ in range(25):
        who = uuid4()
        cast(tool, "ship", by=who)
        ballot.forget(who)
    assert tally(tool) == (20, 0)
    assert Vote.objects.filter(state="held").count() == 5


@pytest.mark.parametrize("again", ["ship", "skip"])
def test_a_held_vote_taken_back_and_cast_again_stays_held(tool: Tool, again: str):
    fill(tool)
    who = uuid4()
    cast(tool, "ship", by=who)
    cast(tool, "", by=who)
    answer = cast(tool, again, by=who, network="198.51.100.0/24", now=NOON + 3 * DAY)
    assert answer.choice == again
    assert rows(tool)[-1] == (again, "held")
    assert tally(tool) == (20, 0)
    assert_in_agreement(tool)


def test_a_changed_held_vote_stays_held_and_moves_no_tally(tool: Tool):
    fill(tool)
    who = uuid4()
    cast(tool, "ship", by=who)
    answer = cast(tool, "skip", by=who)
    assert (answer.choice, tally(tool)) == ("skip", (20, 0))
    assert events(tool)[-2:] == [("", "ship", "held"), ("ship", "skip", "held")]


def test_a_voided_vote_taken_back_and_cast_again_stays_void(tool: Tool):
    who = uuid4()
    cast(tool, "ship", by=who)
    ballot.decide([Vote.objects.get().pk], "void", "a script", NOON)
    assert tally(tool) == (0, 0)
    cast(tool, "", by=who)
    cast(tool, "ship", by=who)
    assert (rows(tool), tally(tool)) == ([("ship", "void")], (0, 0))
    assert_in_agreement(tool)


def test_a_released_vote_taken_back_and_cast_again_counts(tool: Tool):
    who = uuid4()
    fill(tool)
    cast(tool, "ship", by=who)
    ballot.decide([Vote.objects.get(visitor=who).pk], "counted", "an office", NOON)
    assert tally(tool) == (21, 0)
    cast(tool, "", by=who, now=NOON + DAY)
    cast(tool, "skip", by=who, now=NOON + DAY)
    assert tally(tool) == (20, 1)


def test_a_visitor_whose_votes_have_counted_for_a_day_counts_beyond_the_cap(tool: Tool):
    fill(tool)
    cast(tool, "skip", by=trusted_visitor())
    assert tally(tool) == (20, 1)


def test_a_visitor_of_less_than_a_day_is_new(tool: Tool):
    fill(tool)
    who = uuid4()
    cast(factories.tool(), "ship", by=who, now=NOON - DAY + timedelta(seconds=1))
    cast(tool, "skip", by=who)
    assert tally(tool) == (20, 0)


def test_a_visitor_whose_only_vote_was_held_or_voided_is_new_however_old(tool: Tool):
    fill(tool)
    who = trusted_visitor()
    ballot.decide([Vote.objects.get(visitor=who).pk], "void", "a script", NOON)
    cast(tool, "skip", by=who)
    assert rows(tool)[-1] == ("skip", "held")


def test_a_held_voter_sees_the_vote_as_ever_on_every_page(tool: Tool):
    at = {"REMOTE_ADDR": "192.0.2.77"}
    pages = {}
    for number in (20, 21):
        client = Client()
        while Vote.objects.count() < number:
            client = Client()
            client.post(vote_url(tool), {"choice": "ship"}, **at)
        form = client.get(vote_url(tool), **at).content.decode()
        assert 'value="ship" aria-pressed="true"' in form
        assert "Your vote: ship." in form
        assert "held" not in form
        pages[number] = client.get("/me/", **at).content.decode()
        assert "Your votes" in pages[number]
        assert ">A</bdi>" in pages[number]
    assert Vote.objects.filter(state="held").count() == 1
    assert pages[20] == pages[21]  # an attacker cannot see which of the two it is
    assert tally(tool) == (20, 0)


def test_the_days_votes_of_one_network_share_a_mark_that_the_next_day_does_not_have(tool: Tool):
    for now, network in ((NOON, HOME), (NOON, HOME), (NOON, "x"), (NOON + DAY, HOME)):
        cast(tool, "ship", network=network, now=now)
    first, second, other, next_day = Vote.objects.order_by("pk").values_list("network", flat=True)
    assert first == second
    assert len({first, other, next_day}) == 3
    assert len(first) == 32


def test_each_days_salt_is_random_and_destroyed_48_hours_after_its_day_began(tool: Tool):
    for days in range(4):
        cast(tool, "ship", now=NOON + days * DAY)
        days_with_salt = list(DailySalt.objects.order_by("day").values_list("day", flat=True))
        assert days_with_salt == [
            (NOON + back * DAY).date() for back in range(max(0, days - 1), days + 1)
        ]
    salts = {bytes(salt) for salt in DailySalt.objects.values_list("salt", flat=True)}
    assert len(salts) == 2
    assert {len(salt) for salt in salts} == {32}


def test_salts_are_destroyed_to_the_second_without_any_vote(tool: Tool):
    midnight = NOON.replace(hour=0)
    cast(tool, "ship", now=midnight)
    assert daily_hashes.destroy_old_salts(midnight + 2 * DAY - timedelta(seconds=1)) == 0
    assert daily_hashes.destroy_old_salts(midnight + 2 * DAY) == 1
    assert DailySalt.objects.count() == 0


def test_marks_of_networks_are_erased_after_48_hours_save_those_still_to_be_judged(tool: Tool):
    fill(tool, votes=21)
    assert ballot.erase_old_network_hashes(NOON + 2 * DAY - timedelta(seconds=1)) == 0
    assert ballot.erase_old_network_hashes(NOON + 2 * DAY) == 20
    assert list(Vote.objects.exclude(network="").values_list("state", flat=True)) == ["held"]


@pytest.mark.parametrize(
    ("address", "traces"),
    [
        ("192.0.2.77", ["192.0.2", "c000024d", "C000024D"]),
        ("2001:db8:1:2::77", ["2001:db8", "2001:0db8", "20010db8"]),
    ],
)
def test_after_a_vote_no_address_and_no_network_stands_anywhere_in_the_database(
    tool: Tool, address: str, traces: list[str]
):
    client = Client(REMOTE_ADDR=address)
    client.post(vote_url(tool), {"choice": "ship"})
    client.post(vote_url(tool), {"choice": "skip"})
    client.post(f"/tools/{tool.slug}/bookmark/", {"saved": "yes"})
    assert (Vote.objects.count(), VoteEvent.objects.count()) == (1, 2)
    values = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")  # noqa: S608
            values += [value for row in cursor.fetchall() for value in row]
    texts = [v.tobytes().hex() if isinstance(v, memoryview) else str(v) for v in values]
    texts += [bytes(v).decode("latin-1") for v in values if isinstance(v, bytes | memoryview)]
    assert Vote.objects.get().network in texts  # the dump does include what is stored
    assert [text for text in texts for trace in traces if trace in text] == []


def test_a_visitor_behind_the_cookie_is_the_one_the_vote_is_kept_for(tool: Tool):
    client = Client()
    who = become(client, uuid4())
    client.post(vote_url(tool), {"choice": "ship"})
    assert Vote.objects.get().visitor == who
