"""Editors' comparisons: two tools, in the order the editor chose."""

from collections.abc import Sequence
from datetime import datetime
from typing import Self

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Case, F, Q, Value, When
from django.db.models.functions import Greatest, Least

from comparisons.addresses import address
from shipskip.web.publishing import Publishable, PublishedQuerySet
from shipskip.web.text import prose
from tools.models import Tool


class ComparisonQuerySet(PublishedQuerySet["Comparison"]):
    """Comparisons whose tools can be shown."""

    def published(self, now: datetime) -> Self:
        """Comparisons whose moment has come, of tools that are public."""
        return (
            super()
            .published(now)
            .filter(
                first__published_at__lte=now,
                first__category__published_at__lte=now,
                second__published_at__lte=now,
                second__category__published_at__lte=now,
            )
        )

    def with_tools(self) -> Self:
        """With both tools and their categories."""
        return self.select_related("first__category", "second__category")

    def featured(self) -> Self:
        """Comparisons an editor put on the home page."""
        return self.filter(featured=True)

    def featured_first(self) -> Self:
        """Featured ones first, then the latest published."""
        return self.order_by("-featured", F("published_at").desc(), "pk")

    def for_list_page(self, now: datetime) -> Self:
        """Public comparisons with their tools, featured ones first."""
        return self.published(now).with_tools().featured_first()

    def around(self, tools: Sequence[Tool], now: datetime, limit: int = 7) -> list["Comparison"]:
        """Public comparisons that hold any of `tools`; the one of exactly these comes first."""
        ids = [tool.pk for tool in tools]
        same = When(first__in=ids, second__in=ids, then=Value(0))
        rows = self.published(now).with_tools().filter(Q(first__in=ids) | Q(second__in=ids))
        exact_first = Case(same, default=Value(1))
        return list(rows.order_by(exact_first, "-featured", F("published_at").desc(), "pk")[:limit])


class Comparison(Publishable):
    """Two tools an editor set side by side. The order is the editor's; a pair exists once."""

    first = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="first_in")
    second = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="second_in")
    summary = prose()
    featured = models.BooleanField(default=False, help_text="Shown on the home page")

    objects = ComparisonQuerySet.as_manager()

    class Meta(Publishable.Meta):
        constraints = [
            models.CheckConstraint(
                condition=~Q(first=F("second")),
                name="comparison_of_two_tools",
                violation_error_message="A tool cannot be compared with itself: choose two.",
            ),
            models.UniqueConstraint(
                Least("first", "second"),
                Greatest("first", "second"),
                name="comparison_once_per_pair",
                violation_error_message="There is a comparison of these two tools already.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first} vs {self.second}"

    @property
    def tools(self) -> list[Tool]:
        """The tools in the editor's order."""
        return [self.first, self.second]

    def get_absolute_url(self) -> str:
        """The side-by-side page."""
        return address([tool.slug for tool in self.tools])

    def clean(self) -> None:
        """Name a doubled tool, or a pair that exists already, beside its field."""
        if not (self.first_id and self.second_id):
            return
        if self.first_id == self.second_id:
            raise ValidationError({"second": "Choose another tool: this is the first one again."})
        pair = (self.first_id, self.second_id)
        twins = Comparison.objects.filter(first__in=pair, second__in=pair).exclude(pk=self.pk)
        if twins.exists():
            raise ValidationError(
                {"second": "There is a comparison of these two already: change that one."}
            )
