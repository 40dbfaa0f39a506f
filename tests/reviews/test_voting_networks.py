"""The daily limit of a network: which votes are held, what their voters see, and what is stored."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from reviews import daily_hashes, held_groups, network_limits, tallies, voting
from reviews.models import DailySalt, HeldGroup, NewVisitors, Vote, VoteEvent
from reviews.scoring import Tally
from tests import factories
from tests.reviews.voters import (
    HOME,
    NOON,
    assert_in_agreement,
    cast,
    events,
    in_place,
    rows,
    set_visitor_cookie,
    tally,
    vote_url,
)
from tools.models import Tool

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.fixture
def tool() -> Tool:
    return factories.tool(slug="a", name="A")


def use_up_limit(tool: Tool, *, network: str = HOME, now=NOON, votes: int = 20) -> None:
    """Cast as many votes of new visitors as a network may cast in a day."""
    for _ in range(votes):
        cast(tool, "ship", network=network, now=now)


def test_the_twentieth_vote_of_a_network_counts_and_the_next_is_held(tool: Tool):
    use_up_limit(tool, votes=19)
    cast(tool, "skip")
    assert tally(tool) == (19, 1)
    answer = cast(tool, "skip")
    assert rows(tool)[-2:] == [("skip", "counted"), ("skip", "held")]
    assert tally(tool) == (19, 1)
    assert (answer.choice, answer.tally) == ("skip", Tally(19, 2))  # its voter sees it counted
    assert cast(tool, "", by=uuid4()).tally == Tally(19, 1)  # other visitors do not
    assert_in_agreement(tool)


def test_the_limit_is_a_setting(tool: Tool, settings):
    settings.VOTES_PER_NETWORK_PER_DAY = 2
    use_up_limit(tool, votes=3)
    assert [state for _, state in rows(tool)] == ["counted", "counted", "held"]


def test_another_network_and_another_tool_have_their_own_limits(tool: Tool):
    use_up_limit(tool)
    other = factories.tool()
    cast(tool, "skip", network="192.0.3.0/24")
    cast(other, "skip")
    assert (tally(tool), tally(other)) == ((20, 1), (0, 1))


def test_on_the_next_day_the_votes_of_the_network_count_again(tool: Tool):
    use_up_limit(tool)
    midnight = NOON.replace(hour=0) + DAY
    cast(tool, "skip", now=midnight - timedelta(seconds=1))
    assert rows(tool)[-1] == ("skip", "held")
    cast(tool, "skip", now=midnight)
    assert rows(tool)[-1] == ("skip", "counted")
    assert tally(tool) == (20, 1)


def test_a_changed_and_a_withdrawn_vote_count_towards_the_limit(tool: Tool):
    use_up_limit(tool, votes=17)
    visitor_id = uuid4()
    for choice in ("ship", "skip", ""):
        cast(tool, choice, by=visitor_id)
    cast(tool, "skip")
    assert rows(tool)[-1] == ("skip", "held")
    assert tally(tool) == (17, 0)


@pytest.mark.parametrize(
    ("network", "same_tool", "room"),
    [
        ("192.0.2.0/24", True, 1),
        ("192.0.2.0/24", False, 5),
        ("192.0.{}.0/24", True, 10),
        ("192.0.{}.0/24", False, 50),
        ("2001:db8:1::/48", True, 1),
        ("2001:db8:1::/48", False, 5),
        ("2001:db8:{:x}::/48", True, 10),
        ("2001:db8:{:x}::/48", False, 50),
    ],
)
def test_the_limits_for_one_tool_all_tools_and_the_wide_network_are_multiples_of_the_setting(
    settings, network: str, same_tool: bool, room: int
):
    settings.VOTES_PER_NETWORK_PER_DAY = 1
    one = factories.tool()
    tools = [one] * (room + 2) if same_tool else [factories.tool() for _ in range(room + 2)]
    for number, tool in enumerate(tools):
        cast(tool, "ship", network=network.format(number))
    assert Vote.objects.filter(state="counted").count() == room
    assert Vote.objects.filter(state="held").count() == 2


def test_the_limit_applies_to_visitors_of_any_age(tool: Tool):
    earlier_visitors = [uuid4() for _ in range(21)]
    other = factories.tool()
    for visitor_id in earlier_visitors:
        cast(other, "ship", by=visitor_id, network="203.0.113.0/24", now=NOON - 30 * DAY)
        cast(tool, "ship", by=visitor_id)
    assert tally(tool) == (20, 0)


@pytest.mark.parametrize("later", ["skip", ""])
def test_a_held_change_keeps_the_last_counted_choice_in_the_tally(tool: Tool, later: str):
    visitor_id = uuid4()
    cast(tool, "ship", by=visitor_id)
    use_up_limit(tool, votes=19)
    answer = cast(tool, later, by=visitor_id)
    assert tally(tool) == (20, 0)
    assert (answer.choice, answer.tally) == (later, Tally(19, int(later == "skip")))
    assert voting.votes_of(visitor_id, [tool.pk])[tool.pk] == answer
    vote = Vote.objects.get(visitor=visitor_id)
    assert (vote.choice, vote.kept_choice, vote.state) == (later, "ship", "held")
    assert tallies.recount(tool.pk) == Tally(20, 0)
    assert_in_agreement(tool)


def test_later_changes_of_a_held_visitor_are_held_in_the_same_group(tool: Tool):
    use_up_limit(tool)
    visitor_id = uuid4()
    cast(tool, "ship", by=visitor_id)
    for days, choice in ((1, "skip"), (3, ""), (5, "ship")):
        cast(tool, choice, by=visitor_id, network="198.51.100.0/24", now=NOON + days * DAY)
    group = HeldGroup.objects.get()
    assert (group.tool, group.day) == (tool, NOON.date())
    acts = VoteEvent.objects.filter(visitor=visitor_id).values_list("after", "state", "group")
    assert list(acts.order_by("pk")) == [
        (choice, "held", group.pk) for choice in ("ship", "skip", "", "ship")
    ]
    assert (rows(tool)[-1], tally(tool)) == (("ship", "held"), (20, 0))
    assert_in_agreement(tool)


def test_what_is_held_is_grouped_by_tool_network_and_day(tool: Tool, settings):
    settings.VOTES_PER_NETWORK_PER_DAY = 3
    other = factories.tool()
    for one, network, days in (
        *((tool, HOME, 0), (other, HOME, 0), (tool, "198.51.100.0/24", 0), (tool, HOME, 1)),
    ):
        use_up_limit(one, network=network, now=NOON + days * DAY, votes=5)
    groups = HeldGroup.objects.with_counts()
    assert [group.held_votes for group in groups] == [2, 2, 2, 2]
    assert len({group.network for group in groups}) == 3  # one network on two tools


def test_forgetting_a_visitor_allows_no_further_vote_of_its_network(tool: Tool):
    for _ in range(25):
        visitor_id = uuid4()
        cast(tool, "ship", by=visitor_id)
        voting.forget(visitor_id)
    assert tally(tool) == (20, 0)
    assert Vote.objects.filter(state="held").count() == 5


@pytest.mark.parametrize("second_choice", ["ship", "skip"])
def test_a_held_vote_taken_back_and_cast_again_stays_held(tool: Tool, second_choice: str):
    use_up_limit(tool)
    visitor_id = uuid4()
    cast(tool, "ship", by=visitor_id)
    cast(tool, "", by=visitor_id)
    answer = cast(tool, second_choice, by=visitor_id, network="198.51.100.0/24", now=NOON + 3 * DAY)
    assert answer.choice == second_choice
    assert rows(tool)[-1] == (second_choice, "held")
    assert tally(tool) == (20, 0)
    assert_in_agreement(tool)


def test_a_changed_held_vote_stays_held_and_changes_no_tally(tool: Tool):
    use_up_limit(tool)
    visitor_id = uuid4()
    cast(tool, "ship", by=visitor_id)
    answer = cast(tool, "skip", by=visitor_id)
    assert (answer.choice, tally(tool)) == ("skip", (20, 0))
    assert events(tool)[-2:] == [("", "ship", "held"), ("ship", "skip", "held")]


def test_a_voided_vote_taken_back_and_cast_again_stays_void(tool: Tool):
    visitor_id = uuid4()
    cast(tool, "ship", by=visitor_id)
    held_groups.decide([Vote.objects.get().pk], "void", "a script", NOON)
    assert tally(tool) == (0, 0)
    cast(tool, "", by=visitor_id)
    cast(tool, "ship", by=visitor_id)
    assert (rows(tool), tally(tool)) == ([("ship", "void")], (0, 0))
    assert_in_agreement(tool)


def test_a_released_vote_taken_back_and_cast_again_counts(tool: Tool):
    visitor_id = uuid4()
    use_up_limit(tool)
    cast(tool, "ship", by=visitor_id)
    held_groups.decide([Vote.objects.get(visitor=visitor_id).pk], "counted", "an office", NOON)
    assert tally(tool) == (21, 0)
    cast(tool, "", by=visitor_id, now=NOON + DAY)
    cast(tool, "skip", by=visitor_id, now=NOON + DAY)
    assert tally(tool) == (20, 1)


def responses_to(client: Client, tool: Tool) -> list[str]:
    """What this visitor's browser gets: the form, the fragments of a page, and the list."""
    form = client.get(vote_url(tool))
    marks = client.get(f"/me/marks/?tools={tool.slug}")
    return [page.content.decode() for page in (form, marks, client.get("/me/"))]


