"""Subscribers, issues, their entries and their deliveries.

Only `Subscriber` stores addresses; of a forgotten address only a hash is stored.
"""

import secrets
from datetime import date, datetime, timedelta
from typing import Self

from django.conf import settings
from django.contrib.admin import display
from django.db import models, transaction
from django.db.models import Q
from django.urls import reverse

from shipskip.web.mail_addresses import delivery_address, masked
from shipskip.web.text import line_field, prose_field
from tools.models import Tool

KEY_BYTES = 24
LINK_VALID = timedelta(days=7)
HOLDS_ITS_DATE = Q(cancelled_at=None) | Q(frozen_at__isnull=False)
"""Issues that have, or may get, a page in the archive."""


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


class IssueQuerySet(models.QuerySet["Issue"]):
    """Queries on issues."""

    def sent(self) -> Self:
        """Issues with no mail left to send."""
        return self.filter(sent_at__isnull=False)

    def archived(self) -> Self:
        """Public issues: those with a snapshot that were sent, at least to some subscribers."""
        return self.filter(Q(cancelled_at=None) | Q(accepted__gt=0), frozen_at__isnull=False)

    def holding_a_date(self) -> Self:
        """Issues whose date no other may have: those not cancelled, and those cancelled after their
        snapshot, since mails may link to their page. Includes all of `archived`.
        """
        return self.filter(HOLDS_ITS_DATE)

    def free_date(self, day: date) -> date:
        """The first free date from `day` on: none of these issues has it."""
        later = self.holding_a_date().filter(date__gte=day)
        used = set(later.values_list("date", flat=True))
        while day in used:
            day += timedelta(days=1)
        return day

    def sending(self) -> Self:
        """Issues with a snapshot that are not sent or cancelled."""
        return self.filter(frozen_at__isnull=False, sent_at=None, cancelled_at=None)

    def scheduled(self, now: datetime) -> Self:
        """Issues that will be sent after `now`, the soonest first."""
        waiting = self.filter(scheduled_at__gt=now, frozen_at=None, cancelled_at=None)
        return waiting.order_by("scheduled_at", "pk")

    def due(self, now: datetime) -> Self:
        """Issues scheduled for `now` or before, without a snapshot."""
        return self.filter(scheduled_at__lte=now, frozen_at=None, cancelled_at=None)

    def latest_first(self) -> Self:
        """The newest date first."""
        return self.order_by("-date", "-pk")

    def for_archive(self) -> Self:
        """Archived issues, newest first, without their bodies."""
        return self.archived().latest_first().defer("html", "text")


class Issue(models.Model):
    """One weekly mailing. Its timestamps define its state; after its snapshot (`frozen_at`) its
    content never changes.
    """

    number = models.PositiveIntegerField(unique=True)
    date = models.DateField(help_text="Its URL in the archive")
    subject = line_field(200)
    introduction = prose_field()
    since = models.DateTimeField(help_text="Covers what was published from this time")
    until = models.DateTimeField(help_text="and before this time")
    scheduled_at = models.DateTimeField(null=True, blank=True, db_index=True)
    frozen_at = models.DateTimeField(null=True, blank=True, editable=False)
    sent_at = models.DateTimeField(null=True, blank=True, editable=False)
    cancelled_at = models.DateTimeField(null=True, blank=True, editable=False)
    frozen_subject = models.CharField(max_length=200, blank=True, editable=False)
    html = models.TextField(blank=True, editable=False, help_text="Snapshot, except the leave link")
    text = models.TextField(blank=True, editable=False, help_text="Snapshot, except the leave link")
    recipients = models.PositiveIntegerField(default=0, editable=False)
    accepted = models.PositiveIntegerField(
        default=0, editable=False, help_text="Mails accepted by the mail server"
    )

    correction = prose_field()
    """What was wrong in the mail, for readers of its page."""
    corrected_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = IssueQuerySet.as_manager()

    class Meta:
        ordering = ["-date", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["date"], condition=HOLDS_ITS_DATE, name="one_page_of_a_date"
            )
        ]

    def __str__(self) -> str:
        return f"No. {self.number}, {self.date.day} {self.date:%b %Y}"

    def get_absolute_url(self) -> str:
        """The issue's page in the archive."""
        return reverse("newsletter:issue", args=[self.date])

    def recount(self) -> None:
        """Save how many mails were accepted; the number stays when subscribers are deleted."""
        sent = self.deliveries.filter(state=DeliveryState.SENT).count()
        Issue.objects.filter(pk=self.pk, accepted__lt=sent).update(accepted=sent)

    @property
    def changed_at(self) -> datetime | None:
        """When its page changed last: when it was sent, or corrected."""
        return self.corrected_at or self.frozen_at

    @property
    def is_own(self) -> bool:
        """Whether an editor began it with their own text, and no rule: it covers no time."""
        return self.since == self.until

    @property
    def is_editable(self) -> bool:
        """Whether it can still be changed."""
        return not (self.frozen_at or self.cancelled_at)

    @property
    def state(self) -> str:
        """`draft`, `scheduled`, `sending`, `sent` or `cancelled`, from its timestamps."""
        if self.cancelled_at:
            return "cancelled"
        if self.sent_at:
            return "sent"
        if self.frozen_at:
            return "sending"
        return "scheduled" if self.scheduled_at else "draft"


