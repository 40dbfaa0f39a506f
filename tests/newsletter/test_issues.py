"""Issues: composed by rule, scheduled, frozen, cancelled, and read in the archive."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError

from reviews.models import Take, TakeChange, ToolTally
from shipskip.newsletter.issues import composing, scheduling
from shipskip.newsletter.issues import snapshot as freezing
from shipskip.newsletter.issues.entry_facts import facts_of
from shipskip.newsletter.models import Delivery, Issue
from tests import factories as make
from tests.markup import read
from tests.shared_database import start_waiting
from tests.source_files import ROOT
from tests.waiting import WAIT

pytestmark = pytest.mark.django_db

MINUTE, HOUR, DAY, WEEK = (timedelta(minutes=n) for n in (1, 60, 1_440, 10_080))
NOW = make.PUBLISHED + 6 * DAY
MONDAY = NOW + 4 * DAY


def new_tool(*, at=NOW - DAY, **fields):
    tool = make.tool(published_at=at, **fields)
    make.panel(on=tool, ship=2, skip=1)
    return tool


def composed(now: datetime) -> Issue:
    issue = composing.compose(now)
    assert issue
    return issue


def test_the_rule_creates_a_draft_of_what_was_published_since_the_last_and_repeats_nothing():
    old = new_tool(at=NOW - 30 * DAY)
    Take.objects.update(published_at=NOW - 30 * DAY)
    ToolTally.objects.create(tool=old, ship=0, skip=30)
    new = new_tool(name="Alpha")
    judged_now = make.tool(published_at=NOW - 30 * DAY)
    make.take(on=judged_now, published_at=NOW - DAY)
    new_again = make.tool(published_at=NOW - 2 * DAY)  # readers saw it first in this week
    make.take(on=new_again, published_at=NOW - 30 * DAY)
    for tool in (old, new_again):
        tool.withdraw(NOW - DAY)
        tool.published_at = NOW - HOUR
        tool.save()
    first = composed(NOW)
    assert [(row.kind, row.tool) for row in first.entries.all()] == [
        ("new_verdict", new),
        ("new_verdict", judged_now),
        ("new_verdict", new_again),
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


def test_the_command_makes_one_draft_on_its_day_even_if_it_was_cancelled(clock, capsys):
    def run(moment: datetime) -> tuple[str, int]:
        clock(moment)
        call_command("newsletter", "--once")
        return capsys.readouterr().out, Issue.objects.count()

    six = MONDAY.replace(hour=6)
    assert "No draft is made" in run(six)[0], "an empty week"
    new_tool(at=MONDAY - DAY)
    for moment, words, number in (
        (six - MINUTE, "Sent 0", 0),
        (six + 18 * HOUR, "Sent 0", 0),
        (six + 18 * HOUR - MINUTE, "is a draft", 1),
        (six, "is a draft", 1),
    ):
        Issue.objects.all().delete()
        output, issues = run(moment)
        assert words in output, moment
        assert issues == number
    scheduling.cancel(Issue.objects.get(), MONDAY)
    assert run(six + HOUR)[1] == 1
    Issue.objects.update(cancelled_at=None)
    output, issues = run(six + WEEK)
    assert "is still draft" in output
    assert issues == 1


def test_documents_timer_and_desk_name_the_day_of_the_draft(admin_client):
    assert f"{MONDAY:%A}" == composing.DRAFT_DAY.split()[0]
    paths = ["docs/newsletter.md", "docs/operations.md"]
    paths.append("deploy/systemd/shipskip-newsletter.timer")
    texts = [(ROOT / path).read_text() for path in paths]
    for text in [*texts, admin_client.get("/admin/newsletter/issue/").content.decode()]:
        assert composing.DRAFT_DAY in " ".join(text.split())


def test_a_scheduled_issue_is_due_at_its_time_once_and_for_the_confirmed_of_that_moment(client):
    states = ["confirmed", "waiting", "left", "refused", "confirmed"]
    rows = [make.subscriber(state=state) for state in states]
    new_tool()
    issue = composed(NOW)
    assert client.get(issue.get_absolute_url()).status_code == 404, "a draft"
    scheduling.schedule(issue, NOW + DAY)
    assert freezing.create_snapshot(issue.pk, NOW + DAY - MINUTE) is None
    assert not Delivery.objects.exists()
    assert client.get(issue.get_absolute_url()).status_code == 404, "scheduled"
    frozen = make.frozen(issue, NOW + DAY + MINUTE)
    assert (frozen.state, frozen.recipients) == ("sending", 2)
    assert client.get(issue.get_absolute_url()).status_code == 200
    make.subscriber()
    assert freezing.create_snapshot(issue.pk, NOW + DAY + MINUTE) is None
    recipients = list(Delivery.objects.values_list("subscriber", flat=True))
    assert sorted(recipients) == [rows[0].pk, rows[4].pk]
    with pytest.raises(scheduling.ScheduleError, match="cannot be scheduled"):
        scheduling.schedule(frozen, NOW + WEEK)
    assert not scheduling.unschedule(frozen)
    scheduling.cancel(frozen, NOW + DAY)
    assert client.get(issue.get_absolute_url()).status_code == 404, "cancelled before any mail"


@pytest.mark.both_databases
def test_of_two_processes_at_once_one_freezes_a_due_issue(database, monkeypatch):
    make.subscriber()
    issue, second = make.issue(scheduled_at=NOW), []
    freeze = partial(freezing.create_snapshot, issue.pk, NOW)

    def facts_while_another_begins(locked: Issue) -> Any:
        monkeypatch.setattr(freezing, "facts_of", facts_of)
        second.append(start_waiting(freeze))
        return facts_of(locked)

    monkeypatch.setattr(freezing, "facts_of", facts_while_another_begins)
    assert freeze() == issue
    assert second[0].result(WAIT) is None
    assert Delivery.objects.count() == 1


def test_an_issue_without_remaining_entries_is_cancelled_and_leaves_its_day_to_the_next():
    make.subscriber()
    tool = new_tool()
    issue, other = composed(NOW), make.issue(until=NOW + WEEK)
    scheduling.schedule(issue, NOW)
    with pytest.raises(scheduling.ScheduleError, match="that day already"):
        scheduling.schedule(other, NOW)
    tool.withdraw(NOW)
    assert make.frozen(issue, NOW).state == "cancelled"
    assert not Delivery.objects.exists()
    scheduling.schedule(other, NOW)
    assert other.date == NOW.date()


def test_an_issue_cancelled_during_sending_keeps_its_page_beside_another_of_its_day(client):
    for _ in range(3):
        make.subscriber()
    first = make.frozen(make.issue(scheduled_at=NOW, until=NOW, subject="The first"), NOW)
    Delivery.objects.filter(pk=Delivery.objects.all()[0].pk).update(state="sent")
    assert scheduling.cancel(first, NOW) == 2
    assert scheduling.cancel(first, NOW) is None
    assert Issue.objects.archived().get().accepted == 1
    assert not Issue.objects.sending().exists()
    new_tool(at=NOW + HOUR)
    second = composed(NOW + HOUR)
    scheduling.schedule(second, NOW + HOUR)
    second = make.frozen(second, NOW + HOUR)
    for issue in (first, second):
        assert issue.subject in read(client.get(issue.get_absolute_url())).text
    with pytest.raises(IntegrityError):
        make.issue(date=first.date)


def test_the_subject_names_the_first_verdicts_and_fits():
    def part(name, kind="new_verdict"):
        return {"kind": kind, "tools": [{"title": name, "verdict": "ship"}]}

    assert composing.subject_of([part("A"), part("B", "changed_verdict")]) == "A: ship; B: now ship"
    many = composing.subject_of([part(f"Tool number {n}") for n in range(9)])
    assert many == "Tool number 0: ship; Tool number 1: ship; and 7 more verdicts"
    assert composing.subject_of([part("x" * 90)]) == "1 verdict of the week"


def test_a_verdict_that_was_a_slip_or_a_correction_is_no_news():
    slip, correction = {"undone_at": NOW - DAY + MINUTE}, {"correction": "We misread it."}
    for number, marks in enumerate((slip, correction, {}, {})):
        tool = new_tool(at=NOW - 30 * DAY, name=f"Tool {number}")
        by, change = tool.takes.all()[0].reviewer, {"before": (90, "skip"), "after": (80, "ship")}
        make.take_change(on=tool, by=by, at=NOW - DAY, **change, **marks)
    Take.objects.update(published_at=NOW - 30 * DAY)
    issue = composed(NOW)
    changed = issue.entries.filter(kind="changed_verdict").order_by("tool__name")
    assert list(changed.values_list("tool__name", flat=True)) == ["Tool 2", "Tool 3"]
    TakeChange.objects.filter(tool__name="Tool 3").update(**slip)
    news = [facts for _, facts in facts_of(issue) if facts["kind"] == "changed_verdict"]
    assert [facts["tools"][0]["title"] for facts in news] == ["Tool 2"], "a later slip"


def test_the_archive_has_sent_issues_alone_with_the_numbers_of_their_day(client, snapshot):
    make.issue(subject="Secret", until=NOW - WEEK)
    assert "No issue" in (empty := read(client.get("/newsletter/")).text)
    tool = make.tool(name="Alpha")
    make.panel(on=tool, ship=2, skip=1, score=77)
    issue = make.sent_issue(about=tool, subject="Alpha: ship", introduction="Hello *you*")
    make.panel(on=tool, skip=5, score=1)
    page = client.get(issue.get_absolute_url())
    assert read(page).visible_text == snapshot
    assert "Hello <em>you</em>" in page.content.decode()
    moment = NOW + WEEK
    make.sent_issue(until=moment, scheduled_at=moment, subject="The next week")
    text = read(client.get("/newsletter/")).text
    assert text.index("The next week") < text.index("Alpha: ship")
    assert "Secret" not in empty + text
    assert client.get("/newsletter/2030-01-01/").status_code == 404
