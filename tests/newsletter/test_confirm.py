"""Confirming: the button confirms, opening the link does not."""

from datetime import timedelta

import pytest
from django.test import Client

from shipskip.newsletter.models import Confirmation, Subscriber
from shipskip.newsletter.subscribers import subscription
from tests import factories as make
from tests.markup import read
from tests.newsletter.conftest import NOW
from tests.newsletter.readers import join, link

pytestmark = pytest.mark.django_db

WEEK = timedelta(days=7)
SECOND = timedelta(seconds=1)


def state():
    return Subscriber.objects.get().state


def test_the_link_of_the_mail_shows_a_button_and_the_button_confirms(clock, strict_client):
    clock(NOW)
    join()
    path = link("confirm")
    for method in (strict_client.get, strict_client.head, Client().options):
        method(path)
    assert state() == "waiting"
    token = read(strict_client.get(path)).one("input", name="csrfmiddlewaretoken").attributes
    clock(NOW + SECOND)
    response = strict_client.post(path, {"csrfmiddlewaretoken": token["value"]})
    assert (response.status_code, response["Location"]) == (303, path)
    subscriber = Subscriber.objects.get()
    assert (subscriber.state, subscriber.confirmed_at) == ("confirmed", NOW + SECOND)
    assert read(strict_client.get(path)).heading == "You are subscribed"


def test_a_form_of_another_site_confirms_nothing(strict_client):
    join()
    assert strict_client.post(link("confirm")).status_code == 403
    assert state() == "waiting"


def test_confirming_twice_changes_nothing_more(clock):
    clock(NOW)
    join()
    Client().post(link("confirm"))
    clock(NOW + WEEK)
    Client().post(link("confirm"))
    assert Subscriber.objects.get().confirmed_at == NOW


@pytest.mark.parametrize(("after", "then"), [(WEEK - SECOND, "confirmed"), (WEEK, "waiting")])
def test_a_link_is_valid_for_seven_days(clock, after, then):
    clock(NOW)
    join()
    clock(NOW + after)
    page = read(Client().get(link("confirm")))
    assert bool(page.all("form", method="post")) == (then == "confirmed")
    Client().post(link("confirm"))
    assert state() == then


def test_each_of_two_mails_confirms_and_the_other_then_says_so():
    join()
    join()
    assert link("confirm", of=0) != link("confirm", of=1)
    Client().post(link("confirm", of=0))
    assert state() == "confirmed"
    assert read(Client().get(link("confirm", of=1))).heading == "You are subscribed"


def test_no_link_from_before_leaving_confirms_again():
    join()
    join()
    Client().post(link("confirm", of=0))
    subscription.leave(Subscriber.objects.get(), NOW)
    for mail in (0, 1):
        Client().post(link("confirm", of=mail))
    assert state() == "left"
    assert "has expired" in read(Client().get(link("confirm", of=0))).heading


def test_a_former_subscriber_can_join_again_with_a_new_confirmation():
    subscriber = make.subscriber(address="ada@example.org")
    subscription.leave(subscriber, NOW)
    join()
    assert state() == "waiting"
    Client().post(link("confirm"))
    subscriber.refresh_from_db()
    assert (subscriber.state, subscriber.ended_at, subscriber.ended_why) == ("confirmed", None, "")


@pytest.mark.parametrize("word", ["confirm", "leave", "forget", "allow"])
def test_an_unknown_link_is_a_page_that_says_so(word):
    for method in (Client().get, Client().post):
        response = method(f"/newsletter/{word}/{'z' * 32}/")
        if response.status_code != 303:
            assert response.status_code == 404
            assert "not valid" in read(response).heading


def test_the_page_shows_no_address_in_full():
    join("annette@example.org")
    page = Client().get(link("confirm")).content.decode()
    assert "a…e@e…e.org" in page
    assert "annette" not in page


def test_the_keys_of_links_are_long_random_and_different():
    rows = [make.confirmation() for _ in range(20)]
    keys = {row.key for row in rows} | {row.subscriber.key for row in rows}
    assert len(keys) == 40
    assert all(len(key) == 32 for key in keys)
    assert Confirmation.objects.with_key(rows[0].subscriber.key) is None
