"""Categories, tools, and the addresses that tools had before.

A tool's takes and comparisons belong to apps that import this one; here they are reached through
the names of their relations alone.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from django.core.validators import URLValidator
from django.db import models, transaction
from django.db.models import Case, Exists, F, OuterRef, Prefetch, Q, Subquery, Value, When
from django.db.models.functions import Coalesce, Concat, Lower, NullIf
from simple_history.models import HistoricalRecords

from shipskip.web.passes import fresh_key
from shipskip.web.paths import path_of
from shipskip.web.publishing import ALWAYS, Publishable, PublishedQuerySet, moment, withdrawal
from shipskip.web.slugs import MAX_LENGTH, validate_slug
from shipskip.web.text import line, prose
from tools import addresses, search

LIKELIEST = 6
"""How many tools are offered beside those in view."""

LINK_FIELDS = ("slug", "name", "tagline")
"""All that a link to a tool shows."""


class CategoryQuerySet(PublishedQuerySet["Category"]):
    """Categories."""


class Category(Publishable):
    """What a tool is for, in one phrase; each tool stands in one."""

    slug = models.CharField(max_length=MAX_LENGTH, unique=True, validators=[validate_slug])
    name = line(120)
    description = line(500, blank=True)
    published_at = moment(default=ALWAYS)

    objects = CategoryQuerySet.as_manager()
    history = HistoricalRecords()

    class Meta(Publishable.Meta):
        ordering = ["name", "slug"]
        verbose_name_plural = "categories"

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The category's page."""
        return path_of("tools:category", self.slug)


class Entry(models.TextChoices):
    """How a tool lets you in."""

    FREE = "free", "Free"
    FREEMIUM = "freemium", "Freemium"
    PAID = "paid", "Paid"


class ToolQuerySet(PublishedQuerySet["Tool"]):
    """Tools, by adjectives that filter, `with_…` that adds data and `for_…_page` that composes."""

    def published(self, now: datetime) -> Self:
        """Tools whose moment has come, in a category whose moment has come."""
        return super().published(now).filter(category__published_at__lte=now)

    def in_category(self, category: Category) -> Self:
        """Tools of one category."""
        return self.filter(category=category)

    def with_entry(self, entry: str) -> Self:
        """Tools with that way in (`free`, `freemium`, `paid`)."""
        return self.filter(entry=entry)

    def judged(self, verdict: str, now: datetime) -> Self:
        """Tools on which the panel's verdict at `now` is that one."""
        return self.filter(pk__in=self._takes().published(now).tools_judged(verdict))

    def unjudged(self, now: datetime) -> Self:
        """Tools on which the panel has no public take at `now`."""
        return self.exclude(pk__in=self._takes().published(now).order_by().values("tool"))

    def matching(self, text: str) -> Self:
        """Tools that hold every word of `text` in name, tagline or maker."""
        found = self
        for word in search.words(text):
            found = found.filter(
                Q(name__icontains=word) | Q(tagline__icontains=word) | Q(maker__icontains=word)
            )
        return found

    def resembling(self, text: str, limit: int = 120) -> list["Tool"]:
        """At most five tools whose address is most like `text`, best first; one query."""
        stems = search.stems(text)
        if not stems:
            return []
        close = Q()
        for stem in stems:
            close |= Q(slug__contains=stem)
        likely = Case(When(slug__startswith=stems[0], then=Value(0)), default=Value(1))
        rows = self.filter(close).order_by(likely, "slug")[:limit]
        return search.nearest("-".join(search.words(text)), [(tool.slug, tool) for tool in rows])

    def at(self, slug: str) -> "Tool | None":
        """The tool at a slug, or the one that was once there; None without either."""
        return self.filter(slug=slug).first() or self.filter(former_slugs__slug=slug).first()

    def remembered(self) -> Self:
        """Deleted tools that readers could see."""
        return self.filter(deleted_at__isnull=False, withdrawn_at__isnull=False)

    def by_address(self) -> dict[str, "Tool"]:
        """These tools by every slug they have or had; two queries."""
        former = FormerSlug.objects.filter(tool__in=self).select_related("tool")
        return {row.slug: row.tool for row in former} | {tool.slug: tool for tool in self}

    def formerly(self, slugs: list[str]) -> dict[str, "Tool"]:
        """Tools by the earlier slugs among `slugs` that once led to them."""
        former = FormerSlug.objects.filter(slug__in=slugs, tool__in=self).select_related("tool")
        return {row.slug: row.tool for row in former}

    def called(self, text: str) -> Self:
        """Tools at that slug or of that name, or named as their own `str()` names them."""
        brackets = Coalesce(NullIf("tagline", Value("")), "slug")
        told_apart = Concat("name", Value(" ("), brackets, Value(")"))
        rows = self.alias(told_apart=told_apart)
        return rows.filter(Q(slug=text.lower()) | Q(name__iexact=text) | Q(told_apart__iexact=text))

    def ranked(self, now: datetime) -> Self:
        """Best panel score first; tools without takes last, then by name."""
        mean = self._takes().published(now).mean_score_of(OuterRef("pk"))
        return self.annotate(panel_mean=Subquery(mean)).order_by(
            F("panel_mean").desc(nulls_last=True), Lower("name"), "slug"
        )

    def by_name(self) -> Self:
        """In alphabetical order."""
        return self.order_by(Lower("name"), "slug")

    def newest(self) -> Self:
        """The latest published first; for rows that have a moment, so that an index serves."""
        return self.order_by("-published_at", "slug")

    def with_takes(self, now: datetime) -> Self:
        """With each tool's public takes and their reviewers, in panel order; one query more."""
        return self._with(self._takes().published(now))

    def with_namesakes(self, now: datetime) -> Self:
        """With `shares_name`: whether another public tool bears the same name."""
        return self._among(Tool.objects.published(now))

    def to_compare_with(self, tool: "Tool", now: datetime) -> list["Tool"]:
        """The likeliest others beside `tool`: editors' pairs first, then newest of its category.

        Two queries: asked as one, the pairs would be looked up for every tool of the category.
        """
        pairs: Any = tool  # the relations of the comparisons app, which imports this one
        after = pairs.first_in.filter(published_at__lte=now).values("second")
        before = pairs.second_in.filter(published_at__lte=now).values("first")
        paired = self.published(now).filter(Q(pk__in=after) | Q(pk__in=before))
        partners = list(paired.newest()[:LIKELIEST])
        others = self.near(tool.category_id, [tool.pk], now)
        return [*partners, *(other for other in others if other not in partners)][:LIKELIEST]

    def near(self, category: int, tools: Sequence[int], now: datetime) -> Self:
        """Links to the newest public tools of a category, without `tools` (primary keys both).

        One category, so that an index gives them in order, however many tools it holds.
        """
        rows = self.published(now).filter(category=category).exclude(pk__in=tools)
        return rows.newest().only(*LINK_FIELDS)[:LIKELIEST]

    def for_side_by_side(self, now: datetime) -> Self:
        """Public tools with category and tally, able to tell namesakes apart."""
        tools = self.published(now).select_related("category", "tally_row")
        return tools.with_namesakes(now)

    def for_list_page(self, now: datetime) -> Self:
        """Public tools with their takes."""
        return self.published(now).with_takes(now)

    def for_detail_page(self, now: datetime) -> Self:
        """Public tools with takes and tally, able to tell namesakes apart."""
        return self.for_side_by_side(now).with_takes(now)

    def for_preview(self) -> Self:
        """Tools in any state as they will be, with the takes and among the names to come."""
        return self._with(self._takes().foreseen())._among(Tool.objects.foreseen())

    def _with(self, takes: Any) -> Self:
        rows = self.select_related("category", "tally_row")
        return rows.prefetch_related(Prefetch("takes", takes.in_panel_order()))

    def _among(self, tools: "ToolQuerySet") -> Self:
        same = tools.alias(lower=Lower("name")).filter(lower=Lower(OuterRef("name")))
        return self.annotate(shares_name=Exists(same.exclude(pk=OuterRef("pk"))))

    def _takes(self) -> Any:
        """All takes, asked through the relation (the reviews app imports this one)."""
        takes: Any = self.model._meta.get_field("takes").related_model
        return takes.objects.all()


