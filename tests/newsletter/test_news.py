"""What a mail provider tells later, by the webhook that its own library reads."""

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


def tell(event, *, login: str = "name:password"):
    """Send news as the provider does."""
    (pattern,) = webhooks.addresses()
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
def test_news_ends_a_subscription_only_if_it_says_so(ada, event, state, why):
    for _ in range(2):
        assert tell(event).status_code == 200
    ada.refresh_from_db()
    assert (ada.state, ada.ended_why) == (state, why)


def test_a_bounce_is_marked_on_the_delivery_by_its_id_whatever_the_address(ada):
    sent = Delivery.objects.create(
        issue=make.issue(), subscriber=ada, state="sent", message_id="m-1"
    )
    tell(BOUNCE | {"Email": "somebody@else.example"})
    sent.refresh_from_db()
    ada.refresh_from_db()
    assert (sent.state, ada.state) == ("refused", "refused")
    assert "example" not in sent.reason


def test_a_complaint_means_no_mail_for_whoever_types_the_address(ada):
    tell(COMPLAINT)
    join()
    assert not mail.outbox


def test_news_of_a_stranger_changes_nothing(ada):
    assert tell(BOUNCE | {"Email": "nobody@example.net"}).status_code == 200
    ada.refresh_from_db()
    assert ada.state == "confirmed"


def test_news_without_the_secret_is_not_believed(ada):
    with pytest.raises(AnymailWebhookValidationFailure):
        tell(BOUNCE, login="name:guessed")
    ada.refresh_from_db()
    assert ada.state == "confirmed"


@pytest.mark.parametrize(
    ("provider", "secret"),
    [("", {}), ("postmark", {}), ("", {"WEBHOOK_SECRET": "a:b"}), ("mailgun", {})],
)
def test_without_a_provider_and_a_secret_nobody_listens(settings, provider, secret):
    settings.MAIL_PROVIDER, settings.ANYMAIL = provider, secret
    assert webhooks.addresses() == []


def test_a_message_that_never_was_has_no_delivery():
    make.subscriber(joined_at=NOW)
    assert Delivery.objects.of_message("nothing") is None
