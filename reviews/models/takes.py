"""The reviewers' takes on tools, and the public record of their changes."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Self

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from simple_history.models import HistoricalRecords

from reviews.models.reviewers import Reviewer
from shipskip.web.publishing import ExistingManager, Publishable, PublishedQuerySet, once
from shipskip.web.text import line_field, prose_field, validate_line
from tools.models import Category, Tool, ToolQuerySet
from tools.models.public_record import RecordedChange, is_news
from tools.models.sources import STALE_AFTER_DAYS


class TakeBasis(models.TextChoices):
    """The basis of a take: what the reviewer's judgement rests on."""

    TRIED = "tried", "Tried"
    READ = "read-about", "Read about"
    DOCUMENTATION = "documentation", "From documentation"


class TakeVerdict(models.TextChoices):
    """One reviewer's verdict on one tool."""

    SHIP = "ship", "Ship"
    SKIP = "skip", "Skip"


class TakeQuerySet(PublishedQuerySet["Take"]):
    """Takes, by adjectives that filter and `with_…` that adds data."""

    def published(self, now: datetime) -> Self:
        """Takes that are public at `now`, by reviewers who are public."""
        return super().published(now).filter(reviewer__published_at__lte=now)

    def not_withdrawn(self) -> Self:
        """Takes that are public or may become so, by reviewers for whom the same is true."""
        return super().not_withdrawn().filter(reviewer__in=Reviewer.objects.not_withdrawn())

    def on_public_tools(self, now: datetime) -> Self:
        """Takes on tools that are public at `now`.

        It excludes the few hidden tools, so that an index of the takes is enough; a join would look
        up the tool of every take.
        """
        return self.exclude(tool__in=Tool.everything.hidden(now).order_by())

    def on_existing_tools(self) -> Self:
        """Takes on tools that are not deleted."""
        return self.filter(tool__deleted_at=None)

    def for_editors(self) -> Self:
        """Takes that editors work on: on existing tools, by reviewers who were not withdrawn."""
        return self.on_existing_tools().filter(reviewer__in=Reviewer.objects.not_withdrawn())

    def old(self, now: datetime) -> Self:
        """Public takes that were last written or confirmed over STALE_AFTER_DAYS ago."""
        limit = now - timedelta(days=STALE_AFTER_DAYS)
        checked = Coalesce("checked_at", "published_at")
        return self.alias(checked=checked).filter(published_at__lte=now, checked__lt=limit)

    def tools_with_takes(self, tools: ToolQuerySet) -> ToolQuerySet:
        """Those of `tools` that have at least one of these takes."""
        return tools.filter(pk__in=self.order_by().values("tool"))

    def missing_on(self, tools: ToolQuerySet, reviewers: Sequence[Reviewer]) -> ToolQuerySet:
        """Those of `tools` that lack one of these takes by any of `reviewers`."""
        own = self.by_any(reviewers).filter(tool=OuterRef("pk")).order_by()
        number = own.values("tool").annotate(number=Count("pk")).values("number")
        written = Coalesce(Subquery(number), 0)
        return tools.alias(written=written).filter(written__lt=len(reviewers))

    def on(self, tools: Sequence[Tool]) -> Self:
        """Takes on these tools."""
        return self.filter(tool__in=[tool.pk for tool in tools])

    def by(self, reviewer: Reviewer) -> Self:
        """Takes of one reviewer."""
        return self.filter(reviewer=reviewer)

    def by_any(self, reviewers: Sequence[Reviewer]) -> Self:
        """Takes of these reviewers."""
        return self.filter(reviewer__in=[row.pk for row in reviewers])

    def in_category(self, category: Category) -> Self:
        """Takes on the tools of one category."""
        return self.filter(tool__category=category)

    def in_panel_order(self) -> Self:
        """With their reviewers, in panel order."""
        return self.select_related("reviewer").order_by("reviewer__position", "reviewer__slug")

    def newest(self) -> Self:
        """The latest published first."""
        return self.order_by("-published_at", "-pk")

    def numbers_by_reviewer(self) -> dict[int, int]:
        """How many of these takes each reviewer has, by primary key; one query."""
        return dict(self.order_by().values_list("reviewer").annotate(Count("pk")))


LONGEST_BECAUSE = 90

TakeManager = ExistingManager.from_queryset(TakeQuerySet)


