"""Every change of a vote: the row, the tally and the events right after it."""

import random
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from reviews import tallies, voiding, voting
from reviews.models import ToolTally, Voiding, Vote, VoteEvent
from reviews.scoring import Tally
from shipskip.web.refusals import RefusedError
from tests import factories
from tests.reviews.voters import NOON, assert_in_agreement, cast, events, rows, tally, void
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

COUNTS = {"ship": (1, 0), "skip": (0, 1), "": (0, 0)}


@pytest.fixture
def tool() -> Tool:
    return factories.tool(slug="a", name="A")


@pytest.mark.parametrize("before", ["", "ship", "skip"])
@pytest.mark.parametrize("after", ["", "ship", "skip"])
def test_every_transition_leaves_one_row_one_event_and_the_right_tally(
    tool: Tool, before: str, after: str
):
    visitor_id = uuid4()
    if before:
        cast(tool, before, by=visitor_id)
    earlier = events(tool)
    answer = cast(tool, after, by=visitor_id, now=NOON + timedelta(seconds=1))
    assert answer.choice == after
    assert answer.tally == Tally(*COUNTS[after])
    assert tally(tool) == COUNTS[after]
    assert rows(tool) == ([(after, "counted")] if after else [])
    added = [] if before == after else [(before, after)]
    assert events(tool) == earlier + added
    assert_in_agreement(tool)


def test_a_changed_vote_runs_eight_queries(tool: Tool):
    visitor_id = uuid4()
    cast(tool, "ship", by=visitor_id)
    with CaptureQueriesContext(connection) as queries:
        cast(tool, "skip", by=visitor_id)
    locks = connection.vendor == "postgresql"
    assert len([row for row in queries if "SAVEPOINT" not in row["sql"]]) == 8 + locks


def test_a_change_through_all_choices_ends_with_the_first_state(tool: Tool):
    visitor_id = uuid4()
    for choice in ("ship", "skip", "", "skip", "ship", ""):
        cast(tool, choice, by=visitor_id)
        assert tally(tool) == COUNTS[choice]
        assert_in_agreement(tool)
    assert rows(tool) == []
    assert [after for _, after in events(tool)] == ["ship", "skip", "", "skip", "ship", ""]


