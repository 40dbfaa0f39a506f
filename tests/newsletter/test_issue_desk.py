"""The admin of issues: compose, order, leave out, preview, test, schedule, cancel, correct."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.utils import timezone
from zeal import zeal_ignore

from shipskip.newsletter.issues import scheduling
from shipskip.newsletter.models import Delivery, Issue
from tests import factories as make
from tests.desk.forms import messages_of
from tests.markup import read

pytestmark = pytest.mark.django_db

DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
LIST = "/admin/newsletter/issue/"
FORMS = ("entries-TOTAL", "entries-INITIAL", "own-TOTAL", "own-INITIAL")
NO_ENTRIES = {f"{form}_FORMS": 0 for form in FORMS}
OWN_ENTRY = {"own-TOTAL_FORMS": 1, "own-0-position": 1, "own-0-heading": "A word"}
OWN_ENTRY["own-0-text"] = "From [us](/methodology/)."


def issue_url(issue: Issue, action: str) -> str:
    return f"{LIST}{issue.pk}/{action}/"


def press_button(client: Client, issue: Issue, button: str, **typed: object):
    """Press a button of the issue's form, with this text in its fields."""
    data = {"subject": issue.subject, "introduction": issue.introduction, **NO_ENTRIES}
    return client.post(issue_url(issue, "change"), data | typed | {"act": button})


def said(response) -> str:
    """The last message for the page that follows."""
    return str(messages_of(response)[-1])


def stored(issue: Issue) -> tuple[str, str]:
    issue.refresh_from_db()
    return issue.state, issue.subject


def test_a_publisher_creates_the_next_issue_by_rule_cancels_it_and_the_next_has_its_entries(
    publisher,
):
    publisher.post(f"{LIST}compose-own/")
    own = Issue.objects.get()
    tool = make.tool(published_at=timezone.now() - DAY)
    make.panel(on=tool, ship=2)
    response = publisher.post(f"{LIST}compose/")
    issue = Issue.objects.exclude(pk=own.pk).get()
    cancel = issue_url(issue, "cancel")
    assert (own.is_own, issue.is_own) == (True, False)
    assert issue.entries.get().kind == "new_verdict", "the own one took nothing from it"
    assert response["Location"] == issue_url(issue, "change")
    assert "finish or cancel" in said(publisher.post(f"{LIST}compose/"))
    assert Issue.objects.count() == 2
    assert "is cancelled" in said(publisher.post(cancel))
    assert stored(issue)[0] == "cancelled"
    assert "Nothing was changed" in said(publisher.post(cancel))
    publisher.post(f"{LIST}compose/")
    assert Issue.objects.latest("pk").entries.get().tool == tool


def test_a_publisher_writes_orders_and_leaves_out_entries(publisher):
    tools = [make.tool(name=name) for name in ("First", "Second", "Third")]
    for tool in tools:
        make.panel(on=tool, ship=2)
    issue = make.issue(about=tools)
    data = {**NO_ENTRIES, "subject": "Mine", "introduction": "Hello *you*"}
    data |= {"entries-TOTAL_FORMS": 3, "entries-INITIAL_FORMS": 3, "entries-2-dropped": "on"}
    for n, (entry, position) in enumerate(zip(issue.entries.all(), (3, 1, 2), strict=True)):
        data |= {f"entries-{n}-id": entry.pk, f"entries-{n}-issue": issue.pk}
        data[f"entries-{n}-position"] = position
    with zeal_ignore():  # Django's own formsets run a query for each row
        assert publisher.post(issue_url(issue, "change"), data).status_code == 302
    assert stored(issue) == ("draft", "Mine")
    text = publisher.get(issue_url(issue, "text")).content.decode()
    assert text.index("Second: SHIP") < text.index("First: SHIP")
    assert "Third" not in text
    mail = publisher.get(issue_url(issue, "mail"))
    policy = mail["Content-Security-Policy"]
    for words in ("default-src 'none'", "style-src 'unsafe-inline'", "sandbox"):
        assert words in policy
    assert "script-src" not in policy
    assert "unsafe-inline" not in publisher.get(LIST)["Content-Security-Policy"]


def test_a_test_mail_has_the_typed_text_and_goes_to_one_address_which_is_offered_next_time(
    publisher,
):
    User.objects.update(email="editor@example.org")
    make.subscriber()
    issue = make.issue(subject="The week")

    def offered() -> str:
        page = read(publisher.get(issue_url(issue, "change")))
        return page.one("input", name="address").attributes["value"]

    assert offered() == "editor@example.org"
    typed = {"subject": "A better week", "introduction": "Typed just now."}
    press_button(publisher, issue, "test", address="other@example.org", **typed)
    (sent,) = mail.outbox
    assert (sent.to, sent.subject) == (["other@example.org"], "Test: A better week")
    assert "Typed just now." in sent.body
    assert "List-Unsubscribe" not in sent.extra_headers
    assert offered() == "other@example.org"
    bad = press_button(publisher, issue, "test", address="a@b\nBcc: x@y.z", subject="Third")
    assert "no test was sent" in said(bad)
    assert stored(issue) == ("draft", "Third")
    assert (len(mail.outbox), Delivery.objects.count()) == (1, 0)


