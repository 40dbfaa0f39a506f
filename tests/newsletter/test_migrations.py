"""Migrations of issues from the previous release."""

from datetime import timedelta

import pytest
from django.core.management import call_command

from shipskip.newsletter.models import Issue
from tests import factories as make

NOON = make.PUBLISHED + timedelta(days=6)


@pytest.fixture
def _the_release_before(transactional_db):
    """The tables from before the constraint on issues with one page."""
    call_command("migrate", "newsletter", "0002", verbosity=0)
    yield
    call_command("migrate", "newsletter", verbosity=0)


@pytest.mark.usefixtures("_the_release_before")
def test_issues_that_share_a_page_get_one_each():
    day, gone = NOON.date(), {"frozen_at": NOON, "cancelled_at": NOON, "date": NOON.date()}
    partly, hardly = make.issue(accepted=9, **gone), make.issue(accepted=2, **gone)
    dropped = make.issue(cancelled_at=NOON, date=day)
    alive, next_day = make.issue(date=day), make.issue(date=day + timedelta(days=1))
    call_command("migrate", "newsletter", verbosity=0)
    days = {row.pk: (row.date - day).days for row in Issue.objects.all()}
    expected = {alive.pk: 0, next_day.pk: 1, partly.pk: 2, hardly.pk: 3, dropped.pk: 0}
    assert days == expected
