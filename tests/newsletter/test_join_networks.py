"""The limit of requests to join per network and day."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client

from shipskip.limits import daily_hashes
from shipskip.limits.models import ActCount
from shipskip.newsletter.models import Subscriber
from shipskip.newsletter.subscribers import subscription
from shipskip.web.mail_addresses import parse
from tests.markup import read
from tests.newsletter.conftest import NOW
from tests.newsletter.readers import form

pytestmark = pytest.mark.both_databases

DAY = timedelta(days=1)


def join_from(ip: str, address: str):
    return Client(REMOTE_ADDR=ip).post("/newsletter/join/", form(address))


@pytest.mark.django_db
def test_the_twenty_first_request_of_a_network_waits_for_tomorrow(clock):
    clock(NOW)
    for number in range(20):
        assert join_from(f"203.0.113.{number}", f"a{number}@example.org").status_code == 303
    response = join_from("203.0.113.99", "late@example.org")
    assert response.status_code == 429
    assert int(response["Retry-After"]) == 15 * 3600
    assert read(response).one("p", class_="join__message").text == (
        "Nothing was changed. Your network has used up its 20 sign-ups of a day, which everybody on"
        " it shares. You can sign up again after midnight UTC, in 15 hours."
    )
    assert join_from("203.0.114.1", "other@example.org").status_code == 303
    clock(NOW + DAY)
    assert join_from("203.0.113.99", "late@example.org").status_code == 303


@pytest.mark.django_db
def test_a_known_address_counts_towards_the_limit_like_a_new_one(settings, clock):
    clock(NOW)
    settings.JOINS_PER_NETWORK_PER_DAY = 2
    answers = [join_from("203.0.113.1", "ada@example.org").status_code for _ in range(3)]
    assert answers == [303, 303, 429]


@pytest.mark.django_db
def test_a_network_has_another_hash_for_joining_each_day_and_than_for_votes():
    for now in (NOW, NOW + DAY):
        subscription.admit_network("203.0.113.0/24", now)
    keys = set(ActCount.objects.values_list("key", flat=True))
    keys.add(daily_hashes.hash_of_day("203.0.113.0/24", NOW))
    assert len(keys) == 3
    assert {len(key) for key in keys} == {32}


def test_many_tags_at_once_get_three_mails_together(database):
    def request_to_join(number):
        try:
            return subscription.request_join(parse(f"ada+{number}@example.org"), NOW)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(request_to_join, range(15)))
    assert len([row for row in answers if row]) == subscription.MAILS_PER_DAY


@pytest.mark.django_db
def test_no_subscriber_is_stored_of_a_rejected_request(settings):
    settings.JOINS_PER_NETWORK_PER_DAY = 0
    join_from("203.0.113.1", "ada@example.org")
    assert not Subscriber.objects.exists()
