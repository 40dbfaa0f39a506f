"""Votes at the same instant, each on its own connection: none lost, none doubled, no error."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier, Event, Thread
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test import Client

from reviews import network_limits, tallies, voiding, voting
from reviews.models import Voiding, Vote, VoteEvent
from shipskip.limits.models import DailySalt
from shipskip.web.connections import DATABASE_POOL
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
from tools.models import Bookmark, Tool

pytestmark = pytest.mark.both_databases

WAIT = 300
"""Seconds after which a thread without an answer fails the test."""


@pytest.fixture
def tool(database: None) -> Tool:
    return factories.tool()


def at_once(*functions: Callable[[], object]) -> list[object]:
    """The results of functions that start at the same instant; raises the first error."""
    start = Barrier(len(functions))

    def run(function: Callable[[], object]) -> object:
        try:
            if len(functions) < DATABASE_POOL:
                connection.ensure_connection()  # so that the functions race, not their connections
            start.wait(WAIT)
            return function()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(functions)) as pool:
        return list(pool.map(run, functions, timeout=WAIT))


def test_the_file_of_these_tests_is_written_as_the_sites_own(database: None):
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            pragmas = [
                cursor.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("journal_mode", "synchronous", "busy_timeout")
            ]
        assert pragmas == ["wal", 2, 20_000]
    assert not connection.in_atomic_block


def test_two_visitors_at_the_same_instant_both_count(tool: Tool):
    for number in range(1, 11):
        at_once(lambda: cast(tool, "ship"), lambda: cast(tool, "skip"))
        assert tally(tool) == (number, number)
    assert_in_agreement(tool)


def test_the_first_votes_ever_of_a_day_and_a_tool_race_without_a_fault(database: None):
    for _ in range(5):
        DailySalt.objects.all().delete()
        new = factories.tool()
        at_once(*[lambda: cast(new, "ship")] * 4)  # noqa: B023
        assert tally(new) == (4, 0)
        assert DailySalt.objects.count() == 1
        assert VoteEvent.objects.filter(tool=new).values("network").distinct().count() == 1


def test_a_visitors_first_vote_racing_with_itself_is_one_vote_and_one_event(tool: Tool):
    for number in range(1, 11):
        visitor_id = uuid4()
        at_once(*[lambda: cast(tool, "ship", by=visitor_id)] * 4)  # noqa: B023
        assert tally(tool) == (number, 0)
        assert VoteEvent.objects.filter(visitor=visitor_id).count() == 1
    assert_in_agreement(tool)


def test_a_visitor_who_sends_both_choices_at_once_has_one_vote_and_it_is_the_later(tool: Tool):
    for _ in range(10):
        visitor_id = uuid4()
        at_once(*[partial(cast, tool, choice, by=visitor_id) for choice in ("ship", "skip")])
        vote = Vote.objects.get(tool=tool, visitor=visitor_id)
        last = VoteEvent.objects.filter(visitor=visitor_id).latest("pk")
        assert (last.before, last.after) in {("ship", "skip"), ("skip", "ship")}
        assert vote.choice == last.after
    assert_in_agreement(tool)


def test_changes_and_withdrawals_at_once_leave_rows_and_tally_in_agreement(tool: Tool, settings):
    settings.VOTES_PER_VISITOR_PER_MINUTE = settings.VOTES_PER_NETWORK_PER_DAY = 1_000
    visitor_id = uuid4()
    for _ in range(10):
        functions = [lambda c=c: cast(tool, c, by=visitor_id) for c in ("ship", "skip", "")]
        at_once(*functions, *functions)
        assert_in_agreement(tool)


def test_votes_of_forty_threads_on_one_tool_are_neither_lost_nor_doubled(tool: Tool, settings):
    settings.VOTES_PER_NETWORK_PER_DAY = 1_000

    def keep_voting(visitor_id: UUID, last: str) -> None:
        for choice in ("ship", "skip", "", last):
            cast(tool, choice, by=visitor_id)

    at_once(*[lambda n=n: keep_voting(uuid4(), ("ship", "skip")[n % 2]) for n in range(40)])
    assert tally(tool) == (20, 20)
    assert len(events(tool)) == 160
    assert_in_agreement(tool)


def accepted(*votes: Callable[[], object]) -> int:
    """How many of these votes at the same instant are not refused."""

    def attempt(vote: Callable[[], object]) -> bool:
        try:
            vote()
        except RefusedError:
            return False
        return True

    return sum(map(bool, at_once(*[partial(attempt, vote) for vote in votes])))


def test_votes_of_forty_threads_behind_one_address_count_up_to_the_limit(tool: Tool):
    assert accepted(*[lambda: cast(tool, "ship")] * 40) == 20
    assert tally(tool) == (20, 0)
    assert rows(tool) == [("ship", "counted")] * 20
    assert_in_agreement(tool)


def test_one_visitor_on_forty_tools_at_once_makes_no_more_changes_than_the_limit(
    tool: Tool, settings
):
    """Without a lock 34 of 30 passed."""
    settings.VOTES_PER_NETWORK_PER_DAY = 1_000
    visitor_id, tools = uuid4(), [factories.tool() for _ in range(40)]
    assert accepted(*[partial(cast, one, "ship", by=visitor_id) for one in tools]) == 30


def test_a_network_on_forty_tools_at_once_changes_no_more_tallies_than_the_limit(
    tool: Tool, settings
):
    settings.VOTES_PER_NETWORK_PER_DAY = 2
    tools = [factories.tool() for _ in range(40)]
    assert accepted(*[partial(cast, one, "ship") for one in tools]) == 10
    assert Vote.objects.count() == 10


def test_new_browsers_of_a_network_at_once_are_no_more_than_the_limit(tool: Tool, settings):
    settings.NEW_VISITORS_PER_NETWORK_PER_HOUR = 5

    def save_or_vote(number: int) -> int:
        what = ("bookmark", {"saved": "yes"}) if number % 2 else ("vote", {"choice": "ship"})
        client = Client(raise_request_exception=False)
        return client.post(f"/tools/{tool.slug}/{what[0]}/", what[1]).status_code

    answers = at_once(*[lambda n=n: save_or_vote(n) for n in range(12)])
    assert sorted(map(str, answers)) == ["303"] * 5 + ["429"] * 7
    assert Vote.objects.count() + Bookmark.objects.count() == 5


def test_votes_voidings_and_undoing_at_once_leave_rows_and_tally_in_agreement(
    tool: Tool, settings, monkeypatch: pytest.MonkeyPatch
):
    settings.VOTES_PER_NETWORK_PER_DAY = 1_000
    monkeypatch.setattr(voiding, "BATCH", 3)
    votes = Vote.objects.filter(tool=tool)
    for _ in range(5):
        for choice in ("ship", "skip", "ship", "skip", "ship"):
            cast(tool, choice)
        act = void(votes.counted())
        at_once(
            lambda: voiding.undo(act, NOON),  # noqa: B023
            lambda: voiding.undo(act, NOON),  # noqa: B023
            *[lambda: void(votes)] * 2,
            *[lambda: cast(tool, "ship")] * 3,
        )
        assert_in_agreement(tool)
        acts = Voiding.objects.filter(undone_at=None)
        assert votes.filter(voiding__isnull=False).exclude(voiding__in=acts).count() == 0


def test_forty_browsers_at_once_are_all_answered_and_all_counted(tool: Tool, settings):
    settings.VOTES_PER_NETWORK_PER_DAY = 1_000

    def browse(number: int) -> int:
        client = Client(raise_request_exception=False)
        set_visitor_cookie(client, uuid4())
        choice = ("ship", "skip")[number % 2]
        return client.post(vote_url(tool), {"choice": choice}).status_code

    answers = at_once(*[lambda n=n: browse(n) for n in range(40)])
    assert answers == [303] * 40
    assert tally(tool) == (20, 20)
    assert_in_agreement(tool)


def test_a_double_click_of_a_new_browser_with_its_cookie_is_one_vote(tool: Tool):
    visitor_id = uuid4()

    def click() -> int:
        client = Client(raise_request_exception=False)
        set_visitor_cookie(client, visitor_id)
        return client.post(vote_url(tool), {"choice": "ship"}).status_code

    assert at_once(click, click, click) == [303] * 3
    assert (rows(tool), events(tool)) == ([("ship", "counted")], [("", "ship")])


def test_forgetting_while_a_change_is_under_way_waits_for_it(
    tool: Tool, monkeypatch: pytest.MonkeyPatch
):
    visitor_id, finished = uuid4(), Event()
    cast(tool, "ship", by=visitor_id)

    def forget() -> None:
        try:
            voting.forget(visitor_id)
        finally:
            connection.close()
            finished.set()

    forgetting = Thread(target=forget)

    def pause(*_: object) -> None:
        forgetting.start()
        assert not finished.wait(0.3), "it should wait for the lock on the vote"

    monkeypatch.setattr(network_limits, "refuse_past_limits", pause)
    cast(tool, "skip", by=visitor_id)
    forgetting.join(WAIT)
    assert rows(tool) == [("skip", "counted")]
    assert tally(tool) == (0, 1)
    assert Vote.objects.get(tool=tool).visitor is None
    assert tallies.drifts() == []


def test_recounting_while_votes_come_in_ends_in_agreement(tool: Tool, settings):
    settings.VOTES_PER_NETWORK_PER_DAY = 1_000

    def vote_ten_times() -> None:
        for _ in range(10):
            cast(tool, "ship")

    def recount() -> None:
        for _ in range(10):
            tallies.recount(tool.pk)

    at_once(*[vote_ten_times] * 6, recount, recount)
    assert tally(tool) == (60, 0)


def test_a_check_during_votes_finds_no_false_difference(tool: Tool, settings):
    settings.VOTES_PER_NETWORK_PER_DAY = 1_000

    def vote() -> None:
        for _ in range(40):
            cast(tool, "ship")

    def check() -> int:
        return sum(len(tallies.drifts()) for _ in range(40))

    assert at_once(vote, vote, check, check)[2:] == [0, 0]
    assert tally(tool) == (80, 0)
