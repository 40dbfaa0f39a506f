"""Webhook events of the mail provider, parsed by django-anymail."""

import json
from base64 import b64encode

import pytest
from anymail.exceptions import AnymailWebhookValidationFailure
from django.core import mail
from django.test import RequestFactory

from shipskip.newsletter.delivery import webhooks
from shipskip.newsletter.models import Delivery
from tests import factories as make
from tests.newsletter.readers import ADDRESS, join

pytestmark = pytest.mark.django_db

BOUNCE = {
    "MessageID": "m-1",
    "Email": "Ada@Example.org",
    "RecordType": "Bounce",
    "Type": "HardBounce",
    "TypeCode": 1,
    "Details": "550 5.1.1 <ada@example.org> unknown",
}
SOFT = BOUNCE | {"Type": "SoftBounce", "TypeCode": 4096, "Details": "smtp;452 4.2.2 full"}
COMPLAINT = BOUNCE | {"RecordType": "SpamComplaint", "Type": "SpamComplaint", "TypeCode": 512}
LEFT = {
    "RecordType": "SubscriptionChange",
    "SuppressSending": True,
    "MessageID": "m-1",
    "SuppressionReason": "ManualSuppression",
    "Origin": "Recipient",
    "Recipient": ADDRESS,
}
STRANGER = BOUNCE | {"Email": "nobody@example.net"}


@pytest.fixture
def ada(settings):
    settings.MAIL_PROVIDER = "postmark"
    settings.ANYMAIL = {"WEBHOOK_SECRET": "name:password"}
    return make.subscriber(address=ADDRESS)


def post_event(event, *, login: str = "name:password"):
    (pattern,) = webhooks.url_patterns()
    assert str(pattern.pattern) == "newsletter/provider/postmark/tracking/"
    headers = {"authorization": f"Basic {b64encode(login.encode()).decode()}"}
    body = json.dumps(event)
    return pattern.callback(
        RequestFactory().post("/", body, content_type="application/json", headers=headers)
    )


@pytest.mark.parametrize(
    ("event", "state", "why"),
    [
        pytest.param(BOUNCE, "refused", "bounced: 550 5.1.1 <(address)> unknown", id="bounce"),
        pytest.param(SOFT, "confirmed", "", id="soft bounce"),
        pytest.param(COMPLAINT, "refused", "complained of spam", id="complaint"),
        pytest.param(LEFT, "left", "left by themselves", id="left"),
        pytest.param(STRANGER, "confirmed", "", id="unknown address"),
    ],
)
def test_an_event_ends_a_subscription_only_if_the_failure_is_permanent(ada, event, state, why):
    for _ in range(2):
        assert post_event(event).status_code == 200
    ada.refresh_from_db()
    assert (ada.state, ada.ended_why) == (state, why)
    join()
    assert len(mail.outbox) == (event is not COMPLAINT)


def test_a_bounce_is_marked_on_the_delivery_by_its_id_whatever_the_address(ada):
    for number in (1, 2):
        Delivery.objects.create(
            issue=make.issue(date=f"2026-05-0{number}"),
            subscriber=ada,
            state="sent",
            message_id=f"m-{number}",
        )
    post_event(STRANGER)
    sent, other = Delivery.objects.order_by("message_id")
    ada.refresh_from_db()
    assert (sent.state, other.state, ada.state) == ("refused", "sent", "refused")
    assert "example" not in sent.reason
    assert Delivery.objects.of_message("nothing") is None


def test_without_its_secret_an_event_is_rejected_and_without_one_set_there_is_no_webhook(
    ada, settings
):
    with pytest.raises(AnymailWebhookValidationFailure):
        post_event(BOUNCE, login="name:guessed")
    ada.refresh_from_db()
    assert ada.state == "confirmed"
    secret = {"WEBHOOK_SECRET": "a:b"}
    for provider, own in (("", {}), ("postmark", {}), ("", secret), ("mailgun", {})):
        settings.MAIL_PROVIDER, settings.ANYMAIL = provider, own
        assert webhooks.url_patterns() == []