@pytest.mark.parametrize("votes", [0, 9])
def test_no_answer_or_delay_distinguishes_a_held_vote_from_a_counted_one(
    settings, clock, votes: int
):
    """The same acts on two tools, of which one has no room; at the tenth vote a share appears."""
    clock(NOON)
    seen = []
    for held in (False, True):
        settings.VOTES_PER_NETWORK_PER_DAY = 3
        tool = factories.tool(slug="a", name="A")
        for number in range(votes):
            cast(tool, "ship", network=f"10.{number}.0.0/24")
        if held:
            settings.VOTES_PER_NETWORK_PER_DAY = 0
        client, shown = Client(REMOTE_ADDR="192.0.2.77"), []
        set_visitor_cookie(client, UUID(int=7))
        for choice in ("ship", "skip", "none"):
            with CaptureQueriesContext(connection) as queries:
                response = client.post(in_place(tool), {"choice": choice})
            verbs = sorted(query["sql"].split()[0] for query in queries)
            writes = sum(verb in ("INSERT", "UPDATE", "DELETE") for verb in verbs)
            text = response.content.decode()
            shown.append((len(verbs), writes, text, responses_to(client, tool)))
        states = set(VoteEvent.objects.filter(visitor=UUID(int=7)).values_list("state", flat=True))
        assert states == {"held" if held else "counted"}
        assert tally(tool) == (votes, 0)
        seen.append(shown)
        tool.delete()
        DailySalt.objects.all().delete()
    assert seen[0] == seen[1]