def test_a_publisher_schedules_and_unschedules_and_the_typed_text_is_saved(publisher):
    make.subscriber()
    issue = make.issue()
    page = press_button(publisher, issue, "schedule", moment="2026-05-03T09:00", subject="Past")
    assert "3 May 2026 09:00 UTC has passed" in said(page)
    assert stored(issue) == ("draft", "Past")
    at = (timezone.now() + DAY).replace(hour=9, minute=0, second=0, microsecond=0)
    moment = f"{at:%Y-%m-%dT%H:%M}"
    page = press_button(publisher, issue, "schedule", subject="A\nBcc: a@b.org", moment=moment)
    assert page.context["faults"]
    assert moment in page.content.decode()
    assert stored(issue) == ("draft", "Past")
    page = press_button(publisher, issue, "schedule", moment=moment, subject="On")
    assert "to 1 subscriber." in said(page)
    assert stored(issue) == ("scheduled", "On")
    assert (issue.scheduled_at, issue.date) == (at, at.date())
    press_button(publisher, issue, "unschedule", subject="Later")
    assert stored(issue) == ("draft", "Later")


def test_an_issue_being_sent_shows_its_progress_and_cannot_be_changed(publisher):
    for _ in range(3):
        make.subscriber()
    issue = make.frozen(make.issue(scheduled_at=make.PUBLISHED), make.PUBLISHED + DAY)
    issue.entries.update(dropped=True)
    Delivery.objects.filter(pk=Delivery.objects.all()[0].pk).update(state="sent")
    issue.recount()
    page = publisher.get(issue_url(issue, "change")).content.decode()
    assert "left out" in page
    assert "3 mails" in page
    assert 'name="subject"' not in page
    assert "1 of 3" in publisher.get(LIST).content.decode()
    fragment = publisher.get(issue_url(issue, "progress"), headers={"hx-request": "true"})
    assert "every 5s" in fragment.content.decode()
    assert publisher.get(issue_url(issue, "progress")).status_code == 303
    late = press_button(publisher, issue, "schedule", subject="Too late")
    assert "Nothing was saved" in said(late)
    assert stored(issue)[1] != "Too late"


def test_writers_may_only_view_and_a_get_request_changes_nothing(publisher, writer):
    issue = make.issue(until=make.PUBLISHED)
    sent = make.sent_issue(about=make.take().tool)
    urls = [f"{LIST}compose/", f"{LIST}compose-own/", issue_url(sent, "correct")]
    urls += [issue_url(issue, action) for action in ("change", "cancel")]
    data = {"address": "a@b.org", "act": "test", "correction": "x"}
    for url in urls:
        assert writer.post(url, data).status_code == 403, url
        assert Client().post(url, data).status_code in (302, 403), url
        assert publisher.get(url).status_code == (405 if "compose" in url else 200), url
    assert writer.get(issue_url(issue, "mail")).status_code == 200
    assert stored(issue)[0] == "draft"
    assert (Issue.objects.count(), Issue.objects.get(pk=sent.pk).correction) == (2, "")
    assert mail.outbox == []


def test_an_issue_is_written_and_sent_without_any_change_of_verdict(publisher, client):
    make.subscriber()
    publisher.post(f"{LIST}compose-own/")
    issue, moment = Issue.objects.get(), timezone.now() + DAY
    Issue.objects.update(scheduled_at=moment)
    assert make.frozen(issue, moment).state == "cancelled", "without any text"
    Issue.objects.update(scheduled_at=None, cancelled_at=None)
    without_text = press_button(publisher, issue, "", **OWN_ENTRY | {"own-0-text": ""})
    assert without_text.context["faults"]
    at = f"{moment:%Y-%m-%d %H:%M}"
    page = press_button(publisher, issue, "schedule", moment=at, **OWN_ENTRY)
    assert "scheduled" in said(page)
    frozen = make.frozen(issue, moment)
    assert (frozen.state, Delivery.objects.count()) == ("sending", 1)
    assert "A word\nFrom us (http" in frozen.text
    assert 'href="http' in frozen.html.partition("A word")[2].partition("us</a>")[0]
    assert "A word" in read(client.get(frozen.get_absolute_url())).texts("h3")


def test_a_sent_issue_is_corrected_with_a_dated_note_and_a_mail_on_the_same_day(publisher, client):
    now = timezone.now()
    issue = make.sent_issue(about=make.take().tool, subject="Alpha: skip", date=now.date())
    before = Issue.objects.get(pk=issue.pk)

    def notes_after(**typed: str) -> list[str]:
        if typed:
            publisher.post(issue_url(issue, "correct"), typed)
        page = read(client.get(issue.get_absolute_url()))
        return [note.text for note in page.of_class("issue__correction")]

    assert notes_after() == []
    note = f"Corrected on {now.day} {now:%B %Y} Alpha ships."
    assert notes_after(correction="Alpha *ships*.") == [note]
    after = Issue.objects.get(pk=issue.pk)
    assert (after.html, after.text, after.sent_at) == (before.html, before.text, before.sent_at)
    assert notes_after(correction="") == []
    assert Issue.objects.count() == 1
    assert notes_after(correction="Alpha ships.", send="yes") == [note]
    mailed = Issue.objects.exclude(pk=issue.pk).get()
    assert mailed.subject == "Correction: Alpha: skip"
    assert mailed.introduction.startswith("Alpha ships.")
    assert issue.get_absolute_url() in mailed.introduction
    scheduling.schedule(mailed, now + MINUTE)
    assert mailed.date != issue.date
    assert make.frozen(mailed, now + MINUTE).state == "sending"
