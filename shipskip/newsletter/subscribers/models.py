"""Who gets the weekly verdicts, or asked for them; `models.py` passes these models on.

An address stands in `Subscriber` alone; whoever was forgotten leaves no more than a seal.
"""

import secrets
from datetime import datetime, timedelta
from typing import Self

from django.conf import settings
from django.db import models
from django.urls import reverse

from shipskip.newsletter.subscribers.mail_addresses import masked, written_to

KEY_BYTES = 24
LINK_VALID = timedelta(days=7)


def fresh_key() -> str:
    """An opaque part of a link: 192 random bits in 32 characters."""
    return secrets.token_urlsafe(KEY_BYTES)


class SubscriberState(models.TextChoices):
    """Whether an address gets the mail."""

    WAITING = "waiting", "Waiting to be confirmed"
    CONFIRMED = "confirmed", "Confirmed"
    LEFT = "left", "Left"
    REFUSED = "refused", "Refused"


LEFT_THEMSELVES = "left by themselves"
COMPLAINED = "complained of spam"
TOOK_BACK = "took a complaint of spam back"


class SubscriberQuerySet(models.QuerySet["Subscriber"]):
    """Subscribers."""

    def confirmed(self) -> Self:
        """Those who get the mail."""
        return self.filter(state=SubscriberState.CONFIRMED)

    def waiting(self) -> Self:
        """Those who asked for the mail and have not confirmed."""
        return self.filter(state=SubscriberState.WAITING)

    def complained(self) -> Self:
        """Those who called a mail spam."""
        return self.filter(state=SubscriberState.REFUSED, ended_why=COMPLAINED)

    def asked_until(self, moment: datetime) -> Self:
        """Those who last asked for the mail at `moment` or before."""
        return self.filter(joined_at__lte=moment)

    def at(self, key: str) -> "Subscriber | None":
        """The one whose links hold this key."""
        return self.filter(key=key).first()

    def of_address(self, normalised: str) -> "Subscriber | None":
        """The one with this address in its normalised form."""
        return self.filter(normalised=normalised).first()


class Subscriber(models.Model):
    """An address that asked for the mail, and whether it still gets it."""

    address = models.CharField(max_length=254, help_text="As it was typed")
    normalised = models.CharField(max_length=320, unique=True)
    state = models.CharField(
        max_length=9, choices=SubscriberState.choices, default=SubscriberState.WAITING
    )
    key = models.CharField(max_length=43, unique=True, default=fresh_key, editable=False)
    joined_at = models.DateTimeField(help_text="When it last asked for the mail")
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
    def masked(self) -> str:
        """The address for everybody but its owner: `a…e@e…e.org`."""
        return masked(self.address)

    @property
    def written_to(self) -> str:
        """Where its mails go: the address with its domain in ASCII."""
        return written_to(self.address, self.normalised)

    @property
    def ended(self) -> bool:
        """Whether it gets no mail and waits for none."""
        return self.state in (SubscriberState.LEFT, SubscriberState.REFUSED)

    @property
    def complained(self) -> bool:
        """Whether its owner called a mail spam."""
        return self.state == SubscriberState.REFUSED and self.ended_why == COMPLAINED

    @property
    def leave_path(self) -> str:
        """Where this subscriber leaves, without a login."""
        return reverse("newsletter:leave", args=[self.key])


class ForgottenAddress(models.Model):
    """An address that asked to be forgotten: a seal by which it is known again, and no more."""

    sealed = models.CharField(max_length=64, unique=True)
    sealed_key = models.CharField(
        max_length=64, db_index=True, help_text="The seal of its links, by which it may come back"
    )
    forgotten_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "forgotten addresses"

    def __str__(self) -> str:
        return f"forgotten {self.forgotten_at:%Y-%m-%d}"


class ConfirmationQuerySet(models.QuerySet["Confirmation"]):
    """Confirmation mails."""

    def asked_since(self, moment: datetime) -> Self:
        """Those asked for after `moment`."""
        return self.filter(asked_at__gt=moment)

    def asked_until(self, moment: datetime) -> Self:
        """Those asked for at `moment` or before."""
        return self.filter(asked_at__lte=moment)

    def unclaimed(self) -> Self:
        """Those that nobody sends or has sent."""
        return self.filter(sent_at=None)

    def unsent(self) -> Self:
        """Those still open that no mail server has taken."""
        return self.unclaimed().filter(ended_at=None)

    def open(self) -> Self:
        """Those whose link was not used and was not made void."""
        return self.filter(ended_at=None)

    def at(self, key: str) -> "Confirmation | None":
        """The one whose link holds this key, with its subscriber."""
        return self.select_related("subscriber").filter(key=key).first()


class Confirmation(models.Model):
    """One confirmation mail; its link holds the key."""

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

    def opens(self, now: datetime) -> bool:
        """Whether its link may still confirm at `now`."""
        return self.ended_at is None and now < self.asked_at + LINK_VALID


class JoinNetworkQuerySet(models.QuerySet["JoinNetwork"]):
    """Networks that asked to join."""

    def under(self, limit: int) -> Self:
        """Those that asked less than `limit` times."""
        return self.filter(joins__lt=limit)


class JoinNetwork(models.Model):
    """How often one network, known by its seal alone, asked to join on one day."""

    day = models.DateField()
    network = models.CharField(max_length=32)
    joins = models.PositiveIntegerField(default=0)

    objects = JoinNetworkQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["day", "network"], name="joins_per_network_and_day")
        ]

    def __str__(self) -> str:
        return f"{self.day}: {self.joins}"


class AddressLook(models.Model):
    """That somebody at the desk saw an address in full, or took a subscriber's data away."""

    who = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    who_then = models.CharField(max_length=150, help_text="Their name, should the account go")
    subscriber = models.ForeignKey(
        Subscriber, on_delete=models.SET_NULL, null=True, related_name="looks"
    )
    act = models.CharField(max_length=20, default="looked")
    at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.who_then} {self.act}, {self.at:%Y-%m-%d %H:%M}"
