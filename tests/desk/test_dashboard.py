"""The first page of the desk: each part with and without content, for each role."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from shipskip.jobs.models import JobRun
from tests import factories as make
from tests.desk.editor_clients import Part, changed, desk_of, queries_of
from tools.models import Tool

pytestmark = pytest.mark.django_db

PATH = "/admin/"
NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
MIDNIGHT = datetime(2026, 6, 16, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


@pytest.fixture
def publisher(clock, db):
    clock(NOW)
    return desk_of("Publishers")


@pytest.fixture
def writer(clock, db):
    clock(NOW)
    return desk_of("Writers")


# --- Scheduled ------------------------------------------------------------------------------


def test_an_empty_schedule_says_so(publisher):
    text = Part(publisher, "scheduled").text
    assert text == "Scheduled Today Nothing more is scheduled for today."


def test_the_schedule_shows_what_goes_public_when_and_links_to_it(publisher):
    first, second = make.tool(name="One", tagline="1"), make.tool(name="Two", tagline="2")
    at = datetime(2026, 6, 15, 18, 30, tzinfo=UTC)
    tool = make.tool(name="Soon", tagline="It comes", published_at=at)
    take = make.take(on=first, by=make.reviewer(name="Builder"), published_at=at - MINUTE)
    pair = make.comparison(tools=(first, second), published_at=at + DAY)
    part = Part(publisher, "scheduled")
    assert part.lines == [
        "18:29 UTC Take: Builder on One",
        "18:30 UTC Tool: Soon",
        "18:30 UTC Comparison: One vs Two",
    ]
    assert part.links == {
        "Builder on One": reverse("admin:reviews_take_change", args=[take.pk]),
        "Soon": reverse("admin:tools_tool_change", args=[tool.pk]),
        "One vs Two": reverse("admin:comparisons_comparison_change", args=[pair.pk]),
    }
    today, tomorrow = part.text.split("Tomorrow")
    assert "Soon" in today
    assert "One vs Two" in tomorrow


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        (NOW, None),
        (NOW + MINUTE, "Today"),
        (MIDNIGHT - MINUTE, "Today"),
        (MIDNIGHT, "Tomorrow"),
        (MIDNIGHT + DAY - MINUTE, "Tomorrow"),
        (MIDNIGHT + DAY, "Wednesday 17 June 2026"),
        (MIDNIGHT + 40 * DAY, "Sunday 26 July 2026"),
    ],
)
def test_a_day_ends_at_midnight_utc(publisher, moment, day):
    make.tool(name="Needle", published_at=moment)
    text = Part(publisher, "scheduled").text
    assert ("Needle" in text) == (day is not None)
    if day:
        assert re.search(rf"{day} \d\d:\d\d UTC Tool: Needle", text)


def test_an_issue_is_on_the_schedule(publisher, client):
    issue = make.issue(subject="Two verdicts", scheduled_at=NOW + 4 * DAY)
    make.issue(subject="Sent", scheduled_at=NOW - DAY, date="2026-06-01")
    make.issue(subject="Cancelled", scheduled_at=NOW + DAY, cancelled_at=NOW, date="2026-06-02")
    part = Part(publisher, "scheduled")
    assert part.lines == [f"12:00 UTC Issue: No. {issue.number}: Two verdicts"]
    address = reverse("admin:newsletter_issue_change", args=[issue.pk])
    assert part.links == {f"No. {issue.number}: Two verdicts": address}
    assert "Friday 19 June 2026" in part.text


def test_a_row_leaves_the_schedule_at_its_publication_time(clock, publisher):
    make.tool(name="Needle", published_at=NOW + MINUTE)
    assert "Needle" in Part(publisher, "scheduled").text
    clock(NOW + 2 * MINUTE)
    assert "Needle" not in Part(publisher, "scheduled").text


def test_a_long_schedule_links_to_the_list_of_scheduled_rows(publisher):
    for at in range(21):
        make.tool(name=f"Needle {at:02}", published_at=NOW + (at + 1) * MINUTE)
    part = Part(publisher, "scheduled")
    assert "Needle 19" in part.text
    assert "Needle 20" not in part.text
    assert part.links["Tools: show all"] == "/admin/tools/tool/?state=scheduled"
    listed = publisher.get("/admin/tools/tool/?state=scheduled")
    assert listed.context["cl"].queryset.count() == 21


def test_rows_of_a_deleted_tool_are_not_on_the_schedule(publisher):
    tool = make.tool(name="Needle", published_at=NOW + MINUTE)
    make.take(on=tool, published_at=NOW + MINUTE)
    make.comparison(tools=(tool, make.tool()), published_at=NOW + MINUTE)
    Tool.objects.filter(pk=tool.pk).update(deleted_at=NOW)
    assert "Needle" not in Part(publisher, "scheduled").text


# --- Takes missing --------------------------------------------------------------------------


def test_without_a_panel_no_take_is_missing(publisher):
    make.tool()
    assert "There are no reviewers on the panel yet" in Part(publisher, "missing").text


def test_a_complete_panel_is_stated_in_a_sentence(publisher):
    make.take(published_at=None)
    make.tool(published_at=None)
    text = Part(publisher, "missing").text
    assert "Every reviewer has a take on every public tool." in text


def test_missing_takes_are_listed_for_each_reviewer_and_tool(publisher):
    old = make.tool(name="Old", tagline="was first", published_at=NOW - 9 * DAY)
    new = make.tool(name="New", tagline="came last", published_at=NOW - DAY)
    make.tool(published_at=NOW + DAY)
    done = make.reviewer(name="Done", slug="done", position=1)
    half = make.reviewer(name="Half", slug="half", position=2)
    late = make.reviewer(name="Late", slug="late", position=3)
    make.reviewer(name="Soon", published_at=None)
    for tool in (old, new):
        make.take(on=tool, by=done)
    make.take(on=new, by=half, published_at=None)
    part = Part(publisher, "missing")
    assert part.lines == [
        "Done: none",
        "Half: 1",
        "Late: 2",
        "New Late on New: write it",
        "Old Half on Old: write it, Late on Old: write it",
    ]
    assert part.links["Late on Old: write it"] == (
        f"/admin/reviews/take/add/?tool={old.pk}&reviewer={late.pk}&missing=next"
    )
    in_all = publisher.get(part.links["3 takes missing"])
    assert [row.tool.name for row in in_all.context["table"].rows] == ["New", "Old"]
    of_half = publisher.get(part.links["Half: 1"])
    assert [row.tool.name for row in of_half.context["table"].rows] == ["Old"]


def test_the_ten_newest_tools_with_a_gap_are_named(publisher):
    make.reviewer()
    for at in range(11):
        make.tool(name=f"Tool {at:02}", published_at=NOW - (20 - at) * DAY)
    text = Part(publisher, "missing").text
    assert "11 takes missing" in text
    assert text.index("Tool 10") < text.index("Tool 01")
    assert "Tool 00" not in text


def test_a_tool_counts_from_the_moment_it_is_public(clock, publisher):
    make.reviewer()
    make.tool(name="Needle", published_at=NOW + MINUTE)
    assert "Needle" not in Part(publisher, "missing").text
    clock(NOW + 2 * MINUTE)
    assert "1 take missing" in Part(publisher, "missing").text


# --- Drafts ---------------------------------------------------------------------------------


def test_the_absence_of_drafts_is_stated_in_a_sentence(publisher):
    make.tool()
    assert Part(publisher, "drafts").text == "Drafts There are no drafts."


def set_first_version(model, row, moment):
    """Give a row a history whose first version is of that moment."""
    model.history.filter(id=row.pk).update(history_date=moment)
    row.save()
    return row


def test_only_drafts_are_counted_as_drafts(publisher):
    make.tool(published_at=NOW + DAY)
    make.tool(published_at=None, withdrawn_at=NOW)
    deleted = make.tool(published_at=None)
    make.take(on=deleted, published_at=None)
    deleted.remove(NOW)
    assert "There are no drafts." in Part(publisher, "drafts").text
    make.take(published_at=None)
    make.category(published_at=None)
    make.reviewer(published_at=None)
    part = Part(publisher, "drafts")
    assert part.text == "Drafts Takes: 1, Categories: 1, Reviewers: 1"


def test_the_counts_lead_to_the_lists_of_drafts(publisher):
    make.take(published_at=None)
    part = Part(publisher, "drafts")
    assert part.links["Takes: 1"] == "/admin/reviews/take/?state=draft"
    assert publisher.get(part.links["Takes: 1"]).context["cl"].queryset.count() == 1


def test_whoever_may_add_a_tool_is_offered_it_on_the_first_page(publisher):
    assert "Add a tool" in publisher.get(PATH).content.decode()


def test_an_editor_who_may_only_view_is_offered_no_action(clock, db):
    clock(NOW)
    client = desk_of(rights=("view_tool", "view_take"))
    make.reviewer(name="Builder")
    make.tool(name="Solo")
    make.comparison(published_at=None)
    assert "Add a tool" not in client.get(PATH).content.decode()
    assert "Builder" not in Part(client, "missing").links
    assert "Builder" in Part(client, "missing").text
    assert "Comparison" not in Part(client, "changes").text
    assert "There are no drafts." in Part(client, "drafts").text


@pytest.mark.parametrize("rights", [(), ("view_tool",), ("view_take",), ("view_user",)])
def test_an_editor_who_may_not_view_tools_and_takes_gets_the_menu_only(db, rights):
    client = desk_of(rights=rights)
    response = client.get(PATH)
    assert response.status_code == 200
    assert response.context["dashboard"] is None
    assert "Recent changes" not in response.content.decode()


def test_a_visitor_without_an_account_is_redirected_to_the_login(client):
    assert client.get(PATH)["Location"] == "/admin/login/?next=/admin/"


def test_the_page_of_an_app_leads_to_the_first_page(publisher):
    assert publisher.get("/admin/tools/")["Location"] == PATH


def create_rows(number):
    """Create this number of rows for each part of the page."""
    panel = [make.reviewer(), make.reviewer()]
    for at in range(number):
        soon = NOW + (at % 20 + 1) * MINUTE
        tool, other = make.tool(), make.tool()
        make.take(on=tool, by=panel[0], published_at=soon)
        make.take(on=other, by=panel[0], published_at=None)
        make.comparison(tools=(tool, other), published_at=soon + at % 2 * DAY)
        make.comparison(published_at=None)
        make.tool(published_at=None)
        make.tool(published_at=soon + DAY)
        tool.remove(NOW) if at % 5 == 4 else changed(tool, NOW, tagline="Changed")


def test_sixty_rows_of_each_kind_run_as_many_queries_as_two(publisher):
    create_rows(2)
    few = queries_of(publisher, PATH)
    create_rows(60)
    assert queries_of(publisher, PATH) <= few <= 38


# --- Periodic jobs --------------------------------------------------------------------------


def test_publishers_see_when_each_job_last_succeeded_and_what_failed(publisher):
    JobRun.objects.begin("work", NOW - 3 * DAY)
    JobRun.objects.succeed("work", NOW - 2 * DAY, 1.26)
    JobRun.objects.begin("nightly", NOW - DAY)
    JobRun.objects.fail("nightly", NOW - DAY, "no room")
    assert Part(publisher, "jobs").text == (
        "Periodic jobs "
        "Newsletter: not done yet; it runs every five minutes "
        "Work: last done 13 Jun 2026, 12:00, in 1.3 s "
        "The job work is late: it should run every five minutes. "
        "Nightly: not done yet; it runs every night at 02:30 UTC "
        "The job nightly failed: no room "
        "Restore check: not done yet; it runs by the first nightly run of a month "
        "Sources: not done yet; it runs by every nightly run"
    )


def test_writers_see_no_jobs(writer):
    assert "dashboard-jobs" not in writer.get(PATH).content.decode()
