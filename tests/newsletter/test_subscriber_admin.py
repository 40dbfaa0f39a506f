"""The admin of subscribers: full addresses only on request, and each view is logged."""

import json
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client

from shipskip.newsletter.models import AddressLook, Confirmation, Delivery, Subscriber
from shipskip.newsletter.subscribers import subscription
from tests import factories as make
from tests.desk.editor_clients import desk_of, queries_of
from tests.newsletter.conftest import NOW

pytestmark = pytest.mark.django_db

LIST = "/admin/newsletter/subscriber/"
ADDRESS = "annette@example.org"
ACTIONS = ("look", "export", "end", "forget")


@pytest.fixture
def annette():
    return make.subscriber(address=ADDRESS)


def page_of(subscriber, action: str = "change"):
    return f"{LIST}{subscriber.pk}/{action}/"


def stored(subscriber) -> tuple[str, str]:
    subscriber.refresh_from_db()
    return subscriber.state, subscriber.ended_why


def test_only_publishers_see_subscribers(annette, writer):
    for client in (writer, desk_of(), Client()):
        refused = {403} if "sessionid" in client.cookies else {302, 403}
        answers = [client.get(path) for path in (LIST, page_of(annette))]
        data = {"reason": "x", "sure": "1", "address": ADDRESS}
        paths = [f"{LIST}find/", *(page_of(annette, action) for action in ACTIONS)]
        answers += [client.post(path, data) for path in paths]
        assert {answer.status_code for answer in answers} <= refused
        assert not any(ADDRESS in answer.content.decode() for answer in answers)
    assert stored(annette) == ("confirmed", "")
    assert not AddressLook.objects.exists()


def test_a_list_and_a_page_show_masked_addresses_and_a_get_request_does_nothing(publisher, annette):
    few = queries_of(publisher, LIST)
    for number in range(5):
        make.subscriber(joined_at=NOW - timedelta(days=number))
    assert queries_of(publisher, LIST) == few
    make.subscriber(address="berta@example.org")
    for path in (LIST, page_of(annette), page_of(annette, "history")):
        html = publisher.get(path).content.decode()
        assert "a…e@e…e.org" in html
        assert "annette" not in html
    assert "b…a@e…e.org" in publisher.get(f"{LIST}?q=annette").content.decode(), "no search by URL"
    for path in (f"{LIST}find/", *(page_of(annette, action) for action in ACTIONS)):
        assert publisher.get(path).status_code == 405
    for action, data in (("change", {"state": "left"}), ("delete", {"post": "yes"})):
        assert publisher.post(page_of(annette, action), data).status_code == 403
    assert publisher.get(f"{LIST}add/").status_code == 403
    assert publisher.post(f"{LIST}999/look/").status_code == 404
    assert stored(annette) == ("confirmed", "")
    assert not AddressLook.objects.exists()


def test_an_address_view_is_logged_and_outlives_the_subscriber_and_the_account(
    publisher, annette, clock
):
    clock(NOW)
    response = publisher.post(page_of(annette, "look"))
    assert ADDRESS in response.content.decode()
    assert "no-store" in response["Cache-Control"]
    look = AddressLook.objects.get()
    assert (look.who_then, look.subscriber, look.act) == ("paula", annette, "looked")
    assert look.at == NOW
    html = publisher.get(page_of(annette)).content.decode()
    assert "paula looked, 4 May 2026 09:00" in html
    assert ADDRESS not in html
    subscription.forget(annette, NOW)
    User.objects.all().delete()
    look.refresh_from_db()
    assert (look.who, look.subscriber, look.who_then) == (None, None, "paula")


def test_an_address_is_found_by_post_and_is_in_no_url(publisher, annette):
    for typed in (ADDRESS, " Annette@EXAMPLE.org"):
        response = publisher.post(f"{LIST}find/", {"address": typed})
        assert (response.status_code, response["Location"]) == (303, page_of(annette))
    for typed in ("", "nobody", "ghost@example.org"):
        response = publisher.post(f"{LIST}find/", {"address": typed}, follow=True)
        assert response.redirect_chain == [(LIST, 303)]
        assert "ghost" not in response.content.decode()


def test_an_export_holds_everything_stored_and_is_logged(publisher, annette):
    Confirmation.objects.create(subscriber=annette, asked_at=NOW, sent_at=NOW)
    Delivery.objects.create(issue=make.issue(), subscriber=annette, state="sent")
    response = publisher.post(page_of(annette, "export"))
    data = json.loads(response.content)
    assert data["address"] == ADDRESS
    assert data["confirmation_mails"] == [{"asked": NOW.isoformat(), "sent": NOW.isoformat()}]
    assert [row["state"] for row in data["issues"]] == ["sent"]
    assert [row["act"] for row in data["seen_at_the_desk"]] == ["exported"]
    assert "attachment" in response["Content-Disposition"]
    assert ADDRESS not in response["Content-Disposition"]
    own = {field.name for field in Subscriber._meta.get_fields()}
    exported = {"address", "normalised", "state", "joined_at", "confirmed_at"}
    exported |= {"ended_at", "ended_why"}
    assert own - exported == {"id", "key", "confirmations", "deliveries", "looks"}


def test_the_desk_ends_with_a_reason_and_forgets_after_a_confirmation(publisher, annette):
    assert publisher.post(page_of(annette, "end"), {"reason": " "}).status_code == 303
    assert stored(annette) == ("confirmed", "")
    publisher.post(page_of(annette, "end"), {"reason": f"asked by phone as {ADDRESS}"})
    assert stored(annette) == ("left", "ended at the desk: asked by phone as (address)")
    publisher.post(page_of(annette, "forget"))
    assert Subscriber.objects.exists()
    publisher.post(page_of(annette, "forget"), {"sure": "on"})
    assert not Subscriber.objects.exists()
    assert subscription.is_address_forgotten(ADDRESS)
    assert all("annette" not in str(row) for row in LogEntry.objects.values())
    response = publisher.post(f"{LIST}find/", {"address": ADDRESS}, follow=True)
    assert "was forgotten" in response.content.decode()
