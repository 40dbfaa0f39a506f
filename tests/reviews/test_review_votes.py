"""`review_votes`: held votes are decided a day later, together, with a reason, once."""

from datetime import datetime, timedelta
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client

from reviews.models import DailySalt, Vote, VoteEvent
from tests import factories
from tests.markup import read
from tests.reviews.voters import (
    HOME,
    NOON,
    assert_in_agreement,
    cast,
    events,
    row_counts,
    tally,
)
from tools.models import Tool

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def _all_are_held(settings):
    settings.VOTES_PER_NETWORK_PER_DAY = 0


@pytest.fixture
def tool() -> Tool:
    return factories.tool(slug="a", name="A")


@pytest.fixture
def review(clock):
    """The output of the command, run at this time."""

    def run(now: datetime) -> str:
        clock(now)
        out = StringIO()
        call_command("review_votes", stdout=out)
        return out.getvalue().strip()

    return run


def hold(tool: Tool, ship: int, skip: int = 0, *, network: str = HOME, now: datetime = NOON):
    for choice in ["ship"] * ship + ["skip"] * skip:
        cast(tool, choice, network=network, now=now)


def states(tool: Tool) -> set[str]:
    return set(Vote.objects.filter(tool=tool).values_list("state", flat=True))


def test_a_script_is_voided_and_an_office_is_released_each_with_a_reason(tool: Tool, review):
    hold(tool, 19, 1, network="script")
    hold(tool, 6, 6, network="office")
    hold(tool, 0, 2, network="home")
    assert tally(tool) == (0, 0)
    output = review(NOON + DAY)
    assert output.startswith("Released 14 held votes, voided 20.")
    assert tally(tool) == (6, 8)
    reasons = Vote.objects.values_list("state", "reason").distinct()
    assert set(reasons) == {
        ("void", "19 of 20 held votes of one network and day say the same"),
        ("counted", "6 of 12 held of one network and day say the same: mixed voices"),
        ("counted", "only 2 held of one network and day"),
    }
    assert_in_agreement(tool)


def test_each_decision_is_an_event_with_its_reason(tool: Tool, review):
    hold(tool, 1, 1)
    review(NOON + DAY)
    assert events(tool) == [
        ("", "ship", "held"),
        ("", "skip", "held"),
        ("ship", "ship", "counted"),
        ("skip", "skip", "counted"),
    ]
    last = VoteEvent.objects.latest("pk")
    assert (last.reason, last.at) == ("only 2 held of one network and day", NOON + DAY)


def test_a_second_run_changes_nothing_and_says_so(tool: Tool, review):
    hold(tool, 12, network="script")
    hold(tool, 1)
    review(NOON + DAY)
    before = (row_counts(), list(Vote.objects.order_by("pk").values()))
    assert review(NOON + DAY).startswith("Released 0 held votes, voided 0.")
    assert (row_counts(), list(Vote.objects.order_by("pk").values())) == before


def test_nothing_is_judged_before_a_day_has_passed(tool: Tool, review):
    hold(tool, 3)
    review(NOON + DAY - timedelta(seconds=1))
    assert states(tool) == {"held"}
    review(NOON + DAY)
    assert states(tool) == {"counted"}


def test_the_votes_of_a_day_are_judged_together_and_never_in_halves(tool: Tool, review):
    for hour in range(12):
        hold(tool, 1, now=NOON.replace(hour=hour))
    review(NOON.replace(hour=6) + DAY)
    assert states(tool) == {"held"}
    review(NOON.replace(hour=11) + DAY)
    assert states(tool) == {"void"}


def test_networks_tools_and_days_are_judged_apart(tool: Tool, review):
    other = factories.tool()
    hold(tool, 9)
    hold(tool, 9, network="198.51.100.0/24")
    hold(tool, 9, now=NOON - DAY)
    hold(other, 9)
    review(NOON + DAY)
    assert (tally(tool), tally(other)) == ((27, 0), (9, 0))


def test_a_held_vote_that_was_changed_is_judged_by_its_present_choice(tool: Tool, review):
    hold(tool, 9)
    who = uuid4()
    cast(tool, "skip", by=who)
    cast(tool, "ship", by=who)
    review(NOON + DAY)
    assert states(tool) == {"void"}


def test_a_held_vote_that_was_taken_back_is_not_judged(tool: Tool, review):
    who = uuid4()
    cast(tool, "ship", by=who)
    cast(tool, "", by=who)
    assert review(NOON + DAY).startswith("Released 0 held votes, voided 0.")


def test_more_votes_than_one_batch_are_all_judged(tool: Tool, review, monkeypatch):
    monkeypatch.setattr("reviews.management.commands.review_votes.BATCH", 5)
    hold(tool, 12)
    assert "voided 12" in review(NOON + DAY)
    assert states(tool) == {"void"}


def test_old_salts_and_marks_of_networks_are_destroyed(tool: Tool, review):
    hold(tool, 1)
    output = review(NOON + 2 * DAY)
    assert output.endswith("Destroyed 1 salts and 1 network hashes older than 48 hours.")
    assert DailySalt.objects.count() == 0
    assert Vote.objects.get().network == ""


def test_the_methodology_page_shows_how_many_are_held_and_void(tool: Tool, review, settings):
    settings.VOTES_PER_NETWORK_PER_DAY = 3
    hold(tool, 17, network="script")
    hold(tool, 2, network="home")

    def methodology_text() -> str:
        return read(Client().get("/methodology/")).text

    assert "Today 5 votes are counted, 14 held and 0 void." in methodology_text()
    assert "more than 3 votes of new visitors" in methodology_text()
    review(NOON + DAY)
    assert "Today 5 votes are counted, 0 held and 14 void." in methodology_text()
