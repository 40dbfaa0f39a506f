"""Migrations of issues from the previous release."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import count

import pytest
from django.core.management import call_command
from django.db import connection, models
from django.db.migrations.executor import MigrationExecutor

from shipskip.newsletter.models import Issue
from tests import factories as make

NOON = make.PUBLISHED + timedelta(days=6)


@pytest.fixture
def old_issues(transactional_db: None) -> Iterator[models.Manager]:
    """Issues in the tables from before the constraint on issues with one page."""
    call_command("migrate", "newsletter", "0002", verbosity=0)
    state = MigrationExecutor(connection).loader.project_state(("newsletter", "0002_roles"))
    yield state.apps.get_model("newsletter", "Issue").objects
    call_command("migrate", "newsletter", verbosity=0)


def test_issues_that_share_a_page_get_one_each(old_issues):
    numbers, day = count(1), NOON.date()

    def issue(**fields):
        week = {"since": NOON - timedelta(days=7), "until": NOON}
        return old_issues.create(number=next(numbers), subject="A week", **week, **fields).pk

    cancelled = {"frozen_at": NOON, "cancelled_at": NOON, "date": day}
    partly, hardly = issue(accepted=9, **cancelled), issue(accepted=2, **cancelled)
    dropped = issue(cancelled_at=NOON, date=day)
    alive, next_day = issue(date=day), issue(date=day + timedelta(days=1))
    call_command("migrate", "newsletter", verbosity=0)
    days = {row.pk: (row.date - day).days for row in Issue.objects.all()}
    assert days == {alive: 0, next_day: 1, partly: 2, hardly: 3, dropped: 0}
