"""Issues, their entries and their deliveries; re-exports the models of subscribers."""

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
    Subscriber,
    SubscriberState,
)
from shipskip.web.text import line_field, prose_field
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
    "Subscriber",
    "SubscriberState",
]

HOLDS_ITS_DATE = Q(cancelled_at=None) | Q(frozen_at__isnull=False)
"""Issues that have, or may get, a page in the archive."""


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

    def with_counts(self) -> Self:
        """Add `sent_mails`: accepted mails, including those of subscribers deleted since."""
        own = Delivery.objects.filter(issue=OuterRef("pk"), state=DeliveryState.SENT)
        number = own.order_by().values("issue").annotate(number=Count("pk")).values("number")
        return self.annotate(sent_mails=Greatest("accepted", Coalesce(Subquery(number), 0)))

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

    sent_mails = 0
    """How many of its mails were accepted; set by `with_counts`."""

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
        Issue.objects.filter(pk=self.pk).update(accepted=sent)

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
