"""Unsubscribing, being forgotten and joining again, with only the links of a mail."""

import pytest
from django.core import mail
from django.test import Client

from shipskip.newsletter.models import (
    AddressLook,
    Confirmation,
    Delivery,
    ForgottenAddress,
    Subscriber,
)
from shipskip.newsletter.subscribers import subscription
from tests import factories as make
from tests.markup import read
from tests.newsletter.conftest import NOW
from tests.newsletter.readers import ADDRESS, join, link

pytestmark = pytest.mark.django_db

ONE_CLICK = {"List-Unsubscribe": "One-Click"}
MULTIPART = (
    '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'
)


@pytest.fixture
def ada():
    return make.subscriber(address=ADDRESS)


def state(subscriber):
    subscriber.refresh_from_db()
    return subscriber.state


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"data": ONE_CLICK}, id="as a form"),
        pytest.param(
            {"data": MULTIPART, "content_type": "multipart/form-data; boundary=x"}, id="multipart"
        ),
    ],
)
def test_a_mail_program_unsubscribes_by_one_post_without_cookie_token_or_redirect(
    ada, strict_client, body
):
    response = strict_client.post(ada.leave_path, **body)
    assert (response.status_code, response["Content-Type"]) == (200, "text/plain; charset=utf-8")
    assert not response.cookies
    assert "private" in response["Cache-Control"]
    assert (state(ada), ada.ended_why) == ("left", "left by themselves")


def test_a_reader_unsubscribes_by_the_button_and_not_by_opening_the_link(ada, strict_client):
    for method in (strict_client.get, strict_client.head, strict_client.options):
        method(ada.leave_path)
    assert state(ada) == "confirmed"
    page = read(strict_client.get(ada.leave_path))
    assert page.one("button", class_="button").text == "Leave"
    assert ADDRESS not in page.text
    response = strict_client.post(ada.leave_path)
    assert (response.status_code, response["Location"]) == (303, ada.leave_path)
    assert read(strict_client.get(ada.leave_path)).heading == "You have left"
    assert state(ada) == "left"


def test_unsubscribing_twice_keeps_the_first_time_and_reason(ada):
    subscription.refuse(ada, "550 gone", NOW)
    Client().post(ada.leave_path, ONE_CLICK)
    ada.refresh_from_db()
    assert (ada.state, ada.ended_at, ada.ended_why) == ("refused", NOW, "550 gone")


def test_unsubscribing_before_the_confirmation_ends_the_confirmation_link():
    join()
    ada = Subscriber.objects.get()
    Client().post(ada.leave_path, ONE_CLICK)
    Client().post(link("confirm"))
    assert state(ada) == "left"
    join()
    Client().post(link("confirm", of=0))
    assert state(ada) == "waiting", "only the new link confirms"


def test_forgetting_needs_a_confirmation_and_then_only_a_hash_is_stored(strict_client):
    join()
    ada = Subscriber.objects.get()
    Delivery.objects.create(issue=make.issue(), subscriber=ada)
    view = AddressLook.objects.create(who_then="ben", subscriber=ada, at=NOW)
    path = link("forget")
    token = read(strict_client.get(path)).one("input", name="csrfmiddlewaretoken").attributes
    assert strict_client.post(path).status_code == 403
    assert Subscriber.objects.exists()
    response = strict_client.post(path, {"csrfmiddlewaretoken": token["value"]})
    assert (response.status_code, response["Location"]) == (303, path)
    assert read(strict_client.get(path)).heading == "Forgotten"
    for model in (Subscriber, Delivery, Confirmation):
        assert not model.objects.exists()
    view.refresh_from_db()
    assert view.subscriber is None
    row = str(ForgottenAddress.objects.values().get())
    assert ADDRESS not in row
    assert ada.key not in row


def test_a_forgotten_address_is_known_by_the_hash_of_each_secret_key_that_is_kept(ada, settings):
    settings.SECRET_KEY = "one"
    subscription.forget(ada, NOW)
    row = ForgottenAddress.objects.get()
    assert row.sealed == "6e9a926a924df19a112dc64346758c085f2a3965fc491424b43809af2a4f708a"
    assert len({row.sealed, row.sealed_key}) == 2
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "two", ["another", "one"]
    assert subscription.is_address_forgotten(ADDRESS)
    assert subscription.is_key_forgotten(ada.key)
    settings.SECRET_KEY_FALLBACKS = ["another"]
    assert not subscription.is_address_forgotten(ADDRESS)


def test_a_forgotten_address_gets_no_mail_until_its_owner_allows_it_again(ada):
    subscription.forget(ada, NOW)
    assert Client().post(ada.leave_path, ONE_CLICK).status_code == 200
    for typed in (ADDRESS, "ADA@Example.ORG"):
        assert join(typed).status_code == 303
    assert not mail.outbox
    assert not Subscriber.objects.exists()
    allow = f"/newsletter/allow/{ada.key}/"
    page = read(Client().get(ada.leave_path))
    assert page.heading == "Forgotten"
    assert allow in page.links
    Client().get(allow)
    assert subscription.is_address_forgotten(ADDRESS)
    assert Client().post(allow).status_code == 303
    join()
    assert mail.outbox[0].to == [ADDRESS]
    assert not Subscriber.objects.confirmed().exists()


def test_after_a_spam_complaint_no_mail_is_sent_until_it_is_withdrawn(ada):
    subscription.leave(ada, NOW)
    subscription.record_complaint(ada, NOW)  # replaces the earlier end
    assert state(ada) == "refused"
    assert ada.complained
    join()
    assert not mail.outbox
    Client().post(f"/newsletter/allow/{ada.key}/")
    assert state(ada) == "left"
    join()
    assert len(mail.outbox) == 1


def test_allowing_again_confirms_nobody_and_changes_no_other(ada):
    for action in (subscription.leave, subscription.record_complaint):
        other = make.subscriber()
        action(other, NOW)
        Client().post(f"/newsletter/allow/{other.key}/")
        assert state(other) == "left"
    Client().post(f"/newsletter/allow/{ada.key}/")
    assert state(ada) == "confirmed"


def test_a_refusal_is_stored_without_the_address(ada):
    subscription.refuse(ada, f"550 5.1.1 <{ADDRESS}>: no such user" + "x" * 500, NOW)
    ada.refresh_from_db()
    assert ada.ended_why.startswith("550 5.1.1 <(address)>: no such user")
    assert len(ada.ended_why) == 300
