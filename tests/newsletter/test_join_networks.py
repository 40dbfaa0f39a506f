"""The limit of requests to join per network and day."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client

from reviews import daily_hashes
from reviews.models import DailySalt
from shipskip.newsletter.models import JoinNetwork, Subscriber
from shipskip.newsletter.subscribers import rate_limit, subscription
from shipskip.newsletter.subscribers.mail_addresses import parse
from tests.newsletter.conftest import NOW
from tests.newsletter.readers import form
from tests.newsletter.sending_site import database_url  # noqa: F401 - fixtures

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
    assert int(response["Retry-After"]) == 15 * 3600 + 1
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
def test_a_thousand_requests_from_one_network_leave_one_row_that_counts_twenty():
    admitted = [rate_limit.admit("203.0.113.0/24", NOW) for _ in range(1_000)]
    assert (sum(admitted), admitted[:20]) == (20, [True] * 20)
    assert JoinNetwork.objects.get().joins == 20


@pytest.mark.django_db
def test_a_network_is_stored_as_a_hash_that_changes_every_day():
    rate_limit.admit("203.0.113.0/24", NOW)
    rate_limit.admit("203.0.113.0/24", NOW + DAY)
    first, second = JoinNetwork.objects.order_by("day")
    assert first.network != second.network
    assert not {"203.0.113.0/24", "203.0.113"} & {first.network, second.network}
    assert all(len(row.network) == 32 for row in (first, second))


@pytest.mark.django_db
def test_a_network_has_another_hash_for_votes_than_for_joining():
    rate_limit.admit("203.0.113.0/24", NOW)
    assert JoinNetwork.objects.get().network != daily_hashes.hash_of_day("203.0.113.0/24", NOW)
    assert DailySalt.objects.count() == 1


@pytest.mark.django_db
def test_counts_are_deleted_after_48_hours():
    rate_limit.admit("203.0.113.0/24", NOW)
    assert rate_limit.delete_old_networks(NOW + 2 * DAY - timedelta(hours=9, seconds=1)) == 0
    assert rate_limit.delete_old_networks(NOW + 2 * DAY) == 1


def test_parallel_requests_do_not_exceed_the_limit(database_url):  # noqa: F811
    def admit(_):
        try:
            return rate_limit.admit("203.0.113.0/24", NOW)
        finally:
            connection.close()

    rate_limit.admit("198.51.100.0/24", NOW)  # the day's salt is there
    with ThreadPoolExecutor(6) as pool:
        admitted = list(pool.map(admit, range(40)))
    assert sum(admitted) == 20


def test_many_tags_at_once_get_three_mails_together(database_url):  # noqa: F811
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
