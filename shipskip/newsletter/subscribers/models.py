"""Models of subscribers; `shipskip/newsletter/models.py` re-exports them.

Only `Subscriber` stores addresses; of a forgotten address only a hash is stored.
"""

import secrets
from datetime import datetime, timedelta
from typing import Self

from django.conf import settings
from django.contrib.admin import display
from django.db import models
from django.urls import reverse

from shipskip.newsletter.subscribers.mail_addresses import delivery_address, masked

KEY_BYTES = 24
LINK_VALID = timedelta(days=7)


def fresh_key() -> str:
    """A random key for links: 192 bits in 32 characters."""
    return secrets.token_urlsafe(KEY_BYTES)


class SubscriberState(models.TextChoices):
    """Whether an address gets the newsletter."""

    WAITING = "waiting", "Waiting to be confirmed"
    CONFIRMED = "confirmed", "Confirmed"
    LEFT = "left", "Left"
    REFUSED = "refused", "Refused"


LEFT_THEMSELVES = "left by themselves"
COMPLAINED = "complained of spam"
COMPLAINT_WITHDRAWN = "took a complaint of spam back"


class SubscriberQuerySet(models.QuerySet["Subscriber"]):
    """Queries on subscribers."""

    def confirmed(self) -> Self:
        """Subscribers who get the newsletter."""
        return self.filter(state=SubscriberState.CONFIRMED)

    def waiting(self) -> Self:
        """Subscribers who have not confirmed yet."""
        return self.filter(state=SubscriberState.WAITING)

    def complained(self) -> Self:
        """Subscribers who reported a mail as spam."""
        return self.filter(state=SubscriberState.REFUSED, ended_why=COMPLAINED)

    def requested_until(self, moment: datetime) -> Self:
        """Subscribers who last asked to join at `moment` or before."""
        return self.filter(joined_at__lte=moment)

    def ended_until(self, moment: datetime) -> Self:
        """Subscribers whose subscription ended at `moment` or before."""
        return self.filter(
            state__in=(SubscriberState.LEFT, SubscriberState.REFUSED), ended_at__lte=moment
        )

    def with_key(self, key: str) -> "Subscriber | None":
        """The subscriber with this key in their links."""
        return self.filter(key=key).first()

    def of_address(self, normalised: str) -> "Subscriber | None":
        """The subscriber with this normalised address."""
        return self.filter(normalised=normalised).first()


class Subscriber(models.Model):
    """An address that asked to join, and whether it gets the newsletter."""

    address = models.CharField(max_length=254, help_text="As it was typed")
    normalised = models.CharField(max_length=320, unique=True)
    state = models.CharField(
        max_length=9, choices=SubscriberState.choices, default=SubscriberState.WAITING
    )
    key = models.CharField(max_length=43, unique=True, default=fresh_key, editable=False)
    joined_at = models.DateTimeField(help_text="When it last asked to join")
    confirmed_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_why = models.CharField(max_length=300, blank=True)

    objects = SubscriberQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["state", "joined_at"])]

    def __str__(self) -> str:
        return self.masked

    @property
    @display(description="Address")
    def masked(self) -> str:
        """The address as shown to others: `a…e@e…e.org`."""
        return masked(self.address)

    @property
    def delivery_address(self) -> str:
        """The address to send to, with its domain in ASCII."""
        return delivery_address(self.address, self.normalised)

    @property
    def ended(self) -> bool:
        """Whether the subscription has ended."""
        return self.state in (SubscriberState.LEFT, SubscriberState.REFUSED)

    @property
    def complained(self) -> bool:
        """Whether its owner reported a mail as spam."""
        return self.state == SubscriberState.REFUSED and self.ended_why == COMPLAINED

    @property
    def leave_path(self) -> str:
        """The path of the page to leave; needs no login."""
        return reverse("newsletter:leave", args=[self.key])


class ForgottenAddress(models.Model):
    """A forgotten address: only keyed hashes, to recognise it if somebody enters it again."""

    sealed = models.CharField(max_length=64, unique=True)
    sealed_key = models.CharField(
        max_length=64,
        db_index=True,
        help_text="Hash of the key in its links, with which it can come back",
    )
    forgotten_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "forgotten addresses"

    def __str__(self) -> str:
        return f"forgotten {self.forgotten_at:%Y-%m-%d}"


class ConfirmationQuerySet(models.QuerySet["Confirmation"]):
    """Queries on confirmation mails."""

    def requested_after(self, moment: datetime) -> Self:
        """Mails requested after `moment`."""
        return self.filter(asked_at__gt=moment)

    def requested_until(self, moment: datetime) -> Self:
        """Mails requested at `moment` or before."""
        return self.filter(asked_at__lte=moment)

    def unclaimed(self) -> Self:
        """Mails not sent and not being sent."""
        return self.filter(sent_at=None)

    def unsent(self) -> Self:
        """Mails with a valid link that no mail server has accepted."""
        return self.unclaimed().filter(ended_at=None)

    def open(self) -> Self:
        """Mails whose link is neither used nor revoked."""
        return self.filter(ended_at=None)

    def with_key(self, key: str) -> "Confirmation | None":
        """The confirmation with this key in its link, with its subscriber."""
        return self.select_related("subscriber").filter(key=key).first()


class Confirmation(models.Model):
    """One confirmation mail; its link contains the key."""

    subscriber = models.ForeignKey(
        Subscriber, on_delete=models.CASCADE, related_name="confirmations"
    )
    key = models.CharField(max_length=43, unique=True, default=fresh_key, editable=False)
    asked_at = models.DateTimeField(db_index=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True, help_text="Used, or made void")

    objects = ConfirmationQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.subscriber_id} at {self.asked_at:%Y-%m-%d %H:%M}"

    def can_confirm(self, now: datetime) -> bool:
        """Whether its link is valid at `now`."""
        return self.ended_at is None and now < self.asked_at + LINK_VALID


class AddressLook(models.Model):
    """An address view: an editor saw an address in full, or exported a subscriber's data."""

    who = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    who_then = models.CharField(
        max_length=150, help_text="Their user name, in case the account is deleted"
    )
    subscriber = models.ForeignKey(
        Subscriber, on_delete=models.SET_NULL, null=True, related_name="looks"
    )
    act = models.CharField(max_length=20, default="looked")
    at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.who_then} {self.act}, {self.at:%Y-%m-%d %H:%M}"
