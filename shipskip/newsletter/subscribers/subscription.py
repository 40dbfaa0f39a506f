"""Joining, confirming, leaving, being forgotten: one function an act, each safe to repeat.

Each act on a subscriber holds its row until it is done (SQLite: the one writer).
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from shipskip.newsletter.subscribers.mail_addresses import Address, without_addresses
from shipskip.newsletter.subscribers.models import (
    COMPLAINED,
    LEFT_THEMSELVES,
    TOOK_BACK,
    Confirmation,
    ForgottenAddress,
    Subscriber,
    SubscriberState,
)
from shipskip.web.network import address_hash

DAY = timedelta(days=1)
MAILS_PER_DAY = 3
"""Mails that joining may cause to one address within 24 hours, whatever its state."""

UNCONFIRMED_KEPT = timedelta(days=14)


def ask(address: Address, now: datetime) -> Confirmation | None:
    """Take down that an address asks for the newsletter: the mail to send it, or None.

    None for one that had MAILS_PER_DAY mails within a day, one that was forgotten and one that
    complained: whoever types an address may not be its owner. A confirmed one is told so by mail.
    """
    if was_forgotten(address.normalised):
        return None
    with transaction.atomic():
        new = Subscriber(address=address.typed, normalised=address.normalised, joined_at=now)
        Subscriber.objects.bulk_create([new], ignore_conflicts=True)
        subscriber = Subscriber.objects.select_for_update().get(normalised=address.normalised)
        asked = subscriber.confirmations.asked_since(now - DAY).count()
        if subscriber.complained or asked >= MAILS_PER_DAY:
            return None
        confirmed = subscriber.state == SubscriberState.CONFIRMED
        if not confirmed:
            subscriber.state = SubscriberState.WAITING
            subscriber.address, subscriber.joined_at = address.typed, now
            subscriber.save(update_fields=["state", "address", "joined_at"])
        return Confirmation.objects.create(
            subscriber=subscriber, asked_at=now, ended_at=now if confirmed else None
        )


def confirm(confirmation: Confirmation, now: datetime) -> bool:
    """Let the subscriber of a confirmation mail get the newsletter; whether they get it now.

    A link that is too old, or from before its reader left, does nothing.
    """
    with transaction.atomic():
        subscriber = Subscriber.objects.select_for_update().get(pk=confirmation.subscriber_id)
        if subscriber.state == SubscriberState.CONFIRMED:
            return True
        confirmation.refresh_from_db()
        if subscriber.state != SubscriberState.WAITING or not confirmation.opens(now):
            return False
        subscriber.state = SubscriberState.CONFIRMED
        subscriber.confirmed_at, subscriber.ended_at, subscriber.ended_why = now, None, ""
        subscriber.save(update_fields=["state", "confirmed_at", "ended_at", "ended_why"])
        subscriber.confirmations.open().update(ended_at=now)
        return True


def leave(subscriber: Subscriber, now: datetime, why: str = LEFT_THEMSELVES) -> None:
    """End a subscription for its owner, or a wish to join; one that ended keeps its reason."""
    _end(subscriber, SubscriberState.LEFT, why, now)


def refuse(subscriber: Subscriber, why: str, now: datetime) -> None:
    """End a subscription for what a mail server says of the address; no address is kept of it."""
    _end(subscriber, SubscriberState.REFUSED, without_addresses(why)[:300], now)


def complain(subscriber: Subscriber, now: datetime) -> None:
    """End a subscription for good: its owner called a mail spam. Even one that ended before."""
    _end(subscriber, SubscriberState.REFUSED, COMPLAINED, now)


def forget(subscriber: Subscriber, now: datetime) -> None:
    """Delete an address and all that belongs to it; a seal stays, so that it is not mailed."""
    with transaction.atomic():
        row = Subscriber.objects.select_for_update().filter(pk=subscriber.pk).first()
        if row is None:
            return
        ForgottenAddress.objects.get_or_create(
            sealed=_hashes(row.normalised)[0],
            defaults={"sealed_key": _hashes(row.key)[0], "forgotten_at": now},
        )
        row.delete()


def was_forgotten(normalised: str) -> bool:
    """Whether an address, in its normalised form, asked to be forgotten."""
    return ForgottenAddress.objects.filter(sealed__in=_hashes(normalised)).exists()


def is_forgotten(key: str) -> bool:
    """Whether the links with this key belong to an address that was forgotten."""
    return ForgottenAddress.objects.filter(sealed_key__in=_hashes(key)).exists()


def let_back(key: str) -> None:
    """Let an address that was forgotten, or complained, be joined again like any other.

    Only its owner can: the key stands in the mails that went to it and nowhere else.
    """
    ForgottenAddress.objects.filter(sealed_key__in=_hashes(key)).delete()
    Subscriber.objects.complained().filter(key=key).update(
        state=SubscriberState.LEFT, ended_why=TOOK_BACK
    )


def _hashes(text: str) -> list[str]:
    """What a forgotten address or key may be known by: its hash under each SECRET_KEY, the newest
    first. A key that leaves SECRET_KEY_FALLBACKS takes with it the memory of who was forgotten
    under it.
    """
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    keys = [address_hash("shipskip.newsletter.forgotten", secret.encode()) for secret in secrets]
    return [address_hash(text, bytes.fromhex(key)) for key in keys]


def delete_unconfirmed(now: datetime) -> int:
    """Delete the addresses that asked 14 days ago or earlier and never confirmed; how many."""
    old = Subscriber.objects.waiting().asked_until(now - UNCONFIRMED_KEPT)
    return old.delete()[1].get(Subscriber._meta.label, 0)


def delete_old_confirmations(now: datetime) -> int:
    """Delete confirmation mails of 14 days ago or earlier, whose links ended long before."""
    return Confirmation.objects.asked_until(now - UNCONFIRMED_KEPT).delete()[0]


def _end(subscriber: Subscriber, state: SubscriberState, why: str, now: datetime) -> None:
    """End what has not ended, and make the links to confirm it void. A complaint replaces the
    reason that a subscription ended for before.
    """
    with transaction.atomic():
        row = Subscriber.objects.select_for_update().filter(pk=subscriber.pk).first()
        if row is None or row.complained or (row.ended and why != COMPLAINED):
            return
        row.state, row.ended_at, row.ended_why = state, now, why
        row.save(update_fields=["state", "ended_at", "ended_why"])
        row.confirmations.open().update(ended_at=now)
