"""Composing, scheduling and cancelling an issue, and when it is due."""

from datetime import timedelta

import pytest
from django.core.management import call_command

from reviews.models import ToolTally
from shipskip.editing.moments import moment_in_words
from shipskip.newsletter.issues import composing, scheduling, snapshot
from shipskip.newsletter.issues.sending_estimate import estimate_in_words
from shipskip.newsletter.models import Delivery, Issue
from tests import factories as make

pytestmark = pytest.mark.django_db

DAY, WEEK, MINUTE = timedelta(days=1), timedelta(days=7), timedelta(minutes=1)
NOW = make.PUBLISHED + 6 * DAY


def new_tool(*, at=None, ship: int = 2, skip: int = 1, **fields):
    """A tool published with takes within the week."""
    tool = make.tool(published_at=at or NOW - DAY, **fields)
    make.panel(on=tool, ship=ship, skip=skip)
    return tool


def composed(now) -> Issue:
    issue = composing.compose(now)
    assert issue
    return issue


def test_the_rule_creates_a_draft_of_what_was_published_since_the_last():
    old = make.tool(published_at=NOW - 30 * DAY)
    for take in make.panel(on=old, ship=2, skip=1):
        take.published_at = NOW - 30 * DAY
        take.save()
    tool = new_tool(name="Alpha")
    ToolTally.objects.create(tool=old, ship=0, skip=30)
    issue = composed(NOW)
    assert [(row.kind, row.tool) for row in issue.entries.all()] == [
        ("new_verdict", tool),
        ("most_divided", old),
    ]
    assert (issue.state, issue.subject, issue.until) == ("draft", "Alpha: ship", NOW)


def test_a_tool_is_new_in_an_issue_when_its_first_take_is_public_and_not_before():
    tool = make.tool(published_at=NOW - 30 * DAY)
    make.take(on=tool, published_at=NOW - DAY)
    assert composed(NOW).entries.get().tool == tool


def test_an_empty_week_makes_no_issue_and_says_so(capsys):
    call_command("make_issue")
    assert "no issue is made" in capsys.readouterr().out
    assert not Issue.objects.exists()


def test_an_open_issue_is_not_changed(clock, capsys):
    clock(NOW)
    new_tool()
    call_command("make_issue")
    call_command("make_issue")
    assert "is still draft: nothing was made" in capsys.readouterr().out
    assert Issue.objects.count() == 1


def test_each_issue_begins_where_the_last_one_ended_and_repeats_nothing():
    new_tool()
    first = composed(NOW)
    Issue.objects.update(sent_at=NOW)
    assert composing.compose(NOW + DAY) is None
    later = new_tool(at=NOW + 2 * DAY)
    second = composed(NOW + WEEK)
    assert second.since == first.until
    assert [row.tool for row in second.entries.filter(kind="new_verdict")] == [later]


def test_the_entries_of_a_cancelled_issue_come_with_the_next():
    tool = new_tool()
    scheduling.cancel(composed(NOW), NOW)
    assert composed(NOW + MINUTE).entries.all()[0].tool == tool


def test_selecting_again_adds_what_is_new_and_keeps_the_texts():
    new_tool()
    issue = composed(NOW)
    issue.introduction = "Hello"
    issue.save()
    new_tool(at=NOW + MINUTE)
    assert composing.choose_again(issue, NOW + 2 * MINUTE)
    issue.refresh_from_db()
    assert issue.entries.filter(kind="new_verdict").count() == 2
    assert issue.introduction == "Hello"


def test_a_scheduled_issue_is_due_a_minute_after_its_time_and_not_a_minute_before():
    make.subscriber()
    new_tool()
    issue = composed(NOW)
    scheduling.schedule(issue, NOW + DAY)
    assert snapshot.create_snapshot(issue.pk, NOW + DAY - MINUTE) is None
    assert not Delivery.objects.exists()
    assert make.frozen(issue, NOW + DAY + MINUTE).state == "sending"
    assert snapshot.create_snapshot(issue.pk, NOW + DAY + MINUTE) is None
    assert Delivery.objects.count() == 1


def test_make_issue_may_schedule_it(clock, capsys):
    clock(NOW)
    new_tool()
    call_command("make_issue", "--send-in", "24")
    issue = Issue.objects.get()
    assert (issue.scheduled_at, issue.date) == (NOW + DAY, (NOW + DAY).date())
    assert "unless an editor cancels it" in capsys.readouterr().out


