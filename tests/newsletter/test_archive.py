"""The public archive of past issues."""

from datetime import timedelta

import pytest
from django.db import IntegrityError

from shipskip.newsletter.issues import composing, scheduling
from shipskip.newsletter.models import Delivery
from tests import factories as make

pytestmark = pytest.mark.django_db

WEEK, HOUR = timedelta(days=7), timedelta(hours=1)
NOON = make.PUBLISHED + timedelta(days=6, hours=3)


def test_a_sent_issue_is_public_with_the_numbers_of_its_day(client):
    tool = make.tool(name="Alpha")
    make.panel(on=tool, ship=2, skip=1, score=77)
    issue = make.sent_issue(about=tool, subject="Alpha: ship", introduction="Hello *you*")
    make.panel(on=tool, skip=5, score=1)
    page = client.get(issue.get_absolute_url()).content.decode()
    assert "Alpha: ship" in page
    assert "Hello <em>you</em>" in page
    assert "2 of 3 ship it" in page
    assert "%leave" not in page


def test_the_list_names_the_newest_first(client):
    for number in range(2):
        moment = make.PUBLISHED + number * WEEK
        make.sent_issue(until=moment, scheduled_at=moment, subject=f"Week {number}")
    page = client.get("/newsletter/").content.decode()
    assert page.index("Week 1") < page.index("Week 0")


def test_draft_scheduled_and_cancelled_issues_are_not_public(client):
    draft = make.issue(subject="Secret")
    assert client.get(draft.get_absolute_url()).status_code == 404
    assert "Secret" not in client.get("/newsletter/").content.decode()
    draft.scheduled_at = draft.until
    draft.save()
    assert client.get(draft.get_absolute_url()).status_code == 404
    frozen = make.frozen(draft, draft.until)
    assert client.get(draft.get_absolute_url()).status_code == 200
    frozen.cancelled_at = frozen.until
    frozen.save()
    assert client.get(draft.get_absolute_url()).status_code == 404


@pytest.mark.parametrize(
    "day", ["2026-13-01", "2026-02-30", "0000-01-01", "2026-5-1", "2030-01-01"]
)
def test_a_day_without_an_issue_is_not_found(client, day):
    assert client.get(f"/newsletter/{day}/").status_code == 404


def test_an_empty_list_says_so(client):
    assert "No issue has been sent yet" in client.get("/newsletter/").content.decode()


def test_an_issue_cancelled_during_sending_keeps_its_page_beside_another_of_its_day(client):
    make.subscriber()
    first = make.frozen(make.issue(scheduled_at=NOON, until=NOON, subject="The first"), NOON)
    Delivery.objects.update(state="sent")
    scheduling.cancel(first, NOON)
    make.panel(on=make.tool(published_at=NOON), ship=2)
    second = composing.compose(NOON)
    assert second
    scheduling.schedule(second, NOON + HOUR)
    second = make.frozen(second, NOON + HOUR)
    assert second.state == "sending"
    assert "The first" in client.get(first.get_absolute_url()).content.decode()
    assert second.subject in client.get(second.get_absolute_url()).content.decode()


def test_an_issue_cancelled_before_it_was_frozen_leaves_its_day_to_the_next(client):
    first = make.issue(scheduled_at=NOON, until=NOON)
    scheduling.cancel(first, NOON)
    make.panel(on=make.tool(published_at=NOON), ship=2)
    second = composing.compose(NOON)
    assert second
    scheduling.schedule(second, NOON)
    assert second.date == NOON.date()


def test_the_database_refuses_two_pages_at_one_address():
    first = make.frozen(make.issue(scheduled_at=NOON, until=NOON), NOON)
    scheduling.cancel(first, NOON)
    with pytest.raises(IntegrityError):
        make.issue(date=first.date)
