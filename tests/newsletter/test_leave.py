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


@pytest.fixture
def ada():
    return make.subscriber(address=ADDRESS)


def state(subscriber):
    subscriber.refresh_from_db()
    return subscriber.state


def test_a_mail_program_unsubscribes_by_one_post_without_cookie_token_or_redirect(
    ada, strict_client
):
    response = strict_client.post(ada.leave_path, ONE_CLICK)
    assert (response.status_code, response["Content-Type"]) == (200, "text/plain; charset=utf-8")
    assert not response.cookies
    assert "private" in response["Cache-Control"]
    assert state(ada) == "left"
    assert ada.ended_why == "left by themselves"


def test_one_click_works_as_multipart_too_as_the_rfc_allows(ada, strict_client):
    boundary = "x"
    disposition = 'Content-Disposition: form-data; name="List-Unsubscribe"'
    body = f"--{boundary}\r\n{disposition}\r\n\r\nOne-Click\r\n--{boundary}--\r\n"
    kind = f"multipart/form-data; boundary={boundary}"
    assert strict_client.post(ada.leave_path, body, content_type=kind).status_code == 200
    assert state(ada) == "left"


def test_opening_the_link_does_not_unsubscribe(ada):
    for method in (Client().get, Client().head, Client().options):
        method(ada.leave_path)
    assert state(ada) == "confirmed"


def test_a_reader_unsubscribes_by_the_button_and_sees_a_confirmation(ada, strict_client):
    page = read(strict_client.get(ada.leave_path))
    assert page.one("button", class_="button").text == "Leave"
    response = strict_client.post(ada.leave_path)
    assert (response.status_code, response["Location"]) == (303, ada.leave_path)
    assert read(strict_client.get(ada.leave_path)).heading == "You have left"
    assert state(ada) == "left"


def test_unsubscribing_twice_keeps_the_first_time_and_reason(ada, clock):
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


def test_forgetting_needs_a_confirmation_and_then_only_a_hash_is_stored(strict_client):
    join()
    ada = Subscriber.objects.get()
    issue = make.issue()
    Delivery.objects.create(issue=issue, subscriber=ada)
    view = AddressLook.objects.create(who_then="ben", subscriber=ada, at=NOW)
    path = link("forget")
    token = read(strict_client.get(path)).one("input", name="csrfmiddlewaretoken").attributes
    assert strict_client.post(path).status_code == 403
    assert Subscriber.objects.exists()
    response = strict_client.post(path, {"csrfmiddlewaretoken": token["value"]})
    assert (response.status_code, response["Location"]) == (303, path)
    assert read(strict_client.get(path)).heading == "Forgotten"
    assert not Subscriber.objects.exists()
    assert not Delivery.objects.exists()
    assert not Confirmation.objects.exists()
    view.refresh_from_db()
    assert view.subscriber is None
    row = ForgottenAddress.objects.values().get()
    assert ADDRESS not in str(row)
    assert ada.key not in str(row)


def test_a_forgotten_address_is_found_by_the_hash_of_earlier_releases(ada, settings):
    settings.SECRET_KEY = "one"
    subscription.forget(ada, NOW)
    row = ForgottenAddress.objects.get()
    assert row.sealed == "6e9a926a924df19a112dc64346758c085f2a3965fc491424b43809af2a4f708a"
    assert len({row.sealed, row.sealed_key}) == 2
    settings.SECRET_KEY = "two"
    assert not subscription.is_address_forgotten(ADDRESS)
    settings.SECRET_KEY_FALLBACKS = ["one"]
    assert subscription.is_address_forgotten(ADDRESS)


def test_a_forgotten_address_gets_no_mail_even_if_it_is_entered_again(ada):
    subscription.forget(ada, NOW)
    for typed in (ADDRESS, "ADA@Example.ORG"):
        assert join(typed).status_code == 303
    assert not mail.outbox
    assert not Subscriber.objects.exists()


def test_a_forgotten_address_stays_forgotten_when_the_secret_key_changes(ada, settings):
    settings.SECRET_KEY = "earlier"
    subscription.forget(ada, NOW)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "later", ["another", "earlier"]
    assert subscription.is_address_forgotten(ADDRESS)
    assert subscription.is_key_forgotten(ada.key)
    settings.SECRET_KEY_FALLBACKS = []
    assert not subscription.is_address_forgotten(ADDRESS)


def test_forgetting_can_be_undone_with_a_link_of_an_earlier_mail(ada):
    subscription.forget(ada, NOW)
    allow = f"/newsletter/allow/{ada.key}/"
    assert read(Client().get(ada.leave_path)).heading == "Forgotten"
    assert allow in read(Client().get(ada.leave_path)).links
    Client().get(allow)
    assert subscription.is_address_forgotten(ADDRESS)
    assert Client().post(allow).status_code == 303
    join()
    assert mail.outbox[0].to == [ADDRESS]
    assert not Subscriber.objects.confirmed().exists()


def test_a_mail_program_may_unsubscribe_a_forgotten_address(ada):
    subscription.forget(ada, NOW)
    assert Client().post(ada.leave_path, ONE_CLICK).status_code == 200


def test_after_a_spam_complaint_no_mail_is_sent_until_it_is_withdrawn(ada):
    subscription.record_complaint(ada, NOW)
    join()
    assert not mail.outbox
    Client().post(f"/newsletter/allow/{ada.key}/")
    assert state(ada) == "left"
    join()
    assert len(mail.outbox) == 1


def test_a_complaint_replaces_an_earlier_end(ada):
    subscription.leave(ada, NOW)
    subscription.record_complaint(ada, NOW)
    assert ada.state == "confirmed"
    assert state(ada) == "refused"
    assert ada.complained


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
