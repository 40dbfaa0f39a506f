"""The public archive of past issues."""

from datetime import timedelta

import pytest
from django.db import IntegrityError

from shipskip.newsletter.issues import composing, scheduling
from shipskip.newsletter.models import Delivery, Issue
from tests import factories as make
from tests.markup import read

pytestmark = pytest.mark.django_db

WEEK, HOUR = timedelta(days=7), timedelta(hours=1)
NOON = make.PUBLISHED + timedelta(days=6, hours=3)


def composed_at_noon() -> Issue:
    """The next issue by rule, about a new tool."""
    make.panel(on=make.tool(published_at=NOON), ship=2)
    issue = composing.compose(NOON)
    assert issue
    return issue


def test_a_sent_issue_is_public_with_the_numbers_of_its_day(client, snapshot):
    tool = make.tool(name="Alpha")
    make.panel(on=tool, ship=2, skip=1, score=77)
    issue = make.sent_issue(about=tool, subject="Alpha: ship", introduction="Hello *you*")
    make.panel(on=tool, skip=5, score=1)
    page = client.get(issue.get_absolute_url())
    assert read(page).visible_text == snapshot
    assert "Hello <em>you</em>" in page.content.decode()
    assert "%leave" not in page.content.decode()


def test_the_list_names_the_newest_first_and_nothing_that_was_not_sent(client):
    make.issue(subject="Secret")
    empty = read(client.get("/newsletter/")).text
    assert "No issue" in empty
    for number in range(2):
        moment = make.PUBLISHED + number * WEEK
        make.sent_issue(until=moment, scheduled_at=moment, subject=f"Week {number}")
    text = read(client.get("/newsletter/")).text
    assert text.index("Week 1") < text.index("Week 0")
    assert "Secret" not in empty + text


def test_draft_scheduled_and_cancelled_issues_are_not_public(client):
    issue = make.issue()
    assert client.get(issue.get_absolute_url()).status_code == 404
    issue.scheduled_at = issue.until
    issue.save()
    assert client.get(issue.get_absolute_url()).status_code == 404
    frozen = make.frozen(issue, issue.until)
    assert client.get(issue.get_absolute_url()).status_code == 200
    frozen.cancelled_at = frozen.until
    frozen.save()
    assert client.get(issue.get_absolute_url()).status_code == 404


def test_a_day_without_an_issue_is_not_found(client):
    for day in ("2026-13-01", "2026-02-30", "0000-01-01", "2026-5-1", "2030-01-01"):
        assert client.get(f"/newsletter/{day}/").status_code == 404, day


def test_an_issue_cancelled_during_sending_keeps_its_page_beside_another_of_its_day(client):
    make.subscriber()
    first = make.frozen(make.issue(scheduled_at=NOON, until=NOON, subject="The first"), NOON)
    Delivery.objects.update(state="sent")
    scheduling.cancel(first, NOON)
    second = composed_at_noon()
    scheduling.schedule(second, NOON + HOUR)
    second = make.frozen(second, NOON + HOUR)
    assert second.state == "sending"
    for issue in (first, second):
        assert issue.subject in read(client.get(issue.get_absolute_url())).text
    with pytest.raises(IntegrityError):
        make.issue(date=first.date)


def test_an_issue_cancelled_before_it_was_frozen_leaves_its_day_to_the_next():
    scheduling.cancel(make.issue(scheduled_at=NOON, until=NOON), NOON)
    second = composed_at_noon()
    scheduling.schedule(second, NOON)
    assert second.date == NOON.date()
