"""Migrations of issues from the previous release."""

from datetime import timedelta
from itertools import count

import pytest

from tests import factories as make

pytestmark = pytest.mark.both_databases

NOON = make.PUBLISHED + timedelta(days=6)


def test_issues_that_share_a_page_get_one_each(migrate):
    old_issues = migrate("newsletter", "0002_roles")("Issue").objects
    numbers, day = count(1), NOON.date()

    def issue(**fields):
        week = {"since": NOON - timedelta(days=7), "until": NOON}
        return old_issues.create(number=next(numbers), subject="A week", **week, **fields).pk

    cancelled = {"frozen_at": NOON, "cancelled_at": NOON, "date": day}
    partly, hardly = issue(accepted=9, **cancelled), issue(accepted=2, **cancelled)
    dropped = issue(cancelled_at=NOON, date=day)
    alive, next_day = issue(date=day), issue(date=day + timedelta(days=1))
    issues = migrate("newsletter", "0004_one_page_of_a_date")("Issue").objects
    days = {row.pk: (row.date - day).days for row in issues.all()}
    assert days == {alive: 0, next_day: 1, partly: 2, hardly: 3, dropped: 0}
