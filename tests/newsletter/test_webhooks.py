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
from tests.newsletter.conftest import NOW
from tests.newsletter.readers import ADDRESS, join

pytestmark = pytest.mark.django_db

BOUNCE = {
    "RecordType": "Bounce",
    "Type": "HardBounce",
    "TypeCode": 1,
    "MessageID": "m-1",
    "Email": "Ada@Example.org",
    "Details": "550 5.1.1 <ada@example.org> unknown",
}
SOFT = BOUNCE | {"Type": "SoftBounce", "TypeCode": 4096, "Details": "smtp;452 4.2.2 full"}
COMPLAINT = {
    "RecordType": "SpamComplaint",
    "Type": "SpamComplaint",
    "TypeCode": 512,
    "MessageID": "m-1",
    "Email": "Ada@Example.org",
}
LEFT = {
    "RecordType": "SubscriptionChange",
    "SuppressSending": True,
    "MessageID": "m-1",
    "SuppressionReason": "ManualSuppression",
    "Origin": "Recipient",
    "Recipient": ADDRESS,
}


@pytest.fixture
def ada(settings):
    settings.MAIL_PROVIDER = "postmark"
    settings.ANYMAIL = {"WEBHOOK_SECRET": "name:password"}
    return make.subscriber(address=ADDRESS)


def post_event(event, *, login: str = "name:password"):
    """Send an event to the webhook as the provider does."""
    (pattern,) = webhooks.url_patterns()
    assert str(pattern.pattern) == "newsletter/provider/postmark/tracking/"
    secret = b64encode(login.encode()).decode()
    request = RequestFactory().post(
        "/",
        json.dumps(event),
        content_type="application/json",
        headers={"authorization": f"Basic {secret}"},
    )
    return pattern.callback(request)


@pytest.mark.parametrize(
    ("event", "state", "why"),
    [
        (BOUNCE, "refused", "bounced: 550 5.1.1 <(address)> unknown"),
        (SOFT, "confirmed", ""),
        (COMPLAINT, "refused", "complained of spam"),
        (LEFT, "left", "left by themselves"),
    ],
    ids=["bounce", "soft bounce", "complaint", "left"],
)
def test_an_event_ends_a_subscription_only_if_the_failure_is_permanent(ada, event, state, why):
    for _ in range(2):
        assert post_event(event).status_code == 200
    ada.refresh_from_db()
    assert (ada.state, ada.ended_why) == (state, why)


def test_a_bounce_is_marked_on_the_delivery_by_its_id_whatever_the_address(ada):
    sent = Delivery.objects.create(
        issue=make.issue(), subscriber=ada, state="sent", message_id="m-1"
    )
    post_event(BOUNCE | {"Email": "somebody@else.example"})
    sent.refresh_from_db()
    ada.refresh_from_db()
    assert (sent.state, ada.state) == ("refused", "refused")
    assert "example" not in sent.reason


def test_after_a_complaint_nobody_can_join_with_the_address(ada):
    post_event(COMPLAINT)
    join()
    assert not mail.outbox


def test_an_event_about_an_unknown_address_changes_nothing(ada):
    assert post_event(BOUNCE | {"Email": "nobody@example.net"}).status_code == 200
    ada.refresh_from_db()
    assert ada.state == "confirmed"


def test_an_event_without_the_secret_is_rejected(ada):
    with pytest.raises(AnymailWebhookValidationFailure):
        post_event(BOUNCE, login="name:guessed")
    ada.refresh_from_db()
    assert ada.state == "confirmed"


@pytest.mark.parametrize(
    ("provider", "secret"),
    [("", {}), ("postmark", {}), ("", {"WEBHOOK_SECRET": "a:b"}), ("mailgun", {})],
)
def test_without_a_provider_and_a_secret_there_is_no_webhook(settings, provider, secret):
    settings.MAIL_PROVIDER, settings.ANYMAIL = provider, secret
    assert webhooks.url_patterns() == []


def test_an_unknown_message_has_no_delivery():
    make.subscriber(joined_at=NOW)
    assert Delivery.objects.of_message("nothing") is None
