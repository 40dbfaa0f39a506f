"""Editors' comparisons: two to ten tools, in the order the editor chose."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Self

from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models import (
    Exists,
    ExpressionWrapper,
    F,
    OuterRef,
    Prefetch,
    Q,
    Subquery,
    Value,
)
from django.db.models.deletion import CASCADE, Collector
from django.db.models.functions import Length, Lower, Replace
from django.db.models.lookups import GreaterThanOrEqual, LessThanOrEqual
from simple_history.models import HistoricalRecords

from comparisons.addresses import MAX_TOOLS, address
from shipskip.web.key_lists import KeyListField
from shipskip.web.publishing import ExistingManager, Previewable, PublishedQuerySet, once
from shipskip.web.text import prose_field
from tools.models import LONGEST_CHOOSE_IF, Category, Tool

ON_HOME_PAGE = 5
"""How many featured comparisons the home page shows."""

PARTS_OF_LIST = ("tool_ids", "choose_if")
"""The properties whose values `tool_list` holds."""

ONCE = "There is a comparison of these tools already: change that one."
HOW_MANY = f"A comparison has 2 to {MAX_TOOLS} tools."


def tools_key(keys: Iterable[int]) -> str:
    """A key for a set of tools, the same in any order: their sorted primary keys, `3-17-20`."""
    return "-".join(str(key) for key in sorted(keys))


_HYPHENS = Length("tools_key") - Length(Replace("tools_key", Value("-"), Value("")))
"""One less than the number of tools of a comparison."""


class ComparisonQuerySet(PublishedQuerySet["Comparison"]):
    """Comparisons whose tools can be shown."""

    def published(self, now: datetime) -> Self:
        """Comparisons whose publication date has come, of public tools."""
        hidden = Q(tool__published_at=None) | Q(tool__published_at__gt=now)
        hidden |= Q(tool__category__published_at=None) | Q(tool__category__published_at__gt=now)
        return super().published(now).exclude(_has_tool(hidden))

    def of_existing_tools(self) -> Self:
        """Comparisons of tools that are not deleted."""
        return self.exclude(_has_tool(Q(tool__deleted_at__isnull=False)))

    def with_tools(self, *fields: str) -> Self:
        """With their tools: only these fields, or all fields and their categories."""
        members = ComparisonTool.objects.all()
        if fields:
            named = [f"tool__{name}" for name in fields]
            members = members.select_related(None).select_related("tool")
            members = members.only("comparison", "tool", "position", *named)
        return self.prefetch_related(Prefetch("members", members))

    def with_first_name(self) -> Self:
        """With `first_name`: the name of the first tool in lowercase, to sort by."""
        first = ComparisonTool.objects.filter(comparison=OuterRef("pk"), position=1)
        return self.annotate(first_name=Subquery(first.values(name=Lower("tool__name"))))

    def of_any(self, tools: "models.QuerySet[Tool] | Sequence[Tool]") -> Self:
        """Comparisons of at least one of these tools."""
        return self.filter(
            pk__in=ComparisonTool.objects.filter(tool__in=tools).values("comparison")
        )

    def of_exactly(self, keys: Iterable[int]) -> Self:
        """The comparison of the tools with these primary keys, in whatever order."""
        return self.filter(tools_key=tools_key(keys))

    def featured(self) -> Self:
        """Comparisons that an editor featured."""
        return self.filter(featured=True)

    def lock(self) -> None:
        """Lock these comparisons until the transaction ends; read them afterwards.

        The lock order is that of their primary keys, so that two transactions cannot deadlock.
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

    def with_home_page(self, now: datetime) -> Self:
        """With `on_home_page`: whether the home page shows it."""
        shown = self.model.objects.published(now).featured().featured_first()
        first = Q(pk__in=shown.values("pk")[:ON_HOME_PAGE])
        return self.annotate(on_home_page=ExpressionWrapper(first, models.BooleanField()))

    def bulk_create(
        self, objs: "Iterable[Comparison]", *args: Any, **kwargs: Any
    ) -> "list[Comparison]":
        """Create comparisons with their tools."""
        rows = list(objs)
        with transaction.atomic():
            for row in rows:
                row.set_tools_key()
            made = super().bulk_create(rows, *args, **kwargs)
            _write_members(made)
        return made

    def bulk_update(
        self, objs: "Iterable[Comparison]", fields: Iterable[str], *args: Any, **kwargs: Any
    ) -> int:
        """Write these fields of comparisons; with `tool_list` also what is derived from it."""
        rows = list(objs)
        names = {"tool_list" if name in PARTS_OF_LIST else name for name in fields}
        if "tool_list" not in names:
            return super().bulk_update(rows, names, *args, **kwargs)
        with transaction.atomic():
            for row in rows:
                row.set_tools_key()
            count = super().bulk_update(rows, {*names, "tools_key"}, *args, **kwargs)
            _write_members(rows)
        return count


