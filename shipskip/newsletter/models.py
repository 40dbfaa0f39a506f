"""What each issue of the newsletter holds, and how each mail of it fared; and its subscribers."""

from datetime import date, datetime, timedelta
from typing import Self

from django.db import models
from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Greatest
from django.urls import reverse

from shipskip.newsletter.subscribers.models import (
    COMPLAINED,
    LEFT_THEMSELVES,
    AddressLook,
    Confirmation,
    ForgottenAddress,
    JoinNetwork,
    Subscriber,
    SubscriberState,
)
from shipskip.web.text import line, prose
from tools.models import Tool

__all__ = [
    "COMPLAINED",
    "LEFT_THEMSELVES",
    "AddressLook",
    "Confirmation",
    "Delivery",
    "DeliveryState",
    "EntryKind",
    "ForgottenAddress",
    "Issue",
    "IssueEntry",
    "JoinNetwork",
    "Subscriber",
    "SubscriberState",
]

HOLDS_ITS_DATE = Q(cancelled_at=None) | Q(frozen_at__isnull=False)
"""An issue with a page in the archive, or that may come to have one."""


class IssueQuerySet(models.QuerySet["Issue"]):
    """Issues of the newsletter."""

    def sent(self) -> Self:
        """Those whose every mail was dealt with."""
        return self.filter(sent_at__isnull=False)

    def archived(self) -> Self:
        """Those that readers may see: frozen, and on their way or sent, if only to some."""
        return self.filter(Q(cancelled_at=None) | Q(accepted__gt=0), frozen_at__isnull=False)

    def holding_a_date(self) -> Self:
        """Those whose date no other may have: the ones not cancelled, and the ones frozen before
        they were cancelled, since mails with that address may have gone. `archived` are of these.
        """
        return self.filter(HOLDS_ITS_DATE)

    def free_date(self, day: date) -> date:
        """The day, or the first after it, that none of these issues holds."""
        later = self.holding_a_date().filter(date__gte=day)
        taken = set(later.values_list("date", flat=True))
        while day in taken:
            day += timedelta(days=1)
        return day

    def sending(self) -> Self:
        """Those frozen and not yet dealt with."""
        return self.filter(frozen_at__isnull=False, sent_at=None, cancelled_at=None)

    def due(self, now: datetime) -> Self:
        """Those scheduled for `now` or before and not yet frozen."""
        return self.filter(scheduled_at__lte=now, frozen_at=None, cancelled_at=None)

    def latest_first(self) -> Self:
        """The newest date first."""
        return self.order_by("-date", "-pk")

    def with_counts(self) -> Self:
        """With `sent_mails`: how many of its mails were taken, however many rows are left."""
        own = Delivery.objects.filter(issue=OuterRef("pk"), state=DeliveryState.SENT)
        number = own.order_by().values("issue").annotate(number=Count("pk")).values("number")
        return self.annotate(sent_mails=Greatest("accepted", Coalesce(Subquery(number), 0)))

    def for_archive(self) -> Self:
        """What the archive shows, newest first, without the frozen bodies."""
        return self.archived().latest_first().defer("html", "text")


class Issue(models.Model):
    """One weekly mailing. Its moments tell its state; once frozen its words never change."""

    number = models.PositiveIntegerField(unique=True)
    date = models.DateField(help_text="Its address in the archive")
    subject = line(200)
    introduction = prose()
    since = models.DateTimeField(help_text="Tells what was published from this moment …")
    until = models.DateTimeField(help_text="… and before this one")
    scheduled_at = models.DateTimeField(null=True, blank=True, db_index=True)
    frozen_at = models.DateTimeField(null=True, blank=True, editable=False)
    sent_at = models.DateTimeField(null=True, blank=True, editable=False)
    cancelled_at = models.DateTimeField(null=True, blank=True, editable=False)
    frozen_subject = models.CharField(max_length=200, blank=True, editable=False)
    html = models.TextField(blank=True, editable=False, help_text="Frozen, but for the leave link")
    text = models.TextField(blank=True, editable=False, help_text="Frozen, but for the leave link")
    recipients = models.PositiveIntegerField(default=0, editable=False)
    accepted = models.PositiveIntegerField(
        default=0, editable=False, help_text="Mails taken by the mail server, as counted at the end"
    )

    objects = IssueQuerySet.as_manager()

    sent_mails = 0
    """How many of its mails were taken; told by `with_counts`."""

    class Meta:
        ordering = ["-date", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["date"], condition=HOLDS_ITS_DATE, name="one_page_of_a_date"
            )
        ]

    def __str__(self) -> str:
        return f"No. {self.number}, {self.date}"

    def get_absolute_url(self) -> str:
        """The issue's page in the archive."""
        return reverse("newsletter:issue", args=[self.date])

    def recount(self) -> None:
        """Write down how many of its mails were taken, which stays when subscribers are deleted."""
        sent = self.deliveries.filter(state=DeliveryState.SENT).count()
        Issue.objects.filter(pk=self.pk).update(accepted=sent)

    @property
    def state(self) -> str:
        """`draft`, `scheduled`, `sending`, `sent` or `cancelled`, as its own moments tell."""
        if self.cancelled_at:
            return "cancelled"
        if self.sent_at:
            return "sent"
        if self.frozen_at:
            return "sending"
        return "scheduled" if self.scheduled_at else "draft"


