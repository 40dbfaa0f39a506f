"""The admin of issues: compose, order, leave out, preview, test, schedule, cancel."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.core import mail
from django.test import Client
from django.utils import timezone
from zeal import zeal_ignore

from shipskip.newsletter.issues import scheduling
from shipskip.newsletter.models import Delivery, Issue
from shipskip.roles import PUBLISHERS, WRITERS
from tests import factories as make
from tests.markup import read

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
LIST = "/admin/newsletter/issue/"


def issue_url(issue: Issue, action: str) -> str:
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


def press_button(client: Client, issue: Issue, button: str, **typed: object):
    """Press a button of the issue's form, with this text in its fields."""
    data = {"subject": issue.subject, "introduction": issue.introduction}
    for prefix in ("entries", "own"):
        data |= {f"{prefix}-TOTAL_FORMS": "0", f"{prefix}-INITIAL_FORMS": "0"}
    return client.post(issue_url(issue, "change"), data | typed | {"act": button}, follow=True)


def messages_of(response) -> str:
    return " ".join(str(message) for message in response.context["messages"])


def test_a_publisher_creates_the_next_issue_by_rule(publisher):
    tool = make.tool(published_at=timezone.now() - DAY)
    make.panel(on=tool, ship=2)
    page = publisher.post(f"{LIST}compose/", follow=True)
    issue = Issue.objects.get()
    assert page.redirect_chain[-1][0] == issue_url(issue, "change")
    second_response = publisher.post(f"{LIST}compose/", follow=True)
    assert "finish or cancel it first" in messages_of(second_response)
    assert Issue.objects.count() == 1


def test_in_a_week_without_new_or_changed_verdicts_no_issue_is_made_and_the_command_says_so(
    publisher,
):
    assert "No new and no changed verdicts" in messages_of(
        publisher.post(f"{LIST}compose/", follow=True)
    )
    assert not Issue.objects.exists()


def test_a_publisher_writes_orders_and_leaves_out_entries(publisher):
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
        "own-TOTAL_FORMS": 0,
        "own-INITIAL_FORMS": 0,
    }
    for n, (entry, position) in enumerate(zip(entries, (3, 1, 2), strict=True)):
        data |= {f"entries-{n}-id": entry.pk, f"entries-{n}-issue": issue.pk}
        data[f"entries-{n}-position"] = position
    data["entries-2-dropped"] = "on"
    with zeal_ignore():  # Django's own formsets run a query for each row
        assert publisher.post(issue_url(issue, "change"), data).status_code == 302
    text = publisher.get(issue_url(issue, "text")).content.decode()
    assert text.index("Second: SHIP") < text.index("First: SHIP")
    assert "Third" not in text
    html = publisher.get(issue_url(issue, "mail")).content.decode()
    assert "Hello <em>you</em>" in html
    issue.refresh_from_db()
    assert issue.subject == "Mine"


def test_a_subject_holds_no_line_break(publisher):
    issue = make.issue()
    data = {"subject": "One\nBcc: eve@example.org", "introduction": ""}
    forms = {"entries-TOTAL_FORMS": 0, "entries-INITIAL_FORMS": 0}
    publisher.post(issue_url(issue, "change"), data | forms)
    issue.refresh_from_db()
    assert "\n" not in issue.subject


def test_the_preview_of_the_mail_has_a_policy_that_allows_nothing(publisher):
    response = publisher.get(issue_url(make.issue(), "mail"))
    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "style-src 'unsafe-inline'" in policy
    assert "script-src" not in policy
    assert "sandbox" in policy
    assert "no-store" in response["Cache-Control"]
    assert "unsafe-inline" not in publisher.get(LIST)["Content-Security-Policy"]


def test_a_test_mail_has_the_typed_text_and_goes_to_the_editor_alone(publisher):
    make.subscriber()
    issue = make.issue(subject="The week")
    typed = {"subject": "A better week", "introduction": "Typed just now."}
    press_button(publisher, issue, "test", address="editor@example.org", **typed)
    (sent,) = mail.outbox
    assert (sent.to, sent.subject) == (["editor@example.org"], "Test: A better week")
    assert "Typed just now." in sent.body
    assert "List-Unsubscribe" not in sent.extra_headers
    bad = press_button(publisher, issue, "test", address="a@b\nBcc: x@y.z", subject="Third")
    assert "no test was sent" in messages_of(bad)
    issue.refresh_from_db()
    assert issue.subject == "Third"
    assert len(mail.outbox) == 1
    assert not Delivery.objects.exists()


def test_a_text_that_cannot_be_saved_is_neither_tested_nor_scheduled(publisher):
    issue = make.issue()
    moment = f"{timezone.now() + DAY:%Y-%m-%dT%H:%M:%S}"
    for button in ("test", "schedule"):
        page = press_button(publisher, issue, button, subject="", address="a@b.org", moment=moment)
        assert page.context["faults"]
        assert moment in page.content.decode()
    issue.refresh_from_db()
    assert issue.state == "draft"
    assert mail.outbox == []


