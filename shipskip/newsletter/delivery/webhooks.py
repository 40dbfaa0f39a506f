"""What a mail provider tells us later: bounces, complaints, and readers who left through it."""

import re
from typing import Any

from django.conf import settings
from django.urls import URLPattern, path
from django.utils import timezone

from shipskip.newsletter.models import Delivery, DeliveryState, Subscriber
from shipskip.newsletter.subscribers import subscription
from shipskip.newsletter.subscribers.mail_addresses import without_addresses

GONE = {"bounced", "invalid"}
"""Reasons of a refusal that speak of the address and not of the moment or the mail."""

_FOR_NOW = re.compile(r"\b4\.\d{1,3}\.\d{1,3}\b|\b4\d\d[ -]")
"""What the other mail server answers when it means "not now" (RFC 3463, RFC 5321)."""


def addresses() -> list[URLPattern]:
    """Where the configured provider tells its news; none without a WEBHOOK_SECRET to prove it."""
    if not (settings.MAIL_PROVIDER and settings.ANYMAIL.get("WEBHOOK_SECRET")):
        return []
    from anymail.urls import urlpatterns  # it loads the code of every provider

    wanted = f"{settings.MAIL_PROVIDER}/tracking/"
    found = [row for row in urlpatterns if str(row.pattern) == wanted]
    return [path(f"newsletter/provider/{wanted}", row.callback, name="provider") for row in found]


def hear(sender: object, event: Any, esp_name: str, **more: object) -> None:
    """Act on one piece of news (anymail.signals.AnymailTrackingEvent); each is safe to repeat."""
    delivery = Delivery.objects.of_message(event.message_id) if event.message_id else None
    subscriber = delivery.subscriber if delivery else _of(event.recipient or "")
    if subscriber is None:
        return
    now = timezone.now()
    kind, why = event.event_type, event.reject_reason or ""
    if kind == "complained" or (kind == "rejected" and why == "spam"):
        subscription.complain(subscriber, now)
    elif kind == "unsubscribed" or (kind == "rejected" and why == "unsubscribed"):
        subscription.leave(subscriber, now)
    elif kind in ("bounced", "rejected") and why in GONE:
        said = event.mta_response or event.description or ""
        if _FOR_NOW.search(said):
            return  # some providers call a full mailbox a bounce like any other
        subscription.refuse(subscriber, f"bounced: {said}" if said else "bounced", now)
        if delivery:
            words = without_addresses(said)[:300] or "bounced"
            row = Delivery.objects.filter(pk=delivery.pk)
            row.update(state=DeliveryState.REFUSED, reason=words)


def _of(address: str) -> Subscriber | None:
    """The subscriber that a provider names by address, however it writes it."""
    return Subscriber.objects.of_address(address.strip().lower())
