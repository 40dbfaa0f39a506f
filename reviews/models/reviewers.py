"""The reviewers of the panel."""

from django.core.exceptions import ValidationError
from django.db import models
from django.urls import reverse
from simple_history.models import HistoricalRecords

from reviews.portraits import Sign
from shipskip.web.publishing import (
    ALWAYS,
    ExistingManager,
    Publishable,
    PublishedQuerySet,
    moment_field,
    once,
)
from shipskip.web.slugs import MAX_LENGTH, validate_slug
from shipskip.web.text import line_field, prose_field, validate_characters
from shipskip.web.tints import Tint

LONGEST_PHRASE = 120
MAX_PHRASES = 12


def validate_phrases(value: object) -> None:
    """Refuse anything but a list of short phrases (at most MAX_PHRASES, none empty)."""
    if not isinstance(value, list) or len(value) > MAX_PHRASES:
        raise ValidationError(f"Write a list of at most {MAX_PHRASES} phrases.")
    for phrase in value:
        if not isinstance(phrase, str) or not (phrase.strip() and len(phrase) <= LONGEST_PHRASE):
            raise ValidationError(f"Each phrase is a text of 1 to {LONGEST_PHRASE} characters.")
        validate_characters(phrase)


class ReviewerQuerySet(PublishedQuerySet["Reviewer"]):
    """Reviewers."""


ReviewerManager = ExistingManager.from_queryset(ReviewerQuerySet)


class Reviewer(Publishable):
    """A persona on the panel, with a fixed point of view."""

    slug = models.CharField("address", max_length=MAX_LENGTH, validators=[validate_slug])
    name = line_field(120)
    motto = line_field(200, blank=True)
    bio = prose_field()
    likes = models.JSONField(default=list, blank=True, validators=[validate_phrases])
    dislikes = models.JSONField(default=list, blank=True, validators=[validate_phrases])
    position = models.PositiveSmallIntegerField(default=0, help_text="Order on the panel")
    sign = models.CharField("portrait", max_length=20, choices=Sign, blank=True)
    tint = models.CharField(max_length=20, choices=Tint, blank=True)
    published_at = moment_field(default=ALWAYS)

    objects = ReviewerManager()
    everything = ReviewerQuerySet.as_manager()
    history = HistoricalRecords()

    class Meta(Publishable.Meta):
        ordering = ["position", "slug"]
        constraints = [
            once(
                "slug",
                name="reviewer_slug_once",
                code="unique",
                advice="Another reviewer has this address: choose a different one.",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The reviewer's page."""
        return reverse("reviews:reviewer", args=[self.slug])