def test_a_test_mail_does_not_change_the_editor_s_account_and_its_address_is_offered_next_time(
    publisher,
):
    issue = make.issue()
    press_button(publisher, issue, "test", address="other@example.org")
    assert mail.outbox[0].to == ["other@example.org"]
    assert User.objects.get().email == "editor@example.org"
    offered = read(publisher.get(issue_url(issue, "change"))).one("input", name="address")
    assert offered.attributes["value"] == "other@example.org"


def test_a_publisher_schedules_and_unschedules_and_the_typed_text_is_saved(publisher):
    make.subscriber()
    issue = make.issue()
    moment = (timezone.now() + DAY).replace(hour=9, minute=0, second=0, microsecond=0)
    page = press_button(
        publisher, issue, "schedule", moment=f"{moment:%Y-%m-%dT%H:%M}", subject="Typed"
    )
    assert "It goes to 1 subscriber." in messages_of(page)
    assert "It goes to 1 subscriber." in read(publisher.get(page.request["PATH_INFO"])).text
    issue.refresh_from_db()
    assert (issue.state, issue.scheduled_at, issue.date) == ("scheduled", moment, moment.date())
    assert issue.subject == "Typed"
    press_button(publisher, issue, "unschedule", subject="Later")
    issue.refresh_from_db()
    assert (issue.state, issue.subject) == ("draft", "Later")


def test_a_past_moment_is_refused_with_a_sentence_and_the_text_is_saved(publisher):
    issue = make.issue()
    for moment, sentence in {
        "2026-05-03T09:00": "3 May 2026 09:00 UTC has passed: enter a later time.",
        "": "Enter the date and time to send it at.",
        "soon": "Enter the whole date, as in 2026-05-03 14:00, 3.5.2026 or 3 May 2026 2 pm.",
    }.items():
        page = press_button(publisher, issue, "schedule", moment=moment, subject=f"Typed {moment}")
        assert sentence in messages_of(page)
        issue.refresh_from_db()
        assert (issue.state, issue.subject) == ("draft", f"Typed {moment}".strip())


def test_cancelling_asks_for_confirmation_and_the_next_issue_has_its_entries(publisher):
    tool = make.tool(published_at=timezone.now() - DAY)
    make.panel(on=tool, ship=2)
    publisher.post(f"{LIST}compose/")
    issue = Issue.objects.get()
    assert "cannot be undone" in publisher.get(issue_url(issue, "cancel")).content.decode()
    issue.refresh_from_db()
    assert issue.state == "draft"
    page = publisher.post(issue_url(issue, "cancel"), follow=True)
    assert "is cancelled." in messages_of(page)
    issue.refresh_from_db()
    assert issue.state == "cancelled"
    for method in (publisher.post, publisher.get):
        page = method(issue_url(issue, "cancel"), follow=True)
        assert "this issue is cancelled" in messages_of(page)
    publisher.post(f"{LIST}compose/")
    assert Issue.objects.exclude(pk=issue.pk).get().entries.get().tool == tool


def test_an_issue_being_sent_shows_its_progress_and_cannot_be_changed(publisher):
    for _ in range(3):
        make.subscriber()
    issue = make.frozen(make.issue(scheduled_at=make.PUBLISHED), make.PUBLISHED + DAY)
    issue.entries.update(dropped=True)
    Delivery.objects.filter(pk=Delivery.objects.all()[0].pk).update(state="sent")
    page = publisher.get(issue_url(issue, "change")).content.decode()
    assert 'name="subject"' not in page
    assert "left out" in page
    assert "icon-no" not in page
    assert "3 mails" in page
    issue.recount()
    assert "1 of 3" in publisher.get(LIST).content.decode()
    fragment = publisher.get(issue_url(issue, "progress"), headers={"hx-request": "true"})
    assert "every 5s" in fragment.content.decode()
    assert publisher.get(issue_url(issue, "progress")).status_code == 303
    late = press_button(publisher, issue, "schedule", subject="Too late")
    assert "Nothing was saved: this issue is sending." in messages_of(late)


ACTIONS = ["change", "cancel"]


@pytest.mark.parametrize("action", ["compose", *ACTIONS])
def test_writers_may_only_view(action):
    issue = make.issue()
    path = f"{LIST}compose/" if action == "compose" else issue_url(issue, action)
    writer = desk_of(WRITERS)
    sent = {"moment": "2030-01-01 09:00", "address": "a@b.org", "act": "test"}
    assert writer.post(path, sent).status_code == 403
    assert Client().post(path).status_code in (302, 403)
    assert writer.get(issue_url(issue, "mail")).status_code == 200
    issue.refresh_from_db()
    assert issue.state == "draft"
    assert mail.outbox == []