class Take(Publishable):
    """One reviewer's score, verdict and text on one tool; a draft may lack score and verdict."""

    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="takes")
    reviewer = models.ForeignKey(Reviewer, on_delete=models.PROTECT, related_name="takes")
    score = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0), MaxValueValidator(100)],
        help_text="0 to 100 points",
    )
    verdict = models.CharField(max_length=4, choices=TakeVerdict, blank=True)
    basis = models.CharField(
        max_length=13,
        blank=True,
        choices=TakeBasis,
        help_text="What the take rests on; readers see it beside the date.",
    )
    because = models.CharField(
        max_length=LONGEST_BECAUSE,
        blank=True,
        validators=[validate_line],
        help_text="The reason of the verdict in one plain sentence, which stands first: “Every "
        "edit is a Git commit I can revert.”",
    )
    body = prose_field("text")
    held = models.BooleanField(
        "hold this take back",
        default=False,
        help_text="It stays a draft when its tool is published or scheduled.",
    )
    checked_at = models.DateTimeField(null=True, blank=True, editable=False)
    """When it was last written or confirmed; empty means when it was published."""

    objects = TakeManager()
    everything = TakeQuerySet.as_manager()
    history = HistoricalRecords(
        excluded_fields=["checked_at"],
        # The reason of a correction contains two public reasons of up to 200 characters.
        history_change_reason_field=models.CharField(max_length=500, null=True),
    )

    class Meta(Publishable.Meta):
        ordering = ["reviewer__position", "reviewer__slug"]
        constraints = [
            once(
                "tool",
                "reviewer",
                name="take_once_per_reviewer",
                advice="This reviewer has a take on this tool already.",
            ),
            models.CheckConstraint(
                condition=Q(score__gte=0, score__lte=100), name="take_score_0_to_100"
            ),
            models.CheckConstraint(
                condition=Q(verdict__in=["", *TakeVerdict.values]), name="take_verdict_known"
            ),
            models.CheckConstraint(
                condition=Q(published_at=None, withdrawn_at=None)
                | Q(score__isnull=False, verdict__in=TakeVerdict.values),
                name="take_unfinished_only_as_draft",
                violation_error_message="Only a draft can be without a score or a verdict.",
            ),
            models.CheckConstraint(
                condition=Q(basis__in=["", *TakeBasis.values]), name="take_basis_known"
            ),
            models.CheckConstraint(
                condition=Q(deleted_at=None) | Q(published_at=None),
                name="take_deleted_is_not_public",
            ),
        ]
        indexes = [
            models.Index(
                fields=["tool", "published_at", "reviewer", "score", "verdict"],
                name="take_of_panel",
            ),
            models.Index(
                fields=["reviewer", "published_at", "id", "tool", "score", "verdict", "basis"],
                name="take_of_reviewer_figures",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.reviewer} on {self.tool.labelled_name}"

    def get_absolute_url(self) -> str:
        """The take on the tool's page."""
        return f"{self.tool.get_absolute_url()}#by-{self.reviewer.slug}"

    @property
    def required_rows(self) -> list[Publishable]:
        """Its reviewer and tool, and the tool's category, must be public too."""
        return [self.reviewer, self.tool, *self.tool.required_rows]

    def follows_tool(self, now: datetime) -> bool:
        """Whether it is published and scheduled with its tool, unless it is held back: it is a
        draft, or scheduled for the same moment.
        """
        if self.state(now) == "scheduled":
            return bool(self.published_at == self.tool.published_at)
        return self.state(now) == "draft"

    def goes_along(self, now: datetime) -> bool:
        """Whether a take that follows its tool goes public with it even if nobody looks at it: it
        is scheduled with it, or the tool is new. Drafts on a tool that was public stay drafts.
        """
        return self.published_at is not None or not self.tool.has_been_public(now)

    def is_old(self, now: datetime) -> bool:
        """Whether it was last written or confirmed over `STALE_AFTER_DAYS` ago."""
        checked = self.checked_at or self.published_at
        return checked is not None and checked < now - timedelta(days=STALE_AFTER_DAYS)


class TakeChangeQuerySet(models.QuerySet["TakeChange"]):
    """The public record of changed takes."""

    def by_public_reviewers(self, now: datetime) -> Self:
        """Changes of takes by public reviewers, with the reviewers, newest first."""
        return self.filter(reviewer__published_at__lte=now).select_related("reviewer")

    def on_public_tools(self, now: datetime) -> Self:
        """Changes on tools that readers see."""
        return self.filter(tool__in=Tool.objects.published(now))

    def news(self) -> Self:
        """Without slips and corrections, which tell readers nothing new."""
        return self.filter(is_news())

    def on(self, tool: Tool) -> Self:
        """Changes on one tool."""
        return self.filter(tool=tool)


class TakeChange(RecordedChange):
    """A change of a score or verdict that readers could see; the public record.

    Only its reason and its note of a correction can be changed; the take's history records that.
    """

    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="take_changes")
    reviewer = models.ForeignKey(Reviewer, on_delete=models.PROTECT, related_name="+")
    score_before = models.PositiveSmallIntegerField()
    score_after = models.PositiveSmallIntegerField()
    verdict_before = models.CharField(max_length=4, choices=TakeVerdict)
    verdict_after = models.CharField(max_length=4, choices=TakeVerdict)
    reason = line_field(200)

    objects = TakeChangeQuerySet.as_manager()

    class Meta:
        verbose_name = "changed verdict"
        default_permissions = ()
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["tool", "-at"], name="take_change_of_tool")]

    def __str__(self) -> str:
        return f"{self.reviewer} on {self.tool.labelled_name}"
