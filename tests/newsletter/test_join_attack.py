"""How many mails two thousand posts of a script cause in a day."""

from collections import Counter
from urllib.parse import urlencode

import pytest
from django.core import mail
from django.test import RequestFactory

from shipskip.limits.models import ActCount
from shipskip.newsletter.models import Confirmation, Subscriber
from shipskip.newsletter.subscribers import subscription, views
from tests.newsletter.conftest import NOW
from tests.newsletter.readers import form

POSTS, NETWORKS, MAILBOXES = 2_000, 5, 15
FORM = "application/x-www-form-urlencoded"


@pytest.mark.django_db
def test_two_thousand_posts_from_five_networks_send_45_mails(rf: RequestFactory, clock):
    """One in ten pretends to be our page too; each has another tag of one of the mailboxes."""
    clock(NOW)
    answers: Counter[int] = Counter()
    for number in range(POSTS):
        turn, pretends = divmod(number, 10)
        headers = {"hx-request": "true"} | ({} if pretends else {"sec-fetch-site": "same-origin"})
        sent = urlencode(form(f"ada{turn % MAILBOXES}+{turn}@example.org"))
        client = f"203.0.{turn % NETWORKS}.{turn % 250}"
        robot = rf.post("/", sent, FORM, headers=headers, REMOTE_ADDR=client)
        answers[views.join_in_place(robot).status_code] += 1
    admitted = NETWORKS * 20
    assert answers == {200: admitted, 429: POSTS // 10 - admitted, 403: POSTS * 9 // 10}
    assert len(mail.outbox) == MAILBOXES * subscription.MAILS_PER_DAY == 45
    assert Confirmation.objects.count() == 45
    assert Subscriber.objects.count() == admitted
    assert ActCount.objects.filter(kind="sign-ups").count() == NETWORKS
