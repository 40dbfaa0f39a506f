"""Families: releases of one product."""

from django.db import models
from django.db.models.functions import Lower
from simple_history.models import HistoricalRecords

from shipskip.web.publishing import Versioned
from shipskip.web.slugs import MAX_LENGTH, validate_slug
from shipskip.web.text import line_field


class Family(Versioned):
    """Several tools that are releases of one product."""

    slug = models.CharField(
        "address", max_length=MAX_LENGTH, unique=True, validators=[validate_slug]
    )
    name = line_field(120)

    history = HistoricalRecords()

    class Meta:
        ordering = [Lower("name"), "slug"]
        verbose_name_plural = "families"

    def __str__(self) -> str:
        return self.name