def test_the_days_votes_of_one_network_share_a_mark_that_the_next_day_does_not_have(tool: Tool):
    for now, network in ((NOON, HOME), (NOON, HOME), (NOON, "192.0.3.0/24"), (NOON + DAY, HOME)):
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


def test_salts_are_destroyed_after_exactly_48_hours_without_any_vote(tool: Tool):
    midnight = NOON.replace(hour=0)
    cast(tool, "ship", now=midnight)
    assert daily_hashes.destroy_old_salts(midnight + 2 * DAY - timedelta(seconds=1)) == 0
    assert daily_hashes.destroy_old_salts(midnight + 2 * DAY) == 1
    assert DailySalt.objects.count() == 0


def network_hashes() -> set[str | None]:
    """Every hash of a network that is stored."""
    stored = [
        *Vote.objects.values_list("network", flat=True),
        *VoteEvent.objects.values_list("network", flat=True),
        *VoteEvent.objects.values_list("wide_network", flat=True),
        *HeldGroup.objects.values_list("network", flat=True),
        *NewVisitors.objects.values_list("network", flat=True),
    ]
    return set(stored) - {"", None}


def test_hashes_of_networks_are_erased_after_48_hours_even_of_held_votes(tool: Tool):
    midnight = NOON.replace(hour=0)
    use_up_limit(tool, now=midnight, votes=21)
    voting.cast(tool, uuid4(), "ship", HOME, midnight, is_new=True)
    assert len(network_hashes()) == 3  # the network, the wide one, and that of new visitors
    network_limits.erase_old_network_hashes(midnight + 2 * DAY - timedelta(seconds=1))
    assert len(network_hashes()) == 3
    assert network_limits.erase_old_network_hashes(midnight + 2 * DAY) == 22 + 22 + 1 + 1
    assert network_hashes() == set()
    assert Vote.objects.filter(state="held", group=HeldGroup.objects.get()).count() == 2


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
    visitor_id = set_visitor_cookie(client, uuid4())
    client.post(vote_url(tool), {"choice": "ship"})
    assert Vote.objects.get().visitor == visitor_id
