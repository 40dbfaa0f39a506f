"""Every change of a vote: the row, the tally and the events right after it."""

import random
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from reviews import tallies, voiding, voting
from reviews.models import ToolTally, Voiding, Vote, VoteEvent
from reviews.scoring import Tally
from shipskip.web.refusals import RefusedError
from tests import factories
from tests.reviews.voters import NOON, assert_in_agreement, cast, events, rows, tally, void
from tools.models import Bookmark, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

HOUR = timedelta(hours=1)
COUNTS = {"ship": (1, 0), "skip": (0, 1), "": (0, 0)}


@pytest.fixture
def tool() -> Tool:
    return factories.tool(slug="a", name="A")


def test_every_transition_leaves_one_row_one_event_and_the_right_tally(tool: Tool):
    """All nine, in one sequence of one visitor."""
    visitor_id, before, first = uuid4(), "", NOON
    for step, after in enumerate(["", "ship", "ship", "skip", "skip", "ship", "", "skip", ""]):
        earlier, now = events(tool), NOON + step * HOUR
        answer = cast(tool, after, by=visitor_id, now=now)
        assert (answer.choice, answer.tally) == (after, Tally(*COUNTS[after]))
        assert tally(tool) == COUNTS[after]
        assert rows(tool) == ([(after, "counted")] if after else [])
        assert events(tool) == earlier + ([(before, after)] if before != after else [])
        if after and before != after:
            first = first if before else now
            vote = Vote.objects.get()
            assert (vote.cast_at, vote.changed_at) == (first, now)
        assert_in_agreement(tool)
        before = after


def test_a_vote_runs_as_many_queries_on_a_tool_of_many_votes_and_the_same_again_writes_nothing(
    tool: Tool,
):
    def statements(choice: str, by: UUID | None = None) -> list[str]:
        """The first words of all queries but savepoints."""
        with CaptureQueriesContext(connection) as queries:
            cast(tool, choice, by=by)
        words = [query["sql"].split()[0] for query in queries]
        return [word for word in words if word not in ("SAVEPOINT", "RELEASE")]

    visitor_id = uuid4()
    cast(tool, "ship", by=visitor_id)  # creates the tally's row and the day's salt
    counts = [len(statements("ship")) for _ in range(6)]
    assert counts == [counts[0]] * 6
    assert counts[0] <= 10
    assert not {"INSERT", "UPDATE", "DELETE"} & set(statements("ship", visitor_id))
    locks = connection.vendor == "postgresql"
    assert len(statements("skip", visitor_id)) == 8 + locks


def test_the_database_itself_refuses_a_second_row_of_a_visitor_and_an_unknown_choice(tool: Tool):
    visitor_id = uuid4()
    cast(tool, "ship", by=visitor_id)
    for by, choice in ((visitor_id, "skip"), (uuid4(), "both"), (uuid4(), "")):
        with pytest.raises(IntegrityError), transaction.atomic():
            Vote.objects.create(tool=tool, visitor=by, choice=choice, cast_at=NOON, changed_at=NOON)


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
    assert (tally(tool), sorted(rows(tool)), tallies.drifts()) == (*before, [])
    for model in (Vote, VoteEvent):
        assert set(model.objects.values_list("visitor", flat=True)) == {None, other}


def test_the_ids_of_visitors_go_when_no_browser_has_them_and_their_votes_stay(tool: Tool):
    """A newer vote, take-back or bookmark keeps all of a visitor's."""
    gone, void_one, back, saved = (uuid4() for _ in range(4))
    old, recent = NOON, NOON + timedelta(days=300)
    other = factories.tool()
    for visitor_id in (gone, void_one, back, saved):
        cast(tool, "ship", by=visitor_id, now=old, network=f"10.{visitor_id.int % 250}.0.0/24")
        Bookmark.objects.save_tool(tool, visitor_id, old)
    void(Vote.objects.filter(visitor=void_one))
    cast(other, "skip", by=back, now=recent)
    cast(other, "", by=back, now=recent)
    Bookmark.objects.save_tool(other, saved, recent)
    before = (tally(tool), sorted(rows(tool)))
    assert voting.forget_gone(old + voting.GONE_AFTER) == 0
    assert voting.forget_gone(old + voting.GONE_AFTER + timedelta(seconds=1)) == 2 * 3
    assert (tally(tool), sorted(rows(tool)), tallies.drifts()) == (*before, [])
    for model in (Vote, VoteEvent):
        assert set(model.objects.values_list("visitor", flat=True)) == {None, back, saved}
    assert set(Bookmark.objects.values_list("visitor", flat=True)) == {back, saved}
    assert Vote.objects.exclude(voiding=None).count() == 1
    assert voting.forget_gone(recent + voting.GONE_AFTER + timedelta(seconds=1)) == 9
    assert not Vote.objects.exclude(visitor=None).exists()


def test_a_deleted_tool_takes_its_votes_with_it(tool: Tool):
    cast(tool, "ship")
    void(Vote.objects.all())
    tool.delete()
    assert [m.objects.count() for m in (Vote, VoteEvent, ToolTally, Voiding)] == [0, 0, 0, 0]


def test_whatever_visitors_do_rows_tally_and_events_tell_the_same(settings):
    settings.VOTES_PER_NETWORK_PER_DAY = 2
    settings.VOTES_PER_VISITOR_PER_MINUTE = 10_000
    chance = random.Random(0)  # noqa: S311
    tools = [factories.tool() for _ in range(3)]
    visitors = [uuid4() for _ in range(6)]
    now, refused = NOON, set()
    for step in range(100):
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
