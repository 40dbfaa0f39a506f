"""Categories of tools."""

from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models import ProtectedError
from django.db.models.functions import Lower
from django.urls import reverse
from simple_history.models import HistoricalRecords

from shipskip.web.publishing import ALWAYS, Publishable, PublishedQuerySet, moment_field
from shipskip.web.slugs import MAX_LENGTH, validate_slug
from shipskip.web.text import line_field


class CategoryQuerySet(PublishedQuerySet["Category"]):
    """Categories."""

    def delete(self) -> tuple[int, dict[str, int]]:
        """Delete them; raises ProtectedError while an attribute refers to any of them."""
        _check_unnamed(self)
        return super().delete()

    delete.queryset_only = True  # type: ignore[attr-defined]  # as Django's own: no `objects.delete`


class Category(Publishable):
    """The purpose of tools, in one phrase; each tool has one category."""

    slug = models.CharField(
        "address", max_length=MAX_LENGTH, unique=True, validators=[validate_slug]
    )
    name = line_field(120)
    description = line_field(500, blank=True)
    published_at = moment_field(default=ALWAYS)

    objects = CategoryQuerySet.as_manager()
    history = HistoricalRecords()

    class Meta(Publishable.Meta):
        ordering = [Lower("name"), "slug"]
        verbose_name_plural = "categories"

    def __str__(self) -> str:
        return self.name

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Delete it; raises ProtectedError while an attribute refers to it."""
        _check_unnamed([self])
        return super().delete(*args, **kwargs)

    def get_absolute_url(self) -> str:
        """The category's page."""
        return reverse("tools:category", args=[self.slug])


def _check_unnamed(categories: Iterable[Category]) -> None:
    """Raise ProtectedError while an attribute refers to any of them: its list would be wrong."""
    attributes = list(apps.get_model("tools.Attribute")._default_manager.all())
    for category in categories:
        naming: set[models.Model] = {row for row in attributes if category.pk in row.category_ids}
        if naming:
            names = ", ".join(sorted(f"“{row}”" for row in naming))
            sentence = f"{category} is named by {names}: take it from their categories first."
            raise ProtectedError(sentence, naming)
