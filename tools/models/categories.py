"""Categories of tools."""

from django.db import models
from django.db.models.functions import Lower
from django.urls import reverse
from simple_history.models import HistoricalRecords

from shipskip.web.publishing import (
    ALWAYS,
    ExistingManager,
    Publishable,
    PublishedQuerySet,
    moment_field,
    once,
)
from shipskip.web.slugs import MAX_LENGTH, validate_slug
from shipskip.web.text import line_field


class CategoryQuerySet(PublishedQuerySet["Category"]):
    """Categories."""


CategoryManager = ExistingManager.from_queryset(CategoryQuerySet)


class Category(Publishable):
    """The purpose of tools, in one phrase; each tool has one category."""

    slug = models.CharField("address", max_length=MAX_LENGTH, validators=[validate_slug])
    name = line_field(120)
    description = line_field(500, blank=True)
    published_at = moment_field(default=ALWAYS)

    objects = CategoryManager()
    everything = CategoryQuerySet.as_manager()
    history = HistoricalRecords()

    class Meta(Publishable.Meta):
        ordering = [Lower("name"), "slug"]
        verbose_name_plural = "categories"
        constraints = [
            once(
                "slug",
                name="category_slug_once",
                code="unique",
                advice="Another category has this address: choose a different one.",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The category's page."""
        return reverse("tools:category", args=[self.slug])