_AnyTools = models.Manager.from_queryset(ToolQuerySet)


class _KeptTools(_AnyTools["Tool"]):
    """All tools but the deleted ones."""

    def get_queryset(self) -> ToolQuerySet:
        return ToolQuerySet(self.model, using=self._db).filter(deleted_at=None)


class Tool(Publishable):
    """One AI tool, as editors describe it.

    A deleted tool keeps its row, takes and votes, so that the deletion can be undone; `objects`
    does not hold it, and its slug is free if it never was public.
    """

    slug = models.CharField(max_length=MAX_LENGTH, validators=[validate_slug])
    name = line(120)
    category = models.ForeignKey(Category, on_delete=models.PROTECT, related_name="tools")
    maker = line(120, blank=True)
    website = models.CharField(
        max_length=300, blank=True, validators=[URLValidator(schemes=["http", "https"])]
    )
    tagline = line(160, blank=True)
    description = prose()
    best_for = line(200, blank=True)
    entry = models.CharField(max_length=8, choices=Entry, default=Entry.FREE)
    pricing = line(160, blank=True)
    license = line(120, blank=True)
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)
    preview_key = models.CharField(max_length=32, default=fresh_key, editable=False)

    objects = _KeptTools()
    everything = ToolQuerySet.as_manager()
    history = HistoricalRecords(excluded_fields=["preview_key"])

    shares_name = False
    """Whether another public tool bears this name; told by `with_namesakes`."""

    class Meta(Publishable.Meta):
        ordering = ["name", "slug"]
        indexes = [
            models.Index(Lower("name"), "slug", name="tool_by_name"),
            models.Index(fields=["published_at", "slug"], name="tool_by_moment"),
            models.Index(fields=["category", "published_at"], name="tool_by_category"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(entry__in=Entry.values), name="tool_entry_known"),
            models.UniqueConstraint(
                fields=["slug"],
                condition=Q(deleted_at=None),
                name="tool_slug_once",
                violation_error_code="unique",
                violation_error_message="Another tool has this slug: choose another, such as one "
                "with its maker or version.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.tagline or self.slug})"

    @property
    def title(self) -> str:
        """The name, followed by what tells it from a namesake where there is one."""
        return f"{self.name} ({self.tagline or self.slug})" if self.shares_name else self.name

    def get_absolute_url(self) -> str:
        """The tool's page."""
        return path_of("tools:detail", self.slug)

    def clean(self) -> None:
        """Refuse a slug that is or was another tool's."""
        addresses.check(self)

    def rename(self, slug: str, *, fields: Collection[str] = ()) -> None:
        """Move to a new slug; the old one redirects from now on. Renaming back is no fault.

        Saves these other fields too, as one change. Raises IntegrityError when another tool has
        the new slug.
        """
        if slug == self.slug:
            return
        with transaction.atomic():
            FormerSlug.objects.filter(slug__in=[slug, self.slug]).without_use(self).delete()
            FormerSlug.objects.create(slug=self.slug, tool=self)
            self.slug = slug
            self.save(update_fields={"slug", *fields})

    def remove(self, now: datetime) -> None:
        """Take it from readers and editors alike; `bring_back` undoes it, votes and all."""
        if self.deleted_at is None:
            if withdrawal(self.published_at, None, now):
                self.withdrawn_at = now
            self.published_at, self.deleted_at, self.preview_key = None, now, fresh_key()
            self.save(update_fields=["published_at", "withdrawn_at", "deleted_at", "preview_key"])

    def bring_back(self) -> None:
        """Undo `remove`; the tool is withdrawn or a draft. Its earlier addresses lead to it again,
        but for those that other tools took meanwhile.

        Raises IntegrityError when another tool has its slug by now.
        """
        if self.deleted_at is not None:
            with transaction.atomic():
                self.deleted_at = None
                self.save(update_fields=["deleted_at"])
                taken = Tool.objects.filter(slug=OuterRef("slug"))
                FormerSlug.objects.filter(Exists(taken), tool=self).delete()


class FormerSlugQuerySet(models.QuerySet["FormerSlug"]):
    """Earlier addresses."""

    def of_kept_tools(self) -> Self:
        """Without those of deleted tools, which lead nowhere."""
        return self.filter(tool__deleted_at=None)

    def without_use(self, tool: Tool) -> Self:
        """Those of `tool` itself and of deleted tools."""
        return self.filter(Q(tool=tool) | Q(tool__deleted_at__isnull=False))


class FormerSlug(models.Model):
    """An address a tool had before; it redirects to the present one."""

    slug = models.CharField(max_length=MAX_LENGTH, unique=True, validators=[validate_slug])
    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="former_slugs")

    objects = FormerSlugQuerySet.as_manager()

    class Meta:
        verbose_name = "earlier slug"

    def __str__(self) -> str:
        return self.slug


MAX_BOOKMARKS = 200


class BookmarkQuerySet(models.QuerySet["Bookmark"]):
    """One visitor's saved tools."""

    def of(self, visitor: UUID | None) -> Self:
        """The bookmarks of a visitor; none for a reader."""
        return self.filter(visitor=visitor) if visitor else self.none()

    def for_drawer(self, visitor: UUID, now: datetime) -> Self:
        """A visitor's bookmarks of public tools, newest first."""
        public = Tool.objects.published(now)
        rows = self.filter(visitor=visitor, tool__in=public).select_related("tool__category")
        return rows.order_by("-saved_at", "-pk")[:MAX_BOOKMARKS]

    def save_tool(self, tool: Tool, visitor: UUID, now: datetime) -> bool:
        """Save a tool; saving it again changes nothing. False when the list is full."""
        with transaction.atomic():
            # The list is locked before it is counted, so that many at once cannot overfill it.
            kept = set(self.of(visitor).select_for_update().values_list("tool_id", flat=True))
            if tool.pk in kept:
                return True
            public = Tool.objects.published(now)
            if self.of(visitor).filter(tool__in=public).count() >= MAX_BOOKMARKS:
                return False
            row = Bookmark(visitor=visitor, tool=tool, saved_at=now)
            self.bulk_create([row], ignore_conflicts=True)
        return True

    def drop(self, tool: Tool, visitor: UUID) -> None:
        """Take a tool off the list; taking it off again changes nothing."""
        self.filter(visitor=visitor, tool=tool).delete()


class Bookmark(models.Model):
    """A tool that a visitor keeps to compare later."""

    visitor = models.UUIDField(editable=False)
    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="bookmarks")
    saved_at = models.DateTimeField()

    objects = BookmarkQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["visitor", "tool"], name="bookmark_once_per_visitor")
        ]
        indexes = [models.Index(fields=["visitor", "saved_at"], name="bookmark_of_visitor")]

    def __str__(self) -> str:
        return f"{self.tool}"
