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

MESSAGE = {"MessageID": "m-1", "Email": "Ada@Example.org"}
BOUNCE = MESSAGE | {
    "RecordType": "Bounce",
    "Type": "HardBounce",
    "TypeCode": 1,
    "Details": "550 5.1.1 <ada@example.org> unknown",
}
SOFT = BOUNCE | {"Type": "SoftBounce", "TypeCode": 4096, "Details": "smtp;452 4.2.2 full"}
COMPLAINT = MESSAGE | {"RecordType": "SpamComplaint", "Type": "SpamComplaint", "TypeCode": 512}
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
        pytest.param(BOUNCE, "refused", "bounced: 550 5.1.1 <(address)> unknown", id="bounce"),
        pytest.param(SOFT, "confirmed", "", id="soft bounce"),
        pytest.param(COMPLAINT, "refused", "complained of spam", id="complaint"),
        pytest.param(LEFT, "left", "left by themselves", id="left"),
        pytest.param(
            BOUNCE | {"Email": "nobody@example.net"}, "confirmed", "", id="unknown address"
        ),
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
    sent, other = (
        Delivery.objects.create(
            issue=make.issue(date=f"2026-05-0{n}"),
            subscriber=ada,
            state="sent",
            message_id=f"m-{n}",
        )
        for n in (1, 2)
    )
    post_event(BOUNCE | {"Email": "somebody@else.example"})
    for row in (sent, other, ada):
        row.refresh_from_db()
    assert (sent.state, other.state, ada.state) == ("refused", "sent", "refused")
    assert "example" not in sent.reason
    assert Delivery.objects.of_message("nothing") is None


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