ComparisonManager = ExistingManager.from_queryset(ComparisonQuerySet)


class Comparison(Previewable):
    """Two to ten tools that an editor compares, in the editor's order; a set exists once.

    Editors change `tool_list`; history and edit conflicts use it. Each save derives `tools_key` and
    `members` from it, for constraints and queries.
    """

    tool_list = KeyListField(
        "tools",
        of="tools.Tool",
        rows="tools",
        item=("tool", "choose_if"),
        longest=LONGEST_CHOOSE_IF,
    )
    tools_key = models.CharField(max_length=MAX_TOOLS * 20, blank=True, editable=False)
    summary = prose_field()
    featured = models.BooleanField(
        default=False,
        help_text="Featured comparisons stand at the head of the list of comparisons; the first "
        f"{ON_HOME_PAGE} that are public are on the home page as well.",
    )
    position = models.PositiveIntegerField("place", null=True, blank=True)
    """The place among featured comparisons, from 1 on; those without one come last."""
    on_home_page: bool
    """Whether the home page shows it; set by `with_home_page`."""
    _tools: "Sequence[Tool]" = ()

    objects = ComparisonManager()
    everything = ComparisonQuerySet.as_manager()
    history = HistoricalRecords(excluded_fields=["position", "preview_key", "tools_key"])

    class Meta(Previewable.Meta):
        constraints = [
            once("tools_key", name="comparison_once_per_set", advice=ONCE),
            models.CheckConstraint(
                condition=Q(
                    GreaterThanOrEqual(_HYPHENS, 1), LessThanOrEqual(_HYPHENS, MAX_TOOLS - 1)
                ),
                name="comparison_of_two_to_ten_tools",
                violation_error_message=HOW_MANY,
            ),
        ]

    def __str__(self) -> str:
        return " vs ".join(tool.labelled_name for tool in self.tools)

    @property
    def tool_ids(self) -> list[int]:
        """The primary keys of the tools, in the editor's order."""
        return [each["tool"] for each in self.tool_list]

    @tool_ids.setter
    def tool_ids(self, keys: Sequence[int]) -> None:
        """Set the tools; a tool keeps its text. Does not save."""
        texts = self.choose_if
        self.tool_list = [{"tool": key, "choose_if": texts.get(key, "")} for key in keys]

    @property
    def choose_if(self) -> dict[int, str]:
        """The texts on some of the tools, by primary key."""
        return {each["tool"]: each["choose_if"] for each in self.tool_list if each["choose_if"]}

    @choose_if.setter
    def choose_if(self, texts: Mapping[int, str]) -> None:
        """Set the texts on the tools; does not save."""
        self.tool_list = [
            each | {"choose_if": texts.get(each["tool"], "")} for each in self.tool_list
        ]

    @property
    def tools(self) -> list[Tool]:
        """The tools in the editor's order; those that no longer exist are left out."""
        if [tool.pk for tool in self._tools] != self.tool_ids:
            found = {row.tool_id: row.tool for row in self.members.all()} if self.pk else {}
            if not found.keys() >= set(self.tool_ids):
                found = Tool.everything.select_related("category").in_bulk(self.tool_ids)
            self._tools = [found[pk] for pk in self.tool_ids if pk in found]
        return list(self._tools)

    @tools.setter
    def tools(self, tools: Sequence[Tool]) -> None:
        """Set the tools and `tool_ids`; does not save."""
        self._tools = list(tools)
        self.tool_ids = [tool.pk for tool in tools]

    @property
    def required_rows(self) -> list[Tool | Category]:
        """The rows that must be public before its page is: its tools and their categories."""
        return [*self.tools, *dict.fromkeys(tool.category for tool in self.tools)]

    def save(
        self,
        *args: Any,
        update_fields: Iterable[str] | None = None,
        **kwargs: Any,
    ) -> None:
        """Save these fields, or all; with `tool_list` also what is derived from it."""
        names = None if update_fields is None else set(update_fields)
        if names is not None and "tool_list" not in names:
            super().save(*args, update_fields=names, **kwargs)
            return
        self.set_tools_key()
        with transaction.atomic():
            fields = None if names is None else {*names, "tools_key"}
            super().save(*args, update_fields=fields, **kwargs)
            _write_members([self])

    def set_tools_key(self) -> None:
        """Set the key of the tools; does not save."""
        self.tools_key = tools_key(self.tool_ids)

    def get_absolute_url(self) -> str:
        """The side-by-side page."""
        return address([tool.slug for tool in self.tools])

    def clean(self) -> None:
        """Refuse too few or too many tools, duplicates, and a set that exists already; an empty
        list has its own message.
        """
        if not self.tool_ids:
            return
        fault = ""
        if len(set(self.tool_ids)) < len(self.tool_ids):
            fault = "A tool can be in a comparison only once: remove one of the two."
        elif not 2 <= len(self.tool_ids) <= MAX_TOOLS:
            fault = HOW_MANY
        elif Comparison.objects.of_exactly(self.tool_ids).exclude(pk=self.pk).exists():
            fault = ONCE
        if fault:
            raise ValidationError({"tool_list": fault})
        self.set_tools_key()

    def validate_constraints(self, exclude: Collection[str] | None = None) -> None:
        """Check the constraints, except those of the key: `clean` has better messages."""
        super().validate_constraints({*(exclude or ()), "tools_key"})


