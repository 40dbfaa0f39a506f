"""The admin of subscribers: full addresses only on request, and each view is logged."""

import json
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.test import Client

from shipskip.newsletter.models import AddressLook, Confirmation, Delivery, Subscriber
from shipskip.newsletter.subscribers import subscription
from tests import factories as make
from tests.newsletter.conftest import NOW

pytestmark = pytest.mark.django_db

LIST = "/admin/newsletter/subscriber/"
ADDRESS = "annette@example.org"


def desk_of(*groups):
    """A browser in which an editor of these groups is logged in."""
    editor = User.objects.create_user(f"editor-{'-'.join(groups)}", is_staff=True)
    editor.groups.set(Group.objects.filter(name__in=groups))
    client = Client()
    client.force_login(editor)
    return client


@pytest.fixture
def publisher():
    return desk_of("Publishers")


@pytest.fixture
def annette():
    return make.subscriber(address=ADDRESS)


def page_of(subscriber, action: str = "change"):
    return f"{LIST}{subscriber.pk}/{action}/"


@pytest.mark.parametrize("groups", [["Writers"], []])
def test_only_publishers_see_subscribers(groups, annette):
    client = desk_of(*groups)
    for path in (LIST, page_of(annette)):
        assert client.get(path).status_code == 403
    for action in ("look", "export", "end", "forget"):
        response = client.post(page_of(annette, action), {"reason": "x", "sure": "1"})
        assert response.status_code == 403
    assert client.post(f"{LIST}find/", {"address": ADDRESS}).status_code == 403
    annette.refresh_from_db()
    assert annette.state == "confirmed"
    assert not AddressLook.objects.exists()


def test_a_visitor_without_an_account_is_redirected_to_the_login(annette):
    for action in ("look", "export", "end", "forget"):
        response = Client().post(page_of(annette, action))
        assert response.status_code in (302, 403)
        assert ADDRESS not in response.content.decode()


def test_a_list_and_a_page_show_masked_addresses_and_log_nothing(publisher, annette):
    for path in (LIST, page_of(annette), page_of(annette, "history")):
        html = publisher.get(path).content.decode()
        assert "a…e@e…e.org" in html
        assert "annette" not in html
    assert not AddressLook.objects.exists()


def test_an_address_view_is_logged_with_who_and_when(publisher, annette, clock):
    clock(NOW)
    response = publisher.post(page_of(annette, "look"))
    assert ADDRESS in response.content.decode()
    assert "no-store" in response["Cache-Control"]
    view = AddressLook.objects.get()
    assert (view.who_then, view.subscriber, view.act) == ("editor-Publishers", annette, "looked")
    assert view.at == NOW
    html = publisher.get(page_of(annette)).content.decode()
    assert "editor-Publishers looked, 4 May 2026 09:00" in html
    assert ADDRESS not in html


@pytest.mark.parametrize("action", ["look", "export", "end", "forget"])
def test_no_action_is_done_by_a_get_request(publisher, annette, action):
    assert publisher.get(page_of(annette, action)).status_code == 405
    assert not AddressLook.objects.exists()


def test_an_address_view_outlives_the_subscriber_and_the_account(publisher, annette):
    publisher.post(page_of(annette, "look"))
    subscription.forget(annette, NOW)
    User.objects.all().delete()
    view = AddressLook.objects.get()
    assert (view.who, view.subscriber, view.who_then) == (None, None, "editor-Publishers")


@pytest.mark.parametrize("typed", [ADDRESS, " Annette@EXAMPLE.org"])
def test_an_address_is_found_by_post_and_is_in_no_url(publisher, annette, typed):
    response = publisher.post(f"{LIST}find/", {"address": typed})
    assert (response.status_code, response["Location"]) == (303, page_of(annette))
    assert publisher.get(f"{LIST}find/").status_code == 405


@pytest.mark.parametrize("typed", ["", "nobody", "ghost@example.org"])
def test_an_address_that_is_not_found_is_not_shown(publisher, annette, typed):
    response = publisher.post(f"{LIST}find/", {"address": typed}, follow=True)
    assert response.redirect_chain == [(LIST, 303)]
    assert "ghost" not in response.content.decode()


def test_a_forgotten_address_is_reported_as_forgotten(publisher, annette):
    subscription.forget(annette, NOW)
    response = publisher.post(f"{LIST}find/", {"address": ADDRESS}, follow=True)
    assert "was forgotten and gets no mail" in response.content.decode()


def test_the_list_cannot_be_searched_in_the_query_string(publisher, annette):
    make.subscriber(address="berta@example.org")
    html = publisher.get(f"{LIST}?q=annette").content.decode()
    assert "b…a@e…e.org" in html


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
    exported = {
        "address",
        "normalised",
        "state",
        "joined_at",
        "confirmed_at",
        "ended_at",
        "ended_why",
    }
    assert own - exported == {"id", "key", "confirmations", "deliveries", "looks"}


def test_the_desk_ends_a_subscription_with_a_reason(publisher, annette, clock):
    assert publisher.post(page_of(annette, "end"), {"reason": " "}).status_code == 303
    annette.refresh_from_db()
    assert annette.state == "confirmed"
    publisher.post(page_of(annette, "end"), {"reason": f"asked by phone as {ADDRESS}"})
    annette.refresh_from_db()
    assert annette.state == "left"
    assert annette.ended_why == "ended at the desk: asked by phone as (address)"


def test_the_desk_forgets_an_address_after_a_confirmation(publisher, annette):
    publisher.post(page_of(annette, "forget"))
    assert Subscriber.objects.exists()
    publisher.post(page_of(annette, "forget"), {"sure": "on"})
    assert not Subscriber.objects.exists()
    assert subscription.is_address_forgotten(ADDRESS)
    assert all("annette" not in str(row) for row in LogEntry.objects.values())


def test_subscribers_cannot_be_added_changed_or_deleted_by_hand(publisher, annette):
    assert publisher.get(f"{LIST}add/").status_code == 403
    assert publisher.post(page_of(annette), {"state": "left"}).status_code == 403
    assert publisher.post(page_of(annette, "delete"), {"post": "yes"}).status_code == 403
    annette.refresh_from_db()
    assert annette.state == "confirmed"


def test_an_action_on_an_erased_subscriber_is_not_found(publisher):
    assert publisher.post(f"{LIST}999/look/").status_code == 404


def test_the_list_runs_as_many_queries_for_many_as_for_one(publisher, django_assert_num_queries):
    def query_count():
        from django.db import connection
        from django.test.utils import CaptureQueriesContext

        with CaptureQueriesContext(connection) as queries:
            publisher.get(LIST)
        return len(queries)

    make.subscriber()
    few = query_count()
    for number in range(30):
        make.subscriber(joined_at=NOW - timedelta(days=number))
    assert query_count() == few
