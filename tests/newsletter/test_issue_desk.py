"""The admin of issues: compose, order, drop, preview, test, schedule, cancel."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.core import mail
from django.test import Client
from django.utils import timezone
from zeal import zeal_ignore

from shipskip.newsletter.models import Delivery, Issue
from shipskip.roles import PUBLISHERS, WRITERS
from tests import factories as make
from tests.markup import read

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
LIST = "/admin/newsletter/issue/"


def at(issue: Issue, action: str) -> str:
    return f"{LIST}{issue.pk}/{action}/"


def desk_of(group: str) -> Client:
    user = User.objects.create_user(group, email="editor@example.org", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def publisher() -> Client:
    return desk_of(PUBLISHERS)


def messages_of(response) -> str:
    return " ".join(str(message) for message in response.context["messages"])


def test_a_publisher_creates_the_next_issue_by_rule(publisher):
    tool = make.tool(published_at=timezone.now() - DAY)
    make.panel(on=tool, ship=2)
    page = publisher.post(f"{LIST}compose/", follow=True)
    issue = Issue.objects.get()
    assert page.redirect_chain[-1][0] == at(issue, "change")
    again = publisher.post(f"{LIST}compose/", follow=True)
    assert "finish or cancel this one first" in messages_of(again)
    assert Issue.objects.count() == 1


def test_a_week_without_news_makes_none_and_says_so(publisher):
    assert "No new and no changed verdicts" in messages_of(
        publisher.post(f"{LIST}compose/", follow=True)
    )
    assert not Issue.objects.exists()


def test_a_publisher_writes_orders_and_drops(publisher):
    tools = [make.tool(name=name) for name in ("First", "Second", "Third")]
    for tool in tools:
        make.panel(on=tool, ship=2)
    issue = make.issue(about=tools)
    entries = list(issue.entries.all())
    data = {
        "subject": "Mine",
        "introduction": "Hello *you*",
        "entries-TOTAL_FORMS": 3,
        "entries-INITIAL_FORMS": 3,
    }
    for n, (entry, position) in enumerate(zip(entries, (3, 1, 2), strict=True)):
        data |= {f"entries-{n}-id": entry.pk, f"entries-{n}-issue": issue.pk}
        data[f"entries-{n}-position"] = position
    data["entries-2-dropped"] = "on"
    with zeal_ignore():  # Django's own formsets run a query for each row
        assert publisher.post(at(issue, "change"), data).status_code == 302
    text = publisher.get(at(issue, "text")).content.decode()
    assert text.index("Second: SHIP") < text.index("First: SHIP")
    assert "Third" not in text
    html = publisher.get(at(issue, "mail")).content.decode()
    assert "Hello <em>you</em>" in html
    issue.refresh_from_db()
    assert issue.subject == "Mine"


def test_a_subject_holds_no_line_break(publisher):
    issue = make.issue()
    data = {"subject": "One\nBcc: eve@example.org", "introduction": ""}
    forms = {"entries-TOTAL_FORMS": 0, "entries-INITIAL_FORMS": 0}
    publisher.post(at(issue, "change"), data | forms)
    issue.refresh_from_db()
    assert "\n" not in issue.subject


def test_the_preview_of_the_mail_has_a_policy_that_allows_nothing(publisher):
    response = publisher.get(at(make.issue(), "mail"))
    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "style-src 'unsafe-inline'" in policy
    assert "script-src" not in policy
    assert "sandbox" in policy
    assert "no-store" in response["Cache-Control"]
    assert "unsafe-inline" not in publisher.get(LIST)["Content-Security-Policy"]


def test_a_test_mail_goes_to_the_editor_alone(publisher):
    make.subscriber()
    issue = make.issue(subject="The week")
    publisher.post(at(issue, "test"), {"address": "editor@example.org"})
    (sent,) = mail.outbox
    assert (sent.to, sent.subject) == (["editor@example.org"], "Test: The week")
    assert "List-Unsubscribe" not in sent.extra_headers
    bad = publisher.post(at(issue, "test"), {"address": "a@b\nBcc: x@y.z"}, follow=True)
    assert messages_of(bad)
    assert len(mail.outbox) == 1
    assert not Delivery.objects.exists()


def test_a_test_leaves_the_editor_s_account_alone_and_its_address_is_offered_next_time(publisher):
    issue = make.issue()
    publisher.post(at(issue, "test"), {"address": "other@example.org"})
    assert mail.outbox[0].to == ["other@example.org"]
    assert User.objects.get().email == "editor@example.org"
    offered = read(publisher.get(at(issue, "change"))).one("input", name="address")
    assert offered.attributes["value"] == "other@example.org"


def test_a_publisher_schedules_unschedules_and_cancels(publisher):
    issue = make.issue()
    moment = (timezone.now() + DAY).replace(microsecond=0)
    publisher.post(at(issue, "schedule"), {"moment": f"{moment:%Y-%m-%dT%H:%M:%S}"})
    issue.refresh_from_db()
    assert (issue.state, issue.scheduled_at, issue.date) == ("scheduled", moment, moment.date())
    assert messages_of(publisher.post(at(issue, "schedule"), {"moment": "soon"}, follow=True))
    publisher.post(at(issue, "unschedule"))
    issue.refresh_from_db()
    assert issue.state == "draft"
    publisher.post(at(issue, "cancel"))
    issue.refresh_from_db()
    assert issue.state == "cancelled"
    assert "this issue is cancelled" in messages_of(
        publisher.post(at(issue, "cancel"), follow=True)
    )


def test_an_issue_being_sent_shows_its_progress_and_cannot_be_changed(publisher):
    for _ in range(3):
        make.subscriber()
    issue = make.frozen(make.issue(scheduled_at=make.PUBLISHED), make.PUBLISHED + DAY)
    Delivery.objects.filter(pk=Delivery.objects.all()[0].pk).update(state="sent")
    page = publisher.get(at(issue, "change")).content.decode()
    assert 'name="subject"' not in page
    assert "3 mails" in page
    assert "1 of 3" in publisher.get(LIST).content.decode()
    fragment = publisher.get(at(issue, "progress"), headers={"hx-request": "true"})
    assert "every 5s" in fragment.content.decode()
    assert publisher.get(at(issue, "progress")).status_code == 303
    publisher.post(at(issue, "again"))
    assert issue.entries.count() == 1


ACTIONS = ["compose", "test", "again", "schedule", "unschedule", "cancel"]


@pytest.mark.parametrize("action", ACTIONS)
def test_writers_may_only_view_and_a_get_request_changes_nothing(action):
    issue = make.issue()
    path = f"{LIST}compose/" if action == "compose" else at(issue, action)
    writer = desk_of(WRITERS)
    assert (
        writer.post(path, {"moment": "2030-01-01 09:00", "address": "a@b.org"}).status_code == 403
    )
    assert writer.get(path).status_code == 405
    assert Client().post(path).status_code in (302, 403)
    assert writer.get(at(issue, "mail")).status_code == 200
    issue.refresh_from_db()
    assert issue.state == "draft"
    assert mail.outbox == []