def delete_comparison_too(
    collector: Collector, field: object, members: "models.QuerySet[ComparisonTool]", using: str
) -> None:
    """Delete a tool's comparisons when the tool is deleted permanently.

    An `on_delete` handler for Django, with the arguments of `CASCADE`.
    """
    CASCADE(collector, field, members, using)  # type: ignore[arg-type]
    rows = Comparison.everything.filter(pk__in=[row.comparison_id for row in members])
    collector.collect(rows)


class ComparisonToolManager(models.Manager["ComparisonTool"]):
    """Members of comparisons with their tools, in order."""

    def get_queryset(self) -> "models.QuerySet[ComparisonTool]":
        """With their tools and their categories."""
        return super().get_queryset().select_related("tool__category").order_by("position")


class ComparisonTool(models.Model):
    """One tool of a comparison, and its position from 1 on; only `Comparison` writes these rows."""

    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="members")
    tool = models.ForeignKey(Tool, on_delete=delete_comparison_too, related_name="compared_in")
    position = models.PositiveSmallIntegerField()

    objects = ComparisonToolManager()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["comparison", "tool"], name="comparison_tool_once"),
            models.UniqueConstraint(
                fields=["comparison", "position"], name="comparison_position_once"
            ),
            models.CheckConstraint(
                condition=Q(position__gte=1, position__lte=MAX_TOOLS),
                name="comparison_position_one_to_ten",
            ),
        ]

    def __str__(self) -> str:
        return str(self.tool)


def _has_tool(condition: Q) -> Exists:
    """Whether a comparison has a tool that meets a condition on `ComparisonTool`."""
    return Exists(ComparisonTool.objects.filter(condition, comparison=OuterRef("pk")))


def _write_members(rows: Sequence[Comparison]) -> None:
    """Make the members of stored comparisons match their lists of tools."""
    ComparisonTool.objects.filter(comparison__in=rows).delete()
    ComparisonTool.objects.bulk_create(
        ComparisonTool(comparison=row, tool_id=pk, position=position)
        for row in rows
        for position, pk in enumerate(row.tool_ids, 1)
    )
