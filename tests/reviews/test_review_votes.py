"""`review_votes`: releases nothing, voids after 14 days, stores the numbers of finished days."""

from datetime import datetime, timedelta
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from reviews.models import HeldGroup, Vote, VoteDay, VoteEvent
from tests import factories
from tests.markup import read
from tests.reviews.voters import HOME, NOON, assert_in_agreement, cast, events, row_counts, tally
from tools.models import Tool

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def _hold_all_votes(settings):
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


def test_no_vote_is_released_and_undecided_votes_are_void_after_14_days(tool: Tool, review):
    hold(tool, 6, 6)
    assert review(NOON + 13 * DAY).startswith("Voided 0 held votes.")
    assert states(tool) == {"held"}
    assert review(NOON + 14 * DAY).startswith("Voided 12 held votes.")
    assert (states(tool), tally(tool)) == ({"void"}, (0, 0))
    group = HeldGroup.objects.get()
    assert (group.state, group.reason) == ("void", "nobody decided within 14 days")
    assert events(tool)[-1] == ("skip", "skip", "void")
    assert VoteEvent.objects.latest("pk").reason == group.reason
    assert_in_agreement(tool)


def test_a_second_run_changes_nothing(tool: Tool, review):
    hold(tool, 12)
    review(NOON + 14 * DAY)
    before = (row_counts(), list(Vote.objects.order_by("pk").values()))
    assert review(NOON + 14 * DAY).startswith("Voided 0 held votes.")
    assert (row_counts(), list(Vote.objects.order_by("pk").values())) == before


def test_a_void_change_keeps_the_last_counted_choice_in_the_tally(tool: Tool, review, settings):
    settings.VOTES_PER_NETWORK_PER_DAY = 1
    changed, taken_back = uuid4(), uuid4()
    cast(tool, "ship", by=changed)
    cast(tool, "ship", by=taken_back, network="198.51.100.0/24")
    cast(tool, "skip", by=changed)
    cast(tool, "", by=taken_back, network="198.51.100.0/24")
    review(NOON + 14 * DAY)
    assert tally(tool) == (2, 0)
    assert Vote.objects.get(visitor=changed).choice == "skip"
    assert_in_agreement(tool)


def test_votes_on_a_deleted_tool_are_void_too_and_held_votes_without_a_group(tool: Tool, review):
    hold(tool, 1)
    tool.remove(NOON)
    other = factories.tool()
    Vote.objects.create(tool=other, choice="ship", state="held", cast_at=NOON, changed_at=NOON)
    assert review(NOON + 14 * DAY).startswith("Voided 2 held votes.")
    assert not HeldGroup.objects.held().exists()


def test_more_votes_than_one_batch_are_all_void(tool: Tool, review, monkeypatch):
    monkeypatch.setattr("reviews.held_groups.BATCH", 5)
    hold(tool, 12)
    assert review(NOON + 14 * DAY).startswith("Voided 12 held votes.")
    assert states(tool) == {"void"}


def test_the_methodology_page_shows_the_numbers_of_the_last_finished_day(
    tool: Tool, review, settings
):
    settings.VOTES_PER_NETWORK_PER_DAY = 3

    def methodology_text() -> str:
        return read(Client().get("/methodology/")).text

    hold(tool, 17)
    assert "at most 3 votes, changes and take-backs a day" in methodology_text()
    assert "at most 15 those of all tools together" in methodology_text()
    review(NOON + timedelta(hours=1))
    assert "the last day of which we have the numbers" in methodology_text()
    assert "14 were held" not in methodology_text()  # its day is not finished
    review(NOON + DAY)
    sentence = (
        "Of the votes, changes and take-backs of 20 November 2026, the last day of which we have "
        "the numbers, 3 counted and 14 were held. On that day 0 votes were made void."
    )
    assert sentence in methodology_text()
    hold(tool, 5, network="198.51.100.0/24", now=NOON + DAY)
    review(NOON + DAY)
    assert sentence in methodology_text()  # the same all day
    review(NOON + 14 * DAY)
    review(NOON + 15 * DAY)
    days = {row.day: (row.counted, row.held, row.void) for row in VoteDay.objects.all()}
    assert days[NOON.date()] == (3, 14, 0)
    assert days[(NOON + DAY).date()] == (3, 2, 0)
    assert days[(NOON + 14 * DAY).date()] == (0, 0, 14)
    assert len(days) == 16  # the day before the first run, too


def test_the_methodology_page_counts_no_votes(
    client: Client, tool: Tool, django_assert_max_num_queries
):
    hold(tool, 3)
    VoteDay.objects.create(day=timezone.now().date(), counted=1, held=2, void=3)
    with django_assert_max_num_queries(12) as queries:
        client.get("/methodology/")
    statements = " ".join(query["sql"] for query in queries)
    assert 'FROM "reviews_voteday"' in statements
    assert 'FROM "reviews_vote"' not in statements
    assert 'FROM "reviews_voteevent"' not in statements
