"""Join, confirm, leave, forget: one idempotent function per action.

Each action locks the subscriber's row until it is done (SQLite: the write lock).
"""

from datetime import datetime

from django.conf import settings
from django.db import transaction

from shipskip.limits.act_limits import DAY, ActLimit
from shipskip.limits.daily_hashes import hash_of_day
from shipskip.newsletter.models import (
    COMPLAINED,
    COMPLAINT_WITHDRAWN,
    LEFT_THEMSELVES,
    Confirmation,
    ForgottenAddress,
    Subscriber,
    SubscriberState,
)
from shipskip.web.mail_addresses import MailAddress, mailbox, without_addresses
from shipskip.web.network import address_hash

MAILS_PER_DAY = 3
"""Maximum of mails that joining sends to one mailbox in a day (UTC), in any state."""

SIGN_UPS = ActLimit(
    "sign-ups",
    DAY,
    "JOINS_PER_NETWORK_PER_DAY",
    "Your network has used up its {most} sign-ups of a day, which everybody on it shares. You can"
    " sign up again after midnight UTC, in {wait}.",
)
MAILS_TO_MAILBOX = ActLimit("mails", DAY, MAILS_PER_DAY)


def admit_network(network: str, now: datetime) -> None:
    """Count a request to join from `network` (plain text); raises RefusedError above the limit."""
    SIGN_UPS.admit(hash_of_day(f"join {network}", now), now)


def request_join(address: MailAddress, now: datetime) -> Confirmation | None:
    """Save a request to join and return the confirmation mail to send, or None.

    None for an address whose mailbox got MAILS_PER_DAY mails today, that was forgotten, or
    that complained: the person who entered it may not be its owner. A confirmed address gets a
    mail that says so.
    """
    if is_address_forgotten(address.normalised):
        return None
    with transaction.atomic():
        new = Subscriber(address=address.typed, normalised=address.normalised, joined_at=now)
        Subscriber.objects.bulk_create([new], ignore_conflicts=True)
        subscriber = Subscriber.objects.select_for_update().get(normalised=address.normalised)
        box = hash_of_day(f"mail to {mailbox(address.normalised)}", now)
        if subscriber.complained or not MAILS_TO_MAILBOX.count(box, now):
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
    """Confirm the subscriber of a confirmation mail; return whether they are confirmed now.

    A link that has expired, or that was sent before its reader left, changes nothing.
    """
    with transaction.atomic():
        subscriber = Subscriber.objects.select_for_update().get(pk=confirmation.subscriber_id)
        if subscriber.state == SubscriberState.CONFIRMED:
            return True
        confirmation.refresh_from_db()
        if subscriber.state != SubscriberState.WAITING or not confirmation.can_confirm(now):
            return False
        subscriber.state = SubscriberState.CONFIRMED
        subscriber.confirmed_at, subscriber.ended_at, subscriber.ended_why = now, None, ""
        subscriber.save(update_fields=["state", "confirmed_at", "ended_at", "ended_why"])
        subscriber.confirmations.open().update(ended_at=now)
        return True


def leave(subscriber: Subscriber, now: datetime, why: str = LEFT_THEMSELVES) -> None:
    """End a subscription or a request to join for its owner; an earlier end keeps its reason."""
    _end(subscriber, SubscriberState.LEFT, why, now)


def refuse(subscriber: Subscriber, why: str, now: datetime) -> None:
    """End a subscription because a mail server rejects the address; stores no address in `why`."""
    _end(subscriber, SubscriberState.REFUSED, without_addresses(why)[:300], now)


def record_complaint(subscriber: Subscriber, now: datetime) -> None:
    """End a subscription because of a spam complaint; replaces an earlier reason."""
    _end(subscriber, SubscriberState.REFUSED, COMPLAINED, now)


def forget(subscriber: Subscriber, now: datetime) -> None:
    """Delete an address and its data; stores a hash so that it gets no mail again."""
    with transaction.atomic():
        row = Subscriber.objects.select_for_update().filter(pk=subscriber.pk).first()
        if row is None:
            return
        ForgottenAddress.objects.get_or_create(
            sealed=_hashes(row.normalised)[0],
            defaults={"sealed_key": _hashes(row.key)[0], "forgotten_at": now},
        )
        row.delete()


def is_address_forgotten(normalised: str) -> bool:
    """Whether a normalised address was forgotten."""
    return ForgottenAddress.objects.filter(sealed__in=_hashes(normalised)).exists()


def is_key_forgotten(key: str) -> bool:
    """Whether this key belongs to a forgotten address."""
    return ForgottenAddress.objects.filter(sealed_key__in=_hashes(key)).exists()


def allow_again(key: str) -> None:
    """Let an address that was forgotten, or complained, join again like any other.

    Only its owner can: the key is only in the mails sent to it.
    """
    ForgottenAddress.objects.filter(sealed_key__in=_hashes(key)).delete()
    Subscriber.objects.complained().filter(key=key).update(
        state=SubscriberState.LEFT, ended_why=COMPLAINT_WITHDRAWN
    )


def _hashes(text: str) -> list[str]:
    """The address hashes of a text under each SECRET_KEY, the newest first.

    Addresses forgotten under a key removed from SECRET_KEY_FALLBACKS are not recognised any more.
    """
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    keys = [address_hash("shipskip.newsletter.forgotten", secret.encode()) for secret in secrets]
    return [address_hash(text, bytes.fromhex(key)) for key in keys]


def _end(subscriber: Subscriber, state: SubscriberState, why: str, now: datetime) -> None:
    """End an active subscription and revoke its confirmation links. A complaint replaces the reason
    of an earlier end.
    """
    with transaction.atomic():
        row = Subscriber.objects.select_for_update().filter(pk=subscriber.pk).first()
        if row is None or row.complained or (row.ended and why != COMPLAINED):
            return
        row.state, row.ended_at, row.ended_why = state, now, why
        row.save(update_fields=["state", "ended_at", "ended_why"])
        row.confirmations.open().update(ended_at=now)