class EntryKind(models.TextChoices):
    """Why something stands in an issue."""

    NEW_VERDICT = "new_verdict", "New verdict"
    CHANGED_VERDICT = "changed_verdict", "Changed verdict"
    CLOSEST_PAIR = "closest_pair", "Closest pair"
    MOST_DIVIDED = "most_divided", "Panel and community differ most"


class IssueEntryQuerySet(models.QuerySet["IssueEntry"]):
    """What stands in issues."""

    def kept(self) -> Self:
        """Those that an editor did not drop, in their order."""
        return self.filter(dropped=False).order_by("position", "pk")


class IssueEntry(models.Model):
    """One thing that an issue tells, chosen by rule, ordered or dropped by an editor."""

    issue = models.ForeignKey(Issue, on_delete=models.CASCADE, related_name="entries")
    kind = models.CharField(max_length=15, choices=EntryKind.choices)
    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="+")
    other = models.ForeignKey(
        Tool, on_delete=models.CASCADE, related_name="+", null=True, blank=True
    )
    position = models.PositiveSmallIntegerField(default=0)
    dropped = models.BooleanField(default=False)
    facts = models.JSONField(default=dict, blank=True, help_text="As frozen with the issue")

    objects = IssueEntryQuerySet.as_manager()

    class Meta:
        ordering = ["position", "pk"]
        verbose_name_plural = "issue entries"

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.tool_id}"


class DeliveryState(models.TextChoices):
    """How one mail fares."""

    WAITING = "waiting", "Waiting"
    SENDING = "sending", "Sending"
    SENT = "sent", "Sent"
    UNKNOWN = "unknown", "Unknown"
    REFUSED = "refused", "Refused"
    SKIPPED = "skipped", "Skipped"


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    """Mails of issues to subscribers."""

    def waiting(self, now: datetime) -> Self:
        """Those to be sent, whose pause is over at `now`."""
        ready = Q(next_at=None) | Q(next_at__lte=now)
        return self.filter(ready, state=DeliveryState.WAITING)

    def unknown(self) -> Self:
        """Those that may or may not have been taken; nobody sends them again by itself."""
        return self.filter(state=DeliveryState.UNKNOWN)

    def of_message(self, message_id: str) -> "Delivery | None":
        """The one that a mail server or provider knows by this id, with its subscriber."""
        return self.select_related("subscriber").filter(message_id=message_id).first()


class Delivery(models.Model):
    """One mail of an issue to one subscriber: at most one, whatever happens."""

    issue = models.ForeignKey(Issue, on_delete=models.CASCADE, related_name="deliveries")
    subscriber = models.ForeignKey(Subscriber, on_delete=models.CASCADE, related_name="deliveries")
    state = models.CharField(
        max_length=8, choices=DeliveryState.choices, default=DeliveryState.WAITING
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(null=True, blank=True)
    # When a sender claimed it, and then when it began to hand it over.
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True)
    claimed_by = models.CharField(max_length=120, blank=True)
    message_id = models.CharField(max_length=255, blank=True, db_index=True)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "deliveries"
        indexes = [
            models.Index(fields=["issue", "state", "next_at"]),
            models.Index(fields=["claimed_by", "state"]),
        ]
        constraints = [
            models.UniqueConstraint(fields=["issue", "subscriber"], name="one_mail_of_an_issue")
        ]

    def __str__(self) -> str:
        return f"{self.issue_id} to {self.subscriber_id}: {self.state}"