def test_only_the_confirmed_of_that_moment_are_recipients():
    states = ["confirmed", "waiting", "left", "refused", "confirmed"]
    rows = [make.subscriber(state=state) for state in states]
    new_tool()
    issue = composed(NOW)
    scheduling.schedule(issue, NOW)
    assert make.frozen(issue, NOW).recipients == 2
    make.subscriber()
    found = set(Delivery.objects.values_list("subscriber", flat=True))
    assert found == {rows[0].pk, rows[4].pk}


def test_an_issue_without_remaining_entries_is_cancelled_and_sent_to_nobody():
    make.subscriber()
    tool = new_tool()
    issue = composed(NOW)
    scheduling.schedule(issue, NOW)
    tool.withdraw(NOW)
    assert make.frozen(issue, NOW).state == "cancelled"
    assert not Delivery.objects.exists()


def test_a_day_has_one_issue_and_an_issue_being_sent_is_not_scheduled_again():
    first = make.issue(scheduled_at=NOW, until=NOW)
    second = make.issue(until=NOW + WEEK)
    with pytest.raises(scheduling.ScheduleError, match="that day already"):
        scheduling.schedule(second, NOW)
    snapshot.create_snapshot(first.pk, NOW)
    with pytest.raises(scheduling.ScheduleError, match="cannot be scheduled"):
        scheduling.schedule(first, NOW + DAY)
    assert not scheduling.unschedule(first)


def test_cancelling_during_sending_skips_waiting_mails_and_leaves_the_archive_page():
    for _ in range(3):
        make.subscriber()
    issue = make.frozen(make.issue(scheduled_at=NOW), NOW)
    first = Delivery.objects.all()[0]
    Delivery.objects.filter(pk=first.pk).update(state="sent")
    assert scheduling.cancel(issue, NOW) == 2
    assert scheduling.cancel(issue, NOW) is None
    assert Issue.objects.archived().get().accepted == 1
    assert not Issue.objects.sending().exists()


def test_undoing_a_cancellation_sends_the_skipped_mails_but_not_to_former_subscribers():
    readers = [make.subscriber() for _ in range(3)]
    issue = make.frozen(make.issue(scheduled_at=NOW), NOW)
    issue.deliveries.filter(subscriber=readers[0]).update(state="skipped", reason="left before")
    scheduling.cancel(issue, NOW)
    type(readers[1]).objects.filter(pk=readers[1].pk).update(state="left")
    assert scheduling.undo_cancel(issue, NOW + MINUTE)
    assert not scheduling.undo_cancel(issue, NOW + MINUTE)
    assert Issue.objects.sending().get() == issue
    assert issue.deliveries.waiting(NOW).get().subscriber == readers[2]


def test_an_issue_whose_time_has_passed_is_restored_as_a_draft():
    issue = make.issue(scheduled_at=NOW + DAY)
    scheduling.cancel(issue, NOW)
    assert scheduling.undo_cancel(issue, NOW + DAY)
    issue.refresh_from_db()
    assert issue.state == "draft"


def test_a_sending_estimate_says_how_many_recipients_how_fast_and_when_it_ends():
    start = NOW.replace(hour=23, minute=50)
    for (recipients, rate, starts_at), words in {
        (0, 10, start): "It has no recipients yet: no subscriber is confirmed.",
        (1, 10, None): "It goes to 1 subscriber, at most 10 a second: about a minute.",
        (5, 0, start): "It goes to 5 subscribers, as fast as the mail server accepts them.",
        (36_600, 10, start): (
            "It goes to 36,600 subscribers, at most 10 a second: about 1 h 1 min. Starting on "
            f"{moment_in_words(start)}, it ends at about {moment_in_words(start + 61 * MINUTE)}."
        ),
    }.items():
        assert estimate_in_words(recipients, rate, starts_at) == words


def test_the_subject_names_the_first_verdicts_and_fits():
    def part(name, kind="new_verdict"):
        return {"kind": kind, "tools": [{"title": name, "verdict": "ship"}]}

    assert composing.subject_of([part("A"), part("B", "changed_verdict")]) == "A: ship; B: now ship"
    many = composing.subject_of([part(f"Tool number {n}") for n in range(9)])
    assert many == "Tool number 0: ship; Tool number 1: ship; and 7 more verdicts"
    assert len(many) <= composing.LONGEST_SUBJECT
    assert composing.subject_of([part("x" * 90)]) == "1 verdict of the week"
