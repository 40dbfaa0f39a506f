"""Editors' comparisons: two tools, in the order the editor chose."""

from collections.abc import Sequence
from datetime import datetime
from typing import Self

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Case, ExpressionWrapper, F, Q, Value, When
from django.db.models.functions import Greatest, Least
from simple_history.models import HistoricalRecords

from comparisons.addresses import address
from shipskip.web.publishing import Previewable, PublishedQuerySet
from shipskip.web.text import prose
from tools import search
from tools.models import LINK_FIELDS, MAX_SUGGESTIONS, Category, Tool

ON_HOME_PAGE = 5
"""How many featured comparisons the home page shows."""

MAX_RELATED = 7
"""How many comparisons a side-by-side page loads: its own, and six to read next."""


class ComparisonQuerySet(PublishedQuerySet["Comparison"]):
    """Comparisons whose tools can be shown."""

    def published(self, now: datetime) -> Self:
        """Comparisons whose publication date has come, of public tools."""
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

    def of_existing_tools(self) -> Self:
        """Comparisons of tools that are not deleted."""
        return self.filter(first__deleted_at=None, second__deleted_at=None)

    def with_tools(self) -> Self:
        """With both tools and their categories."""
        return self.select_related("first__category", "second__category")

    def of_any(self, tools: "models.QuerySet[Tool] | Sequence[Tool]") -> Self:
        """Comparisons of at least one of these tools."""
        return self.filter(Q(first__in=tools) | Q(second__in=tools))

    def featured(self) -> Self:
        """Comparisons that an editor featured."""
        return self.filter(featured=True)

    def not_featured(self) -> Self:
        """The others."""
        return self.filter(featured=False)

    def matching(self, text: str) -> Self:
        """Comparisons with every word of `text` in the names of their tools."""
        found = self
        for word in search.words(text):
            found = found.filter(Q(first__name__icontains=word) | Q(second__name__icontains=word))
        return found

    def newest(self) -> Self:
        """The latest published first, drafts last."""
        return self.order_by(F("published_at").desc(nulls_last=True), "-pk")

    def lock(self) -> None:
        """Lock these comparisons until the transaction ends; read them afterwards.

        Always in the order of their keys, so that no two transactions wait for each other.
        """
        list(self.order_by("pk").select_for_update(no_key=True).values_list("pk"))

    def set_positions(self, order: Sequence[int]) -> None:
        """Set the positions of these comparisons, from 1 on, by an order of primary keys.

        A position is not content, so the history does not record it.
        """
        positions = {pk: position for position, pk in enumerate(order, 1)}
        rows = [row for row in self.filter(pk__in=order) if row.position != positions[row.pk]]
        for row in rows:
            row.position = positions[row.pk]
        self.model._base_manager.bulk_update(rows, ["position"], batch_size=200)

    def featured_first(self) -> Self:
        """Featured ones first, in the order set by hand, then the latest published."""
        by_hand = F("position").asc(nulls_last=True)
        return self.order_by("-featured", by_hand, F("published_at").desc(), "pk")

    def for_list_page(self, now: datetime) -> Self:
        """Public comparisons with their tools, featured ones first."""
        return self.published(now).with_tools().featured_first()

    def with_home_page(self, now: datetime) -> Self:
        """With `on_home_page`: whether the home page shows it."""
        shown = self.model.objects.published(now).featured().featured_first()
        first = Q(pk__in=shown.values("pk")[:ON_HOME_PAGE])
        return self.annotate(on_home_page=ExpressionWrapper(first, models.BooleanField()))

    def related_to(self, tools: Sequence[Tool], now: datetime) -> Self:
        """Links to public comparisons of any of `tools`, with their summaries; the one of exactly
        these tools comes first.
        """
        same = When(first__in=tools, second__in=tools, then=Value(0))
        exact_first = Case(same, default=Value(1))
        rows = self.published(now).of_any(tools).select_related("first", "second")
        rows = rows.order_by(exact_first, "-featured", F("published_at").desc(), "pk")
        named = [f"{tool}__{name}" for tool in ("first", "second") for name in LINK_FIELDS]
        return rows.only("summary", *named)[:MAX_RELATED]

    def to_compare_with(self, tool: Tool, now: datetime) -> list[Tool]:
        """Tools to compare with `tool`: editors' pairs first, then the newest of its category.

        Two queries: a single one would look up the pairs of every tool of the category.
        """
        own = super().published(now)  # only the other tool has to be public, which is checked below
        after, before = own.filter(first=tool), own.filter(second=tool)
        paired = Q(pk__in=after.values("second")) | Q(pk__in=before.values("first"))
        partners = list(Tool.objects.published(now).filter(paired).newest()[:MAX_SUGGESTIONS])
        others = Tool.objects.neighbours_of([tool], now)
        return [*partners, *(other for other in others if other not in partners)][:MAX_SUGGESTIONS]


class Comparison(Previewable):
    """Two tools that an editor compares, in the editor's order; a pair exists once."""

    first = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="first_in")
    second = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="second_in")
    summary = prose()
    featured = models.BooleanField(
        default=False,
        help_text="Featured comparisons stand at the head of the list of comparisons; the first "
        f"{ON_HOME_PAGE} that are public are on the home page as well.",
    )
    position = models.PositiveIntegerField(null=True, blank=True, editable=False)
    """The place among featured comparisons, from 1 on; those without one come last."""
    on_home_page: bool
    """Whether the home page shows it; set by `with_home_page`."""

    objects = ComparisonQuerySet.as_manager()
    history = HistoricalRecords(excluded_fields=["position", "preview_key"])

    class Meta(Previewable.Meta):
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

    @property
    def needed(self) -> list[Tool | Category]:
        """What must be public before its page can be: its tools and their categories."""
        return [*self.tools, *dict.fromkeys(tool.category for tool in self.tools)]

    def feature(self) -> None:
        """Feature it, after those already featured; doing it again changes nothing."""
        if not self.featured:
            self.featured, self.position = True, None
            self.save(update_fields=["featured", "position"])

    def unfeature(self) -> None:
        """End featuring it; doing it again changes nothing."""
        if self.featured:
            self.featured, self.position = False, None
            self.save(update_fields=["featured", "position"])

    def get_absolute_url(self) -> str:
        """The side-by-side page."""
        return address([tool.slug for tool in self.tools])

    def clean(self) -> None:
        """Refuse the same tool twice, and a pair that exists already, beside the field."""
        if not (self.first_id and self.second_id):
            return
        if self.first_id == self.second_id:
            raise ValidationError(
                {"second": "Choose another tool: this is the first tool already."}
            )
        pair = (self.first_id, self.second_id)
        twins = Comparison.objects.filter(first__in=pair, second__in=pair).exclude(pk=self.pk)
        if twins.exists():
            raise ValidationError(
                {"second": "There is a comparison of these two already: change that one."}
            )
