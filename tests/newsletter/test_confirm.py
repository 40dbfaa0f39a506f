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

WEEK, SECOND = timedelta(days=7), timedelta(seconds=1)


def state():
    return Subscriber.objects.get().state


def test_the_link_of_the_mail_shows_a_button_and_the_button_confirms_once(
    clock, strict_client, snapshot
):
    clock(NOW)
    join("annette@example.org")
    path = link("confirm")
    for method in (strict_client.get, strict_client.head, Client().options):
        method(path)
    assert strict_client.post(path).status_code == 403
    assert state() == "waiting"
    page = read(strict_client.get(path))
    assert page.visible_text == snapshot
    token = page.one("input", name="csrfmiddlewaretoken").attributes["value"]
    for moment in (NOW + SECOND, NOW + WEEK):
        clock(moment)
        response = strict_client.post(path, {"csrfmiddlewaretoken": token})
        assert (response.status_code, response["Location"]) == (303, path)
        subscriber = Subscriber.objects.get()
        assert (subscriber.state, subscriber.confirmed_at) == ("confirmed", NOW + SECOND)
    assert read(strict_client.get(path)).heading == "You are subscribed"


@pytest.mark.parametrize(("after", "then"), [(WEEK - SECOND, "confirmed"), (WEEK, "waiting")])
def test_a_link_is_valid_for_seven_days(clock, after, then):
    clock(NOW)
    join()
    clock(NOW + after)
    page = read(Client().get(link("confirm")))
    assert bool(page.all("form", method="post")) == (then == "confirmed")
    Client().post(link("confirm"))
    assert state() == then


def test_each_of_two_mails_confirms_and_none_from_before_leaving_confirms_again():
    join()
    join()
    first, second = link("confirm", of=0), link("confirm", of=1)
    assert first != second
    Client().post(first)
    assert state() == "confirmed"
    assert not Confirmation.objects.open(), "the other is not sent again"
    assert read(Client().get(second)).heading == "You are subscribed"
    subscription.leave(Subscriber.objects.get(), NOW)
    for path in (first, second):
        Client().post(path)
        assert state() == "left"
        assert "expired" in read(Client().get(path)).heading


def test_a_former_subscriber_can_join_again_with_a_new_confirmation():
    subscriber = make.subscriber(address="ada@example.org")
    subscription.leave(subscriber, NOW)
    join()
    assert state() == "waiting"
    Client().post(link("confirm"))
    subscriber.refresh_from_db()
    assert (subscriber.state, subscriber.ended_at, subscriber.ended_why) == ("confirmed", None, "")


def test_an_unknown_link_is_a_page_that_says_so():
    for word in ("confirm", "leave", "forget", "allow"):
        for method in (Client().get, Client().post):
            response = method(f"/newsletter/{word}/{'z' * 32}/")
            if response.status_code != 303:
                assert response.status_code == 404, word
                assert "not valid" in read(response).heading, word


def test_the_keys_of_links_are_long_random_and_different():
    rows = [make.confirmation() for _ in range(20)]
    keys = {row.key for row in rows} | {row.subscriber.key for row in rows}
    assert len(keys) == 40
    assert all(len(key) == 32 for key in keys)
    assert Confirmation.objects.with_key(rows[0].subscriber.key) is None
