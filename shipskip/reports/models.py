"""Readers' reports, which are private, and the editors' decisions on them, which are public.

They are two tables, so that no page of readers can show what a reporter wrote, and so that a report
does not raise the content version.
"""

import uuid
from datetime import datetime
from typing import Self

from django.conf import settings
from django.core import signing
from django.db import models
from django.db.models import Count, Exists, OuterRef, Q, Subquery
from django.urls import reverse

from shipskip.web.mail_addresses import masked
from shipskip.web.text import validate_reason
from tools.models import Tool

LONGEST_TEXT, LONGEST_SOURCE, LONGEST_DECISION = 2_000, 500, 300
"""Characters: of what a reporter writes, of where it can be checked, of each line of a decision."""

_SIGNER = signing.Signer(sep=".", salt="link of a reader's report")


def name_of_subject(tool: Tool | None, subject: str) -> str:
    """What a report is about: `SmolLM3: Context window`, `SmolLM3`, or that a tool is missing."""
    if tool is None:
        return subject or "A tool that is missing"
    return f"{tool.labelled_name}: {subject}" if subject else tool.labelled_name


class Result(models.TextChoices):
    """What an editor decided."""

    ACCEPTED = "accepted", "Accepted"
    DECLINED = "declined", "Declined"
    SPAM = "spam", "Spam"


class DecisionQuerySet(models.QuerySet["Decision"]):
    """Queries on decisions."""

    def public(self, now: datetime) -> Self:
        """Decisions with their words, on tools that readers see at `now` or on none."""
        tools = Tool.objects.published(now).values("pk")
        own = self.exclude(result=Result.SPAM)
        return own.filter(Q(tool=None) | Q(tool__in=tools))

    def latest_first(self) -> Self:
        """The latest first, with their tools."""
        return self.select_related("tool").order_by("-decided_at", "-pk")

    def numbers(self) -> dict[int, int]:
        """How many of these decisions each tool has, by its primary key; one query."""
        of_tools = self.exclude(tool=None).order_by().values_list("tool")
        return dict(of_tools.annotate(number=Count("pk")))


class Decision(models.Model):
    """What became of a report, in an editor's own words; of spam only that it was spam."""

    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, null=True, related_name="decisions")
    subject = models.CharField(max_length=200, blank=True)
    """The name of the attribute, plan or take; empty for the tool itself."""
    result = models.CharField(max_length=8, choices=Result)
    wrong = models.CharField(
        "what was wrong",
        max_length=LONGEST_DECISION,
        blank=True,
        validators=[validate_reason],
        help_text="One line for readers, in your own words: “The price was that of last year.”",
    )
    outcome = models.CharField(
        "what became of it",
        max_length=LONGEST_DECISION,
        blank=True,
        validators=[validate_reason],
        help_text="One line for readers: what you changed, or why nothing changes.",
    )
    reported_at = models.DateTimeField()
    decided_at = models.DateTimeField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )

    objects = DecisionQuerySet.as_manager()

    class Meta:
        default_permissions = ("view", "change")
        verbose_name = "correction"
        ordering = ["-decided_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(result=Result.SPAM) | ~Q(wrong="") & ~Q(outcome=""),
                name="decision_in_words",
            ),
            models.CheckConstraint(
                condition=Q(result__in=Result.values), name="decision_result_known"
            ),
        ]
        indexes = [
            models.Index(fields=["-decided_at", "-id"], name="decision_latest"),
        ]

    def __str__(self) -> str:
        return f"{self.get_result_display()}, {self.decided_at:%Y-%m-%d}"

    @property
    def name(self) -> str:
        """What it is about: `SmolLM3: Context window`."""
        return name_of_subject(self.tool, self.subject)

    @property
    def time_taken(self) -> str:
        """How long the decision took: `within a day`, `after 3 days`."""
        days = (self.decided_at - self.reported_at).days
        if not days:
            return "within a day"
        return "after a day" if days == 1 else f"after {days} days"


class ReportQuerySet(models.QuerySet["Report"]):
    """Queries on reports."""

    def undecided(self) -> Self:
        """Reports that wait for an editor or for the reporter's answer."""
        return self.filter(decision=None)

    def of_network(self, report: "Report") -> Self:
        """Undecided reports that came from the network of this one on the same day."""
        return self.undecided().filter(network=report.network)

    def one_of_each_network(self) -> Self:
        """The oldest undecided report of each network and day, oldest first; `of_network_total`
        is how many that network sent.
        """
        same = Report.objects.undecided().filter(network=OuterRef("network")).order_by()
        number = same.values("network").annotate(number=Count("pk")).values("number")
        oldest = self.undecided().filter(~Exists(same.filter(pk__lt=OuterRef("pk"))))
        return oldest.annotate(of_network_total=Subquery(number)).order_by("reported_at", "pk")

    def with_link(self, token: str) -> "Report | None":
        """The report that a reporter's secret link leads to, with its tool and decision."""
        try:
            uid = uuid.UUID(_SIGNER.unsign(token))
        except (signing.BadSignature, ValueError):
            return None
        return self.select_related("tool", "decision").filter(uid=uid).first()


class Report(models.Model):
    """What a reader says is wrong or missing. Only editors see it.

    `network` is a hash of the day, which says no more than that several reports came from one
    network. What the reporter wrote is deleted later (retention.py); the row stays for their link.
    """

    uid = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    tool = models.ForeignKey(Tool, on_delete=models.SET_NULL, null=True, related_name="+")
    tool_name = models.CharField(max_length=200, blank=True, default="", db_default="")
    """The tool's name when it was reported: its present one may be that of a draft."""
    about = models.CharField(max_length=120, blank=True)
    """The key of a subject (subjects.py); empty for a suggested tool."""
    subject = models.CharField(max_length=200, blank=True)
    """The subject's name when it was reported."""
    text = models.TextField(max_length=LONGEST_TEXT, blank=True)
    source = models.CharField(max_length=LONGEST_SOURCE, blank=True)
    address = models.CharField(max_length=254, blank=True)
    network = models.CharField(max_length=32, db_index=True, editable=False)
    reported_at = models.DateTimeField(db_index=True)
    question = models.TextField(max_length=LONGEST_TEXT, blank=True)
    asked_at = models.DateTimeField(null=True)
    reply = models.TextField(max_length=LONGEST_TEXT, blank=True)
    replied_at = models.DateTimeField(null=True)
    decision = models.OneToOneField(
        Decision, on_delete=models.CASCADE, null=True, related_name="report"
    )

    objects = ReportQuerySet.as_manager()

    class Meta:
        default_permissions = ("view", "change")
        ordering = ["reported_at", "pk"]

    def __str__(self) -> str:
        return f"Report {self.pk}"

    @property
    def name(self) -> str:
        """What it is about: `SmolLM3: Context window`."""
        return name_of_subject(self.tool, self.subject)

    @property
    def name_for_reporter(self) -> str:
        """What it is about, by the names of the day on which it was reported."""
        if not self.tool_name:
            return self.subject or "A tool that is missing"
        return f"{self.tool_name}: {self.subject}" if self.subject else self.tool_name

    @property
    def masked_address(self) -> str:
        """The address as editors see it; empty without one."""
        return masked(self.address) if self.address else ""

    @property
    def link(self) -> str:
        """The path of the reporter's secret page. Nothing is stored from which it can be made
        without the site's secret key.
        """
        return reverse("reports:follow", args=[_SIGNER.sign(self.uid.hex)])