def test_the_same_choice_again_writes_nothing(tool: Tool):
    visitor_id = uuid4()
    cast(tool, "ship", by=visitor_id)
    before = (list(Vote.objects.values()), list(VoteEvent.objects.values()), tally(tool))
    with CaptureQueriesContext(
        connection,
    ) as queries:
        cast(tool, "ship", by=visitor_id, now=NOON + timedelta(hours=1))
    assert (list(Vote.objects.values()), list(VoteEvent.objects.values()), tally(tool)) == before
    written = [q["sql"] for q in queries if q["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]
    assert written == []


def test_a_change_keeps_the_time_of_the_vote_and_stores_its_own_time(tool: Tool):
    visitor_id = uuid4()
    cast(tool, "ship", by=visitor_id)
    cast(tool, "skip", by=visitor_id, now=NOON + timedelta(hours=2))
    vote = Vote.objects.get()
    assert vote.cast_at == NOON
    assert vote.changed_at == NOON + timedelta(hours=2)


def test_votes_on_one_tool_do_not_change_another(tool: Tool):
    other, visitor_id = factories.tool(), uuid4()
    cast(tool, "ship", by=visitor_id)
    cast(other, "skip", by=visitor_id)
    cast(other, "skip")
    assert (tally(tool), tally(other)) == ((1, 0), (0, 2))
    cast(tool, "", by=visitor_id)
    assert (tally(tool), tally(other)) == ((0, 0), (0, 2))


def test_the_database_itself_refuses_a_second_row_of_a_visitor(tool: Tool):
    visitor_id = uuid4()
    cast(tool, "ship", by=visitor_id)
    with pytest.raises(IntegrityError), transaction.atomic():
        Vote.objects.create(
            tool=tool, visitor=visitor_id, choice="skip", cast_at=NOON, changed_at=NOON
        )


@pytest.mark.parametrize("choice", ["both", ""])
def test_the_database_itself_refuses_a_choice_that_it_does_not_know(tool: Tool, choice: str):
    with pytest.raises(IntegrityError), transaction.atomic():
        Vote.objects.create(
            tool=tool, visitor=uuid4(), choice=choice, cast_at=NOON, changed_at=NOON
        )


def test_a_vote_that_fails_at_its_last_statement_leaves_nothing_behind(
    tool: Tool, monkeypatch: pytest.MonkeyPatch
):
    def fail(**_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(VoteEvent.objects, "create", fail)
    with pytest.raises(RuntimeError), transaction.atomic():
        cast(tool, "ship")
    assert (rows(tool), events(tool), tally(tool)) == ([], [], (0, 0))


@pytest.mark.parametrize("is_void", [False, True])
def test_forgetting_a_visitor_keeps_the_votes_and_deletes_every_link_to_them(
    tool: Tool, *, is_void: bool
):
    visitor_id, other = uuid4(), uuid4()
    cast(tool, "ship", by=visitor_id)
    cast(tool, "skip", by=other)
    if is_void:
        void(Vote.objects.filter(visitor=visitor_id))
    before = (tally(tool), sorted(rows(tool)))
    voting.forget(visitor_id)
    assert (tally(tool), sorted(rows(tool))) == before
    assert set(Vote.objects.values_list("visitor", flat=True)) == {None, other}
    assert set(VoteEvent.objects.values_list("visitor", flat=True)) == {None, other}
    assert tallies.drifts() == []


def test_a_deleted_tool_takes_its_votes_with_it(tool: Tool):
    cast(tool, "ship")
    void(Vote.objects.all())
    tool.delete()
    assert [m.objects.count() for m in (Vote, VoteEvent, ToolTally, Voiding)] == [0, 0, 0, 0]


def test_the_first_vote_and_the_thirtieth_run_the_same_queries(tool: Tool, settings: object):
    counts = set()
    cast(tool, "ship", network="198.51.100.0/24")  # creates the tally's row and the day's salt
    for number in range(30):
        with CaptureQueriesContext(connection) as queries:
            cast(tool, "ship", network=f"10.0.{number}.0/24")
        counts.add(sum(q["sql"].split()[0] not in ("SAVEPOINT", "RELEASE") for q in queries))
    assert len(counts) == 1
    assert counts.pop() <= 10


@pytest.mark.parametrize("seed", range(6))
def test_whatever_visitors_do_rows_tally_and_events_tell_the_same(seed: int, settings):
    settings.VOTES_PER_NETWORK_PER_DAY = 2
    settings.VOTES_PER_VISITOR_PER_MINUTE = 10_000
    chance = random.Random(seed)  # noqa: S311
    tools = [factories.tool() for _ in range(3)]
    visitors = [uuid4() for _ in range(6)]
    now, refused = NOON, set()
    for step in range(120):
        now += timedelta(minutes=chance.choice([0, 1, 100]))
        where, visitor_id = chance.choice(tools), chance.choice(visitors)
        if chance.random() < 0.1:
            keys = list(Vote.objects.filter(tool=where).values_list("pk", flat=True))
            votes = Vote.objects.filter(pk__in=chance.sample(keys, len(keys) // 2))
            voiding.void(Voiding(tool=where, reason="a step", voided_at=now), votes)
        elif chance.random() < 0.1 and (act := Voiding.objects.filter(tool=where).first()):
            voiding.undo(act, now)
        else:
            network = chance.choice(["192.0.2.0/24", "198.51.100.0/24"])
            choice = chance.choice(["ship", "skip", ""])
            try:
                cast(where, choice, by=visitor_id, network=network, now=now)
            except RefusedError as error:
                refused.add(error.status)
        if step % 10 == 9:
            for one in tools:
                assert_in_agreement(one)
    assert refused == {409, 429}, "the sequence was worth checking"
    assert Voiding.objects.exclude(undone_at=None).exists()
