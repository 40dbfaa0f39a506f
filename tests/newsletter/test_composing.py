"""Composing, scheduling and cancelling an issue, and when it is due."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command

from reviews.models import Take, TakeChange, ToolTally
from shipskip.newsletter.issues import composing, scheduling, snapshot
from shipskip.newsletter.issues.entry_facts import facts_of
from shipskip.newsletter.models import Delivery, Issue
from tests import factories as make
from tests.source_files import ROOT

pytestmark = pytest.mark.django_db

DAY, WEEK, MINUTE = timedelta(days=1), timedelta(days=7), timedelta(minutes=1)
NOW = make.PUBLISHED + 6 * DAY
MONDAY = NOW + 4 * DAY


def new_tool(*, at=None, **fields):
    """A tool published with takes within the week."""
    tool = make.tool(published_at=at or NOW - DAY, **fields)
    make.panel(on=tool, ship=2, skip=1)
    return tool


def composed(now) -> Issue:
    issue = composing.compose(now)
    assert issue
    return issue


def test_the_rule_creates_a_draft_of_what_was_published_since_the_last_and_repeats_nothing():
    old = make.tool(published_at=NOW - 30 * DAY)
    make.panel(on=old, ship=2, skip=1)
    Take.objects.update(published_at=NOW - 30 * DAY)
    ToolTally.objects.create(tool=old, ship=0, skip=30)
    new = new_tool(name="Alpha")
    judged_now = make.tool(published_at=NOW - 30 * DAY)
    make.take(on=judged_now, published_at=NOW - DAY)
    first = composed(NOW)
    assert [(row.kind, row.tool) for row in first.entries.all()] == [
        ("new_verdict", new),
        ("new_verdict", judged_now),
        ("most_divided", old),
    ]
    assert (first.state, first.until) == ("draft", NOW)
    assert first.subject.startswith("Alpha: ship")
    Issue.objects.update(sent_at=NOW)
    with pytest.raises(composing.NoIssueError, match="No new and no changed verdicts"):
        composing.compose(NOW + DAY)
    later = new_tool(at=NOW + 2 * DAY)
    second = composed(NOW + WEEK)
    assert second.since == first.until
    assert [row.tool for row in second.entries.filter(kind="new_verdict")] == [later]


@pytest.mark.parametrize(
    ("moment", "published", "says", "issues"),
    [
        pytest.param(MONDAY.replace(hour=5, minute=59), True, "Sent 0", 0, id="early"),
        pytest.param(MONDAY.replace(hour=6), False, "No draft is made", 0, id="empty week"),
        pytest.param(MONDAY.replace(hour=6), True, "is a draft", 1, id="first minute"),
        pytest.param(MONDAY.replace(hour=23, minute=59), True, "is a draft", 1, id="last minute"),
        pytest.param(MONDAY + DAY, True, "Sent 0", 0, id="next day"),
    ],
)
def test_the_command_makes_the_draft_on_its_day(clock, capsys, moment, published, says, issues):
    assert f"{MONDAY:%A}" == composing.DRAFT_DAY.split()[0]
    clock(moment)
    if published:
        new_tool(at=moment - DAY)
    call_command("newsletter", "--once")
    assert says in capsys.readouterr().out
    assert Issue.objects.count() == issues


def test_the_command_makes_one_draft_a_day_even_if_it_was_cancelled(clock, capsys):
    clock(MONDAY.replace(hour=6))
    new_tool(at=MONDAY - DAY)
    call_command("newsletter", "--once")
    scheduling.cancel(Issue.objects.get(), MONDAY)
    clock(MONDAY.replace(hour=7))
    call_command("newsletter", "--once")
    assert Issue.objects.count() == 1
    Issue.objects.update(cancelled_at=None)
    clock(MONDAY + WEEK)
    capsys.readouterr()
    call_command("newsletter", "--once")
    assert "is still draft" in capsys.readouterr().out
    assert Issue.objects.count() == 1


def test_documents_timer_and_desk_name_the_day_of_the_draft(admin_client):
    paths = (
        "docs/newsletter.md",
        "docs/operations.md",
        "deploy/systemd/shipskip-newsletter.timer",
    )
    desk = admin_client.get("/admin/newsletter/issue/").content.decode()
    for text in [desk, *((ROOT / path).read_text() for path in paths)]:
        assert composing.DRAFT_DAY in " ".join(text.split())


def test_a_scheduled_issue_is_due_at_its_time_once_and_for_the_confirmed_of_that_moment():
    states = ["confirmed", "waiting", "left", "refused", "confirmed"]
    rows = [make.subscriber(state=state) for state in states]
    new_tool()
    issue = composed(NOW)
    scheduling.schedule(issue, NOW + DAY)
    assert snapshot.create_snapshot(issue.pk, NOW + DAY - MINUTE) is None
    assert not Delivery.objects.exists()
    frozen = make.frozen(issue, NOW + DAY + MINUTE)
    assert (frozen.state, frozen.recipients) == ("sending", 2)
    make.subscriber()
    assert snapshot.create_snapshot(issue.pk, NOW + DAY + MINUTE) is None
    recipients = list(Delivery.objects.values_list("subscriber", flat=True))
    assert sorted(recipients) == [rows[0].pk, rows[4].pk]


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


def test_the_subject_names_the_first_verdicts_and_fits():
    def part(name, kind="new_verdict"):
        return {"kind": kind, "tools": [{"title": name, "verdict": "ship"}]}

    assert composing.subject_of([part("A"), part("B", "changed_verdict")]) == "A: ship; B: now ship"
    many = composing.subject_of([part(f"Tool number {n}") for n in range(9)])
    assert many == "Tool number 0: ship; Tool number 1: ship; and 7 more verdicts"
    assert len(many) <= composing.LONGEST_SUBJECT
    assert composing.subject_of([part("x" * 90)]) == "1 verdict of the week"


@pytest.mark.parametrize("undone", ["slip", "correction", "slip after the draft", ""])
def test_a_verdict_that_was_a_slip_or_a_correction_is_no_news(undone):
    tool = make.tool(published_at=NOW - 30 * DAY)
    takes = make.panel(on=tool, ship=2, skip=1)
    Take.objects.update(published_at=NOW - 30 * DAY)
    new_tool(name="Other")
    slip: dict[str, Any] = {"undone_at": NOW - DAY + MINUTE} if "slip" in undone else {}
    marks = slip or ({"correction": "We misread it."} if undone else {})
    change = TakeChange.objects.create(
        tool=tool,
        reviewer=takes[0].reviewer,
        score_before=40,
        score_after=80,
        verdict_before="skip",
        verdict_after="ship",
        reason="why",
        at=NOW - DAY,
        **({} if "draft" in undone else marks),
    )
    issue = composed(NOW)
    TakeChange.objects.filter(pk=change.pk).update(**marks)
    kinds = [facts["kind"] for _, facts in facts_of(issue)]
    assert ("changed_verdict" in kinds) == (not undone)
