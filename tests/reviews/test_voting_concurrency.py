"""Votes at the same instant, each on its own connection: none lost, none doubled, no error."""

from contextlib import suppress
from functools import partial
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client

from reviews import network_limits, tallies, voiding, voting
from reviews.models import Voiding, Vote, VoteEvent
from shipskip.limits.models import DailySalt
from shipskip.web.refusals import RefusedError
from tests import factories
from tests.reviews.voters import (
    NOON,
    assert_in_agreement,
    cast,
    events,
    rows,
    set_visitor_cookie,
    tally,
    void,
    vote_url,
)
from tests.shared_database import at_once, start_waiting
from tests.waiting import WAIT
from tools.models import Bookmark, Tool

pytestmark = pytest.mark.both_databases


@pytest.fixture
def tool(database: None, settings) -> Tool:
    """A tool that one network may vote on often."""
    settings.VOTES_PER_NETWORK_PER_DAY = 1_000
    return factories.tool()


def test_the_file_of_these_tests_is_written_as_the_sites_own(database: None):
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            names = ("journal_mode", "synchronous", "busy_timeout")
            pragmas = [cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in names]
        assert pragmas == ["wal", 2, 20_000]
    assert not connection.in_atomic_block


ROUNDS = 5


def test_visitors_at_the_same_instant_all_count_also_as_the_first_of_a_day_and_a_tool(
    database: None,
):
    for _ in range(ROUNDS):
        DailySalt.objects.all().delete()
        new = factories.tool()
        for number in (1, 2):
            votes = [partial(cast, new, choice) for choice in ("ship", "skip") * 2]
            at_once(*votes)
            assert tally(new) == (2 * number, 2 * number)
        assert DailySalt.objects.count() == 1
        assert VoteEvent.objects.filter(tool=new).values("network").distinct().count() == 1
        assert_in_agreement(new)


def test_a_visitors_first_vote_racing_with_itself_is_one_vote_and_one_event(tool: Tool):
    for number in range(1, ROUNDS + 1):
        visitor_id = uuid4()
        at_once(*[partial(cast, tool, "ship", by=visitor_id)] * 4)
        assert tally(tool) == (number, 0)
        assert VoteEvent.objects.filter(visitor=visitor_id).count() == 1
    assert_in_agreement(tool)


def test_a_visitor_who_sends_both_choices_at_once_has_one_vote_and_it_is_the_later(tool: Tool):
    for _ in range(ROUNDS):
        visitor_id = uuid4()
        at_once(*[partial(cast, tool, choice, by=visitor_id) for choice in ("ship", "skip")])
        vote = Vote.objects.get(tool=tool, visitor=visitor_id)
        last = VoteEvent.objects.filter(visitor=visitor_id).latest("pk")
        assert (last.before, last.after) in {("ship", "skip"), ("skip", "ship")}
        assert vote.choice == last.after
    assert_in_agreement(tool)


def test_changes_and_withdrawals_at_once_leave_rows_and_tally_in_agreement(tool: Tool, settings):
    settings.VOTES_PER_VISITOR_PER_MINUTE = 1_000
    visitor_id = uuid4()
    for _ in range(ROUNDS):
        at_once(*[partial(cast, tool, c, by=visitor_id) for c in ("ship", "skip", "") * 2])
        assert_in_agreement(tool)


def test_forty_browsers_that_vote_and_change_at_once_are_all_answered_and_counted(tool: Tool):
    def keep_voting(*choices: str) -> set[int]:
        client = Client(raise_request_exception=False)
        set_visitor_cookie(client, uuid4())
        return {client.post(vote_url(tool), {"choice": it}).status_code for it in choices}

    functions = [partial(keep_voting, "ship", "skip"), partial(keep_voting, "skip", "ship")]
    assert at_once(*functions * 20) == [{303}] * 40
    assert tally(tool) == (20, 20)
    assert len(events(tool)) == 80
    assert_in_agreement(tool)


@pytest.mark.parametrize(
    ("own_tools", "own_visitors", "most"),
    [
        pytest.param(False, True, 2, id="a network on one tool"),
        pytest.param(True, True, 10, id="a network on all tools"),
        pytest.param(True, False, 7, id="one visitor"),
    ],
)
def test_acts_at_once_are_no_more_than_the_limit(
    tool: Tool, settings, own_tools: bool, own_visitors: bool, most: int
):
    settings.VOTES_PER_NETWORK_PER_DAY = 2
    settings.VOTES_PER_VISITOR_PER_MINUTE = 7
    visitor_id = uuid4()

    def attempt(one: Tool) -> bool:
        with suppress(RefusedError):
            cast(one, "ship", by=uuid4() if own_visitors else visitor_id)
            return True
        return False

    tools = [tool] * 24
    if own_tools:
        tools = [factories.tool(in_category=tool.category) for _ in tools]
    assert sum(map(bool, at_once(*[partial(attempt, one) for one in tools]))) == most
    votes = Vote.objects.filter(tool__in=tools)
    assert (votes.count(), votes.counted().count()) == (most, most)
    assert tallies.drifts() == []


def test_new_browsers_of_a_network_at_once_are_no_more_than_the_limit(tool: Tool, settings):
    settings.NEW_VISITORS_PER_NETWORK_PER_HOUR = 5

    def post(path: str, **form: str) -> int:
        client = Client(raise_request_exception=False)
        return client.post(f"/tools/{tool.slug}/{path}/", form).status_code

    save, vote = partial(post, "bookmark", saved="yes"), partial(post, "vote", choice="ship")
    assert sorted(map(str, at_once(*[save, vote] * 6))) == ["303"] * 5 + ["429"] * 7
    assert Vote.objects.count() + Bookmark.objects.count() == 5


def test_votes_voidings_and_undoing_at_once_leave_rows_and_tally_in_agreement(
    tool: Tool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(voiding, "BATCH", 3)
    votes = Vote.objects.filter(tool=tool)
    for _ in range(ROUNDS):
        for choice in ("ship", "skip", "ship", "skip", "ship"):
            cast(tool, choice)
        undo = partial(voiding.undo, void(votes.counted()), NOON)
        at_once(undo, undo, *[partial(void, votes)] * 2, *[partial(cast, tool, "ship")] * 3)
        assert_in_agreement(tool)
        acts = Voiding.objects.filter(undone_at=None)
        assert votes.filter(voiding__isnull=False).exclude(voiding__in=acts).count() == 0


def test_forgetting_while_a_change_is_under_way_waits_for_it(
    tool: Tool, monkeypatch: pytest.MonkeyPatch
):
    visitor_id, started = uuid4(), []
    cast(tool, "ship", by=visitor_id)

    def forget_meanwhile(*_: object) -> None:
        started.append(start_waiting(partial(voting.forget, visitor_id)))

    monkeypatch.setattr(network_limits, "refuse_past_limits", forget_meanwhile)
    cast(tool, "skip", by=visitor_id)
    started[0].result(WAIT)
    assert rows(tool) == [("skip", "counted")]
    assert tally(tool) == (0, 1)
    assert Vote.objects.get(tool=tool).visitor is None
    assert tallies.drifts() == []


def test_recounting_and_checking_while_votes_come_in_finds_no_false_difference(tool: Tool):
    def vote() -> None:
        for _ in range(10):
            cast(tool, "ship")

    def recount() -> None:
        for _ in range(10):
            tallies.recount(tool.pk)

    def check() -> int:
        return sum(len(tallies.drifts()) for _ in range(20))

    assert at_once(*[vote] * 6, recount, recount, check, check)[-2:] == [0, 0]
    assert tally(tool) == (60, 0)
