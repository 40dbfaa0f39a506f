"""Categories of tools."""

from django.db import models
from django.db.models.functions import Lower
from django.urls import reverse
from simple_history.models import HistoricalRecords

from shipskip.web.publishing import ALWAYS, Publishable, PublishedQuerySet, moment
from shipskip.web.slugs import MAX_LENGTH, validate_slug
from shipskip.web.text import line


class CategoryQuerySet(PublishedQuerySet["Category"]):
    """Categories."""


class Category(Publishable):
    """What a tool is for, in one phrase; each tool has one category."""

    slug = models.CharField(
        "address", max_length=MAX_LENGTH, unique=True, validators=[validate_slug]
    )
    name = line(120)
    description = line(500, blank=True)
    published_at = moment(default=ALWAYS)

    objects = CategoryQuerySet.as_manager()
    history = HistoricalRecords()

    class Meta(Publishable.Meta):
        ordering = [Lower("name"), "slug"]
        verbose_name_plural = "categories"

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The category's page."""
        return reverse("tools:category", args=[self.slug])