def test_a_get_request_changes_nothing(publisher):
    issue = make.issue()
    assert publisher.get(f"{LIST}compose/").status_code == 405
    for action in ACTIONS:
        assert publisher.get(issue_url(issue, action)).status_code == 200
    issue.refresh_from_db()
    assert issue.state == "draft"


def test_an_issue_is_written_and_sent_without_any_change_of_verdict(publisher, client):
    make.subscriber()
    publisher.post(f"{LIST}compose-own/")
    issue = Issue.objects.get()
    entry = {"own-TOTAL_FORMS": "1", "own-0-position": "1"}
    entry |= {"own-0-heading": "A word", "own-0-text": "From [us](/methodology/)."}
    moment = timezone.now() + DAY
    at = f"{moment:%Y-%m-%d %H:%M}"
    response = press_button(publisher, issue, "schedule", moment=at, **entry)
    assert "the issue is scheduled" in messages_of(response)
    frozen = make.frozen(Issue.objects.get(), moment)
    assert frozen.state == "sending"
    assert Delivery.objects.count() == 1
    assert "A word" in frozen.text
    assert "us (http" in frozen.text
    assert 'href="http' in frozen.html.partition("A word")[2].partition("us</a>")[0]
    page = client.get(frozen.get_absolute_url()).content.decode()
    assert "<h3><bdi>A word</bdi></h3>" in page
    assert "From the editors" in page


def test_an_entry_of_ones_own_needs_a_heading_and_a_text(publisher):
    publisher.post(f"{LIST}compose-own/")
    entry = {"own-TOTAL_FORMS": "1", "own-0-position": "1"}
    entry |= {"own-0-heading": "A word", "own-0-text": ""}
    response = press_button(publisher, Issue.objects.get(), "", **entry)
    assert "Enter the text." in response.content.decode()


def test_an_issue_of_ones_own_without_any_text_is_sent_to_nobody(publisher):
    make.subscriber()
    publisher.post(f"{LIST}compose-own/")
    issue = Issue.objects.get()
    issue.scheduled_at = timezone.now()
    issue.save()
    assert make.frozen(issue, timezone.now()).state == "cancelled"
    assert not Delivery.objects.exists()


def test_an_issue_of_ones_own_takes_nothing_from_the_next_by_rule(publisher):
    publisher.post(f"{LIST}compose-own/")
    make.panel(on=make.tool(published_at=timezone.now() - DAY), ship=2)
    publisher.post(f"{LIST}compose/")
    by_rule = Issue.objects.get(number=2)
    assert not by_rule.is_own
    assert by_rule.entries.get().kind == "new_verdict"


def test_the_page_of_a_sent_issue_is_corrected_with_a_dated_note(publisher, client):
    issue = make.sent_issue(about=make.take().tool, subject="Alpha: skip")
    before = Issue.objects.get(pk=issue.pk)
    assert not read(client.get(issue.get_absolute_url())).of_class("issue__correction")
    publisher.post(issue_url(issue, "correct"), {"correction": "Alpha *ships*."})
    page = read(client.get(issue.get_absolute_url()))
    (note,) = page.of_class("issue__correction")
    today = timezone.now()
    assert note.text == f"Corrected on {today.day} {today:%B %Y} Alpha ships."
    after = Issue.objects.get(pk=issue.pk)
    assert (after.html, after.text, after.sent_at) == (before.html, before.text, before.sent_at)
    publisher.post(issue_url(issue, "correct"), {"correction": ""})
    assert read(client.get(issue.get_absolute_url())).of_class("issue__correction") == []


def test_a_correction_is_mailed_on_the_day_of_the_wrong_mail(publisher):
    now = timezone.now()
    issue = make.sent_issue(about=make.take().tool, subject="Alpha: skip", date=now.date())
    publisher.post(issue_url(issue, "correct"), {"correction": "Alpha ships.", "send": "yes"})
    mailed = Issue.objects.exclude(pk=issue.pk).get()
    assert mailed.subject == "Correction: Alpha: skip"
    assert mailed.introduction.startswith("Alpha ships.")
    assert issue.get_absolute_url() in mailed.introduction
    scheduling.schedule(mailed, now + timedelta(minutes=1))
    assert mailed.date != issue.date
    assert make.frozen(mailed, now + timedelta(minutes=1)).state == "sending"


def test_writers_correct_no_issue_and_write_none():
    writer, issue = desk_of(WRITERS), make.sent_issue(about=make.take().tool)
    assert writer.post(issue_url(issue, "correct"), {"correction": "x"}).status_code == 403
    assert writer.post(f"{LIST}compose-own/").status_code == 403
    assert Issue.objects.get().correction == ""
