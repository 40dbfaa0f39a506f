"""Limits that count an act in a window: the first above the most is refused, also in parallel."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from django.db import connection, transaction

from shipskip.limits.act_limits import (
    DAY,
    HOUR,
    MINUTE,
    ActLimit,
    delete_old_counts,
    in_words,
)
from shipskip.limits.models import ActCount
from shipskip.web.refusals import RefusedError
from tests.reviews.voters import NOON

SECOND = timedelta(seconds=1)


def limit(most: int | str = 2, window: timedelta = HOUR) -> ActLimit:
    return ActLimit("tests", window, most, "More than {most} tests; again in {wait}.")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("window", "now", "seconds", "wait"),
    [
        (MINUTE, NOON + 20 * SECOND, 40, "40 seconds"),
        (MINUTE, NOON + 59.5 * SECOND, 1, "a second"),
        (HOUR, NOON + 15 * MINUTE, 2700, "45 minutes"),
        (DAY, NOON, 12 * 3600, "12 hours"),
    ],
)
def test_the_window_is_of_the_clock_and_the_refusal_says_when_it_ends(
    window: timedelta, now: datetime, seconds: int, wait: str
):
    which = limit(1, window)
    which.admit("a", now)
    with pytest.raises(RefusedError, match=f"More than 1 tests; again in {wait}.") as error:
        which.admit("a", now)
    assert (error.value.status, error.value.retry_after) == (429, seconds)
    which.admit("b", now)
    which.admit("a", now + seconds * SECOND)


@pytest.mark.both_databases
@pytest.mark.django_db
@pytest.mark.parametrize("most", [0, 3])
def test_a_hundred_acts_leave_one_row_that_counts_those_admitted(settings, most: int):
    settings.JOINS_PER_NETWORK_PER_DAY = most
    assert sum(limit("JOINS_PER_NETWORK_PER_DAY").count("a", NOON) for _ in range(100)) == most
    assert list(ActCount.objects.values_list("acts", flat=True)) == [most][:most]


@pytest.mark.both_databases
@pytest.mark.django_db
def test_an_act_that_is_rolled_back_is_not_counted():
    with transaction.atomic():
        limit().admit("a", NOON)
        transaction.set_rollback(True)
    assert not ActCount.objects.exists()


@pytest.mark.django_db
def test_counts_are_deleted_when_their_window_has_ended():
    limit().admit("a", NOON)
    assert delete_old_counts(NOON + HOUR - SECOND) == 0
    assert delete_old_counts(NOON + HOUR) == 1


@pytest.mark.both_databases
def test_parallel_acts_do_not_exceed_the_limit(database):
    def admit(_: int) -> bool:
        try:
            return limit(20).count("a", NOON)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(admit, range(40))) == 20


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (90, "90 seconds"),
        (91, "2 minutes"),
        (3_600, "1 hour"),
        (3_661, "1 hour and 2 minutes"),
    ],
)
def test_a_wait_is_said_in_words(seconds: int, words: str):
    assert in_words(seconds) == words
