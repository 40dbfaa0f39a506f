"""Webhook events of the mail provider: bounces, spam complaints and unsubscribes."""

import re
from typing import Any

from django.conf import settings
from django.urls import URLPattern, path
from django.utils import timezone

from shipskip.newsletter.models import Delivery, DeliveryState, Subscriber
from shipskip.newsletter.subscribers import subscription
from shipskip.web.mail_addresses import without_addresses

ADDRESS_REASONS = {"bounced", "invalid"}
"""Rejection reasons that are about the address, not about the mail or the time."""

_TEMPORARY = re.compile(r"\b4\.\d{1,3}\.\d{1,3}\b|\b4\d\d[ -]")
"""A reply of the recipient's server that means a temporary failure (RFC 3463, RFC 5321)."""


def url_patterns() -> list[URLPattern]:
    """The configured provider's webhook URL; none without a WEBHOOK_SECRET to authenticate it."""
    if not (settings.MAIL_PROVIDER and settings.ANYMAIL.get("WEBHOOK_SECRET")):
        return []
    from anymail.urls import urlpatterns  # imported here: it loads the code of every provider

    wanted = f"{settings.MAIL_PROVIDER}/tracking/"
    found = [row for row in urlpatterns if str(row.pattern) == wanted]
    return [path(f"newsletter/provider/{wanted}", row.callback, name="provider") for row in found]


def handle_event(sender: object, event: Any, esp_name: str, **more: object) -> None:
    """Handle one event (anymail.signals.AnymailTrackingEvent); safe to repeat."""
    delivery = Delivery.objects.of_message(event.message_id) if event.message_id else None
    subscriber = delivery.subscriber if delivery else _subscriber_at(event.recipient or "")
    if subscriber is None:
        return
    now = timezone.now()
    kind, why = event.event_type, event.reject_reason or ""
    if kind == "complained" or (kind == "rejected" and why == "spam"):
        subscription.record_complaint(subscriber, now)
    elif kind == "unsubscribed" or (kind == "rejected" and why == "unsubscribed"):
        subscription.leave(subscriber, now)
    elif kind in ("bounced", "rejected") and why in ADDRESS_REASONS:
        reply = event.mta_response or event.description or ""
        if _TEMPORARY.search(reply):
            return  # some providers report a full mailbox as a bounce like any other
        subscription.refuse(subscriber, f"bounced: {reply}" if reply else "bounced", now)
        if delivery:
            reason = without_addresses(reply)[:300] or "bounced"
            row = Delivery.objects.filter(pk=delivery.pk)
            row.update(state=DeliveryState.REFUSED, reason=reason)


def _subscriber_at(address: str) -> Subscriber | None:
    """The subscriber with an address as the provider writes it, in any case."""
    return Subscriber.objects.of_address(address.strip().lower())