class EntryKind(models.TextChoices):
    """Why an entry is in an issue."""

    NEW_VERDICT = "new_verdict", "New verdict"
    CHANGED_VERDICT = "changed_verdict", "Changed verdict"
    CLOSEST_PAIR = "closest_pair", "Closest pair"
    MOST_DIVIDED = "most_divided", "Panel and community differ most"
    OWN_TEXT = "own_text", "Own text"


class IssueEntryQuerySet(models.QuerySet["IssueEntry"]):
    """Queries on the entries of issues."""

    def included(self) -> Self:
        """Entries that were not dropped, in their order."""
        return self.filter(dropped=False).order_by("position", "pk")


class IssueEntry(models.Model):
    """One entry of an issue: chosen by rule, ordered or dropped by an editor; or an editor's own
    heading and text, without a tool.
    """

    issue = models.ForeignKey(Issue, on_delete=models.CASCADE, related_name="entries")
    kind = models.CharField(max_length=15, choices=EntryKind.choices)
    tool = models.ForeignKey(
        Tool, on_delete=models.CASCADE, related_name="+", null=True, blank=True
    )
    heading = line_field(120, blank=True)
    text = prose_field()
    other = models.ForeignKey(
        Tool, on_delete=models.CASCADE, related_name="+", null=True, blank=True
    )
    position = models.PositiveSmallIntegerField(default=0)
    dropped = models.BooleanField(default=False)
    facts = models.JSONField(
        default=dict, blank=True, help_text="Snapshot, stored with the issue's"
    )

    objects = IssueEntryQuerySet.as_manager()

    class Meta:
        ordering = ["position", "pk"]
        verbose_name_plural = "issue entries"

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.heading or self.tool_id}"


class DeliveryState(models.TextChoices):
    """The state of one mail."""

    WAITING = "waiting", "Waiting"
    SENDING = "sending", "Sending"
    SENT = "sent", "Sent"
    UNKNOWN = "unknown", "Unknown"
    REFUSED = "refused", "Refused"
    SKIPPED = "skipped", "Skipped"


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    """Queries on mails of issues to subscribers."""

    def waiting(self, now: datetime) -> Self:
        """Mails to send whose retry delay is over at `now`."""
        return self.filter(state=DeliveryState.WAITING, next_at__lte=now)

    def unknown(self) -> Self:
        """Mails that the server may or may not have accepted; not resent automatically."""
        return self.filter(state=DeliveryState.UNKNOWN)

    def resolve(self, state: DeliveryState, reason: str, now: datetime) -> int:
        """Give the unknown mails an operator's decision; return how many.

        Mails that wait again put their issue into state *sending* once more; those of a cancelled
        issue stay unknown.
        """
        again = state == DeliveryState.WAITING
        unknown = self.unknown().filter(issue__cancelled_at=None) if again else self.unknown()
        with transaction.atomic():
            keys = list(unknown.select_for_update(of=("self",)).values_list("pk", flat=True))
            rows = Delivery.objects.filter(pk__in=keys)
            done = rows.update(state=state, reason=reason, next_at=now, finished_at=now)
            issues = Issue.objects.filter(pk__in=rows.values("issue"))
            if again:
                issues.update(sent_at=None)
            for issue in issues:
                issue.recount()
        return done

    def of_message(self, message_id: str) -> "Delivery | None":
        """The delivery with this Message-ID or provider id, with its subscriber."""
        return self.select_related("subscriber").filter(message_id=message_id).first()


class Delivery(models.Model):
    """One mail of an issue to one subscriber; the database allows at most one."""

    issue = models.ForeignKey(Issue, on_delete=models.CASCADE, related_name="deliveries")
    subscriber = models.ForeignKey(Subscriber, on_delete=models.CASCADE, related_name="deliveries")
    state = models.CharField(
        max_length=8, choices=DeliveryState.choices, default=DeliveryState.WAITING
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True)
    message_id = models.CharField(max_length=255, blank=True, db_index=True)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "deliveries"
        indexes = [
            models.Index(fields=["issue", "state", "next_at"]),
        ]
        constraints = [
            models.UniqueConstraint(fields=["issue", "subscriber"], name="one_mail_of_an_issue")
        ]

    def __str__(self) -> str:
        return f"{self.issue_id} to {self.subscriber_id}: {self.state}"
