"""Tools and their earlier addresses."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Self

from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models import Count, Exists, OuterRef, Q
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils import timezone
from simple_history.models import HistoricalRecords

from shipskip.web.publishing import ExistingManager, Previewable, PublishedQuerySet, once
from shipskip.web.slugs import MAX_LENGTH, validate_slug
from shipskip.web.text import (
    day_in_words,
    line_field,
    prose_field,
    validate_line,
    validate_web_address,
)
from tools.models.categories import Category
from tools.models.families import Family
from tools.relations import NO_RELATION, Relation
from tools.tool_names import LONGEST_LABEL, ToolNames
from tools.tool_status import ToolStatus

SLUG_OF_DELETED = "deleted"
"""The error code of a slug that a deleted tool still needs."""

LINK_FIELDS = ("slug", "name", "label", "tagline")
"""The fields that a link to a tool needs."""

LONGEST_CHOOSE_IF = 140
LONGEST_SOURCE_ID = 200


def validate_source_id(text: str) -> None:
    """Require `source:id`; raises ValidationError."""
    validate_line(text)
    source, colon, own = text.partition(":")
    if not (colon and source and own) or text != "".join(text.split()):
        raise ValidationError(
            "Give the name of the source, a colon and its id there, such as "
            "“models.dev:openai/gpt-5”."
        )


class EntryPrice(models.TextChoices):
    """What it costs to start using a tool."""

    FREE = "free", "Free"
    FREEMIUM = "freemium", "Freemium"
    PAID = "paid", "Paid"


class ToolQuerySet(PublishedQuerySet["Tool"]):
    """Tools: adjectives filter, `with_…` adds data, `for_…_page` combines both."""

    def published(self, now: datetime) -> Self:
        """Tools that are public at `now`, in a category that is public.

        The category is a subquery, because with a join SQLite starts from the categories.
        """
        public = Category.objects.published(now).order_by()
        return super().published(now).filter(category__in=public)

    def hidden(self, now: datetime) -> Self:
        """Tools that are not public; in a full catalogue there are few."""
        later = Q(published_at=None) | Q(published_at__gt=now)
        return self.filter(later | Q(category__in=Category.objects.filter(later).order_by()))

    def in_category(self, category: Category) -> Self:
        """Tools of one category."""
        return self.filter(category=category)

    def in_any_category(self, categories: Sequence[Category]) -> Self:
        """Tools of any of these categories."""
        return self.filter(category__in=[row.pk for row in categories])

    def totals_by_category(self) -> dict[int, int]:
        """The number of tools by category; one query."""
        return dict(self.order_by().values_list("category").annotate(Count("pk")))

    def with_unconfirmed(self) -> Self:
        """Tools with a fact or a price from open data that no editor has confirmed."""
        tools = Tool.objects.order_by()
        facts, plans = tools.filter(facts__unconfirmed=True), tools.filter(plans__unconfirmed=True)
        return self.filter(Q(pk__in=facts.values("pk")) | Q(pk__in=plans.values("pk")))

    def gone_from_source(self) -> Self:
        """Tools that their source of open data does not have any more."""
        return self.exclude(gone_from_source_on=None)

    def at(self, slug: str) -> "Tool | None":
        """The tool at a slug, or at a former slug; None without either."""
        return self.filter(slug=slug).first() or self.filter(former_slugs__slug=slug).first()

    def at_any(self, slugs: Sequence[str]) -> Self:
        """The tools at these slugs."""
        return self.filter(slug__in=slugs)

    def by_address(self) -> dict[str, "Tool"]:
        """These tools by every slug they have or had; two queries."""
        former = FormerSlug.objects.filter(tool__in=self).select_related("tool")
        return {row.slug: row.tool for row in former} | {tool.slug: tool for tool in self}

    def by_name(self) -> Self:
        """In alphabetical order."""
        return self.order_by(Lower("name"), "slug")

    def newest(self) -> Self:
        """The latest published first; for published tools only, so that an index is used."""
        return self.order_by("-published_at", "slug")

    def with_namesakes(self, now: datetime) -> Self:
        """With `shares_name`: whether another public tool has the same name."""
        return self._among(Tool.objects.published(now))

    def for_detail_page(self, now: datetime) -> Self:
        """Public tools with their categories, families and `shares_name`."""
        return self.published(now).select_related("category", "family").with_namesakes(now)

    def for_preview(self) -> Self:
        """Tools in any state; `shares_name` counts tools that may become public too."""
        return self.select_related("category", "family")._among(Tool.objects.not_withdrawn())

    def _among(self, tools: "ToolQuerySet") -> Self:
        same = tools.alias(lower=Lower("name")).filter(lower=Lower(OuterRef("name")))
        return self.annotate(shares_name=Exists(same.exclude(pk=OuterRef("pk"))))


ToolManager = ExistingManager.from_queryset(ToolQuerySet)


class Tool(ToolNames, Previewable):
    """One AI tool, as editors describe it.

    The slug of a deleted tool is free only if it was never public.
    """

    slug = models.CharField("address", max_length=MAX_LENGTH, validators=[validate_slug])
    name = line_field(120)
    label = models.CharField(
        max_length=LONGEST_LABEL,
        blank=True,
        validators=[validate_line],
        help_text="Only where another tool has the same name: a word or two that tell them apart, "
        "such as “agentic” or “v0.50”.",
    )
    category = models.ForeignKey(Category, on_delete=models.PROTECT, related_name="tools")
    family = models.ForeignKey(
        Family,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="tools",
        help_text="Only where several tools are releases of one product.",
    )
    maker = line_field(120, blank=True)
    website = models.CharField(max_length=300, blank=True, validators=[validate_web_address])
    tagline = line_field(160, blank=True)
    description = prose_field()
    best_for = line_field(200, blank=True)
    choose_if = models.CharField(
        max_length=LONGEST_CHOOSE_IF,
        blank=True,
        validators=[validate_line],
        help_text="Continues “Choose it if …” above the cards of a comparison: begin in lower "
        "case, such as “you want to read a diff before anything changes”. Without it readers see "
        "“best for”.",
    )
    entry = models.CharField(
        "entry price", max_length=8, choices=EntryPrice, default=EntryPrice.FREE
    )
    pricing = line_field(160, blank=True)
    status = models.CharField(max_length=12, choices=ToolStatus, default=ToolStatus.UNKNOWN)
    status_on = models.DateField(
        "since",
        null=True,
        blank=True,
        help_text="The day since when; of an active tool the day of its last sign of life.",
    )
    status_source = models.CharField(
        "where its maker says so",
        max_length=500,
        blank=True,
        validators=[validate_web_address],
    )
    status_note = line_field(200, blank=True)
    relation = models.CharField(
        "commercial relation with its maker",
        max_length=12,
        choices=Relation,
        default=NO_RELATION,
        db_default=NO_RELATION,
    )
    source_id = models.CharField(
        "id in open data",
        max_length=LONGEST_SOURCE_ID,
        blank=True,
        default="",
        db_default="",
        validators=[validate_source_id],
        help_text="By it a document of open data finds this tool, whatever it is called: the name "
        "of the source, a colon and its id there, such as “models.dev:openai/gpt-5”.",
    )
    gone_from_source_on = models.DateField("gone from its source", null=True, blank=True)
    """The day of the first load in which its source did not have it any more."""

    objects = ToolManager()
    everything = ToolQuerySet.as_manager()
    history = HistoricalRecords(excluded_fields=["preview_key"])

    shares_name = False
    """Whether another public tool has this name; set by `with_namesakes`."""

    class Meta(Previewable.Meta):
        ordering = [Lower("name"), "slug"]
        indexes = [
            models.Index(Lower("name"), "slug", name="tool_by_name"),
            models.Index(fields=["published_at", "slug"], name="tool_by_moment"),
            models.Index(fields=["category", "published_at"], name="tool_by_category"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=ToolStatus.values), name="tool_status_known"
            ),
            models.CheckConstraint(
                condition=Q(entry__in=EntryPrice.values), name="tool_entry_known"
            ),
            models.CheckConstraint(
                condition=Q(relation__in=Relation.values), name="tool_relation_known"
            ),
            models.UniqueConstraint(
                fields=["source_id"],
                condition=Q(deleted_at=None) & ~Q(source_id=""),
                name="tool_source_id_once",
                violation_error_code="unique",
                violation_error_message="Another tool has this id in open data.",
            ),
            once(
                "slug",
                name="tool_slug_once",
                code="unique",
                advice="Another tool has this address: choose another, such as one with its maker "
                "or version.",
            ),
        ]

    @property
    def required_rows(self) -> list[Category]:
        """Its category must be public too."""
        return [self.category]

    def get_absolute_url(self) -> str:
        """The tool's page."""
        return reverse("tools:detail", args=[self.slug])

    def clean(self) -> None:
        """Refuse the label of another tool of the same name; a slug that another tool has or had,
        because old links still use it; and the slug of a deleted tool that was public, because its
        changed verdicts would seem to be this tool's.
        """
        others = Tool.objects.exclude(pk=self.pk)
        if self.label and others.filter(name__iexact=self.name, label__iexact=self.label).exists():
            advice = "Another tool of this name has this label: choose one that tells them apart."
            raise ValidationError({"label": advice})
        if other := others.filter(slug=self.slug).first():
            fault = f"“{self.slug}” is the address of “{other}”: choose another, such as one with "
            raise ValidationError({"slug": f"{fault}its maker or version."})
        if earlier := others.at(self.slug):
            fault = f"“{self.slug}” is an earlier address of “{earlier}”, and old links still use "
            advice = "it: choose another, or remove that redirect on its screen."
            raise ValidationError({"slug": fault + advice})
        if self.pk and Tool.everything.filter(pk=self.pk, slug=self.slug).exists():
            return
        gone = Tool.everything.deleted_after_publication().exclude(pk=self.pk).at(self.slug)
        if gone and gone.deleted_at:
            on = day_in_words(gone.deleted_at)
            fault = f"“{self.slug}” was the address of the public tool “{gone}”, which was "
            advice = f"deleted on {on}: bring that back, or choose another address."
            raise ValidationError({"slug": ValidationError(fault + advice, code=SLUG_OF_DELETED)})

    def rename(self, slug: str, *, fields: Collection[str] = ()) -> None:
        """Move to a new slug; the old one redirects from now on, unless no reader ever saw it.
        Renaming back is allowed.

        Saves these other fields too, as one change. Raises IntegrityError when another tool has
        the new slug.
        """
        if slug == self.slug:
            return
        with transaction.atomic():
            FormerSlug.objects.filter(slug__in=[slug, self.slug]).without_use(self).delete()
            if self._slug_was_public(timezone.now()):
                FormerSlug.objects.create(slug=self.slug, tool=self)
            self.slug = slug
            self.save(update_fields={"slug", *fields})

    def _slug_was_public(self, now: datetime) -> bool:
        """Whether the tool was public at its stored slug: a version with it was published before
        the next one replaced it.
        """
        until = now
        versions = self.history.order_by("-history_date", "-history_id")
        for slug, published_at, since in versions.values_list(
            "slug", "published_at", "history_date"
        ):
            if slug == self.slug and published_at and published_at < until:
                return True
            until = since
        return False

    def bring_back(self, *, fields: Collection[str] = ()) -> None:
        """Do the same; its earlier addresses redirect to it again, except those that other tools
        have now.
        """
        with transaction.atomic():
            super().bring_back(fields=fields)
            taken = Tool.objects.filter(slug=OuterRef("slug"))
            FormerSlug.objects.filter(Exists(taken), tool=self).delete()


class FormerSlugQuerySet(models.QuerySet["FormerSlug"]):
    """Earlier addresses."""

    def of_existing_tools(self) -> Self:
        """Former slugs that redirect: without those of deleted tools."""
        return self.filter(tool__deleted_at=None)

    def without_use(self, tool: Tool) -> Self:
        """Former slugs that `tool` may use: its own, and those of deleted tools."""
        return self.filter(Q(tool=tool) | Q(tool__deleted_at__isnull=False))


class FormerSlug(models.Model):
    """An earlier address of a tool; it redirects to the present one."""

    slug = models.CharField(max_length=MAX_LENGTH, unique=True, validators=[validate_slug])
    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="former_slugs")

    objects = FormerSlugQuerySet.as_manager()

    class Meta:
        verbose_name = "earlier slug"

    def __str__(self) -> str:
        return self.slug
