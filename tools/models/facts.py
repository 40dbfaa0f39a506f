"""Attributes, which are questions asked of every tool of a category, and facts, their answers."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple, Self

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Count, Exists, F, OuterRef, Q, Subquery
from django.db.models.functions import Cast, Coalesce
from django.utils.functional import cached_property
from simple_history.models import HistoricalRecords

from shipskip.web.key_lists import KeyListField
from shipskip.web.publishing import Versioned
from shipskip.web.slugs import MAX_LENGTH, validate_slug
from shipskip.web.text import line_field, validate_line
from tools import fact_values
from tools.fact_values import (
    BETWEEN_CHOICES,
    DECIMAL_PLACES,
    LICENCE,
    LONGEST_TEXT,
    MAX_DIGITS,
    NOT_APPLICABLE,
    NOT_APPLICABLE_CELL,
    NOT_STATED_CELL,
    AttributeKind,
    Better,
    FactAnswer,
    Value,
    in_words,
    stands_for_no_value,
)
from tools.models.categories import Category
from tools.models.public_record import RecordedChange
from tools.models.sources import Sourced, oldest_fresh_day
from tools.models.tools import Tool, ToolQuerySet

MAX_CHOICES = 40
VALUE_COLUMNS = {
    AttributeKind.NUMBER: "number",
    AttributeKind.YES_NO: "yes_no",
    AttributeKind.CHOICE: "text",
    AttributeKind.CHOICES: "text",
    AttributeKind.TEXT: "text",
    AttributeKind.DATE: "date",
}
"""The column for values of each kind."""
LONGEST_CHOICE = 60
_BETWEEN = "\n"
"""The separator before, between and after choices, which may contain any other character."""


def validate_choices(choices: Any) -> None:
    """Require a list of different short lines; raises ValidationError."""
    if not isinstance(choices, list) or not all(isinstance(each, str) for each in choices):
        raise ValidationError("Give the choices as a list of texts.")
    if len(choices) > MAX_CHOICES:
        raise ValidationError(f"Give at most {MAX_CHOICES} choices.")
    for each in choices:
        validate_line(each)
        if not each.strip() or len(each) > LONGEST_CHOICE:
            raise ValidationError(f"Give each choice 1 to {LONGEST_CHOICE} characters.")
        if each != each.strip() or BETWEEN_CHOICES in each or stands_for_no_value(each):
            raise ValidationError(
                f"“{each}” cannot be typed in a cell: a choice has no space at its ends and no "
                f"“{BETWEEN_CHOICES}”, and is neither “{NOT_STATED_CELL}” nor "
                f"“{NOT_APPLICABLE_CELL}”."
            )
    if len({each.casefold() for each in choices}) < len(choices):
        raise ValidationError("Give each choice once.")


class AttributeQuerySet(models.QuerySet["Attribute"]):
    """Attributes."""

    def asked_in(self, categories: Iterable[int]) -> "list[Attribute]":
        """Attributes that apply to any of these categories, in order; one query."""
        wanted = set(categories)
        return [row for row in self if not row.category_ids or wanted & set(row.category_ids)]

    def naming(self, categories: Iterable[int]) -> "list[Attribute]":
        """Attributes that refer to any of these categories, in order; one query."""
        wanted = set(categories)
        return [row for row in self if wanted & set(row.category_ids)]


class Attribute(Versioned):
    """A question that every tool of some categories answers, or every tool."""

    slug = models.CharField(
        "address", max_length=MAX_LENGTH, unique=True, validators=[validate_slug]
    )
    name = line_field(60)
    group = line_field(60, blank=True)
    kind = models.CharField(max_length=7, choices=AttributeKind)
    unit = line_field(24, blank=True)
    better = models.CharField(max_length=6, choices=Better, blank=True)
    choices = models.JSONField(default=list, blank=True, validators=[validate_choices])
    category_ids = KeyListField(
        "categories",
        of="tools.Category",
        rows="categories",
        blank=True,
        help_text="None: it is asked of every tool.",
    )
    help = line_field(200, blank=True)
    position = models.PositiveSmallIntegerField(default=1)

    objects = AttributeQuerySet.as_manager()
    history = HistoricalRecords()

    class Meta:
        ordering = ["position", "slug"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=AttributeKind.values), name="attribute_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(better="") | Q(better__in=Better.values, kind=AttributeKind.NUMBER),
                name="attribute_better_of_numbers",
                violation_error_message="Only of numbers one can be better.",
            ),
            models.CheckConstraint(
                condition=Q(unit="") | Q(kind=AttributeKind.NUMBER),
                name="attribute_unit_of_numbers",
                violation_error_message="Only numbers have a unit.",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @cached_property
    def categories(self) -> list[Category]:
        """The categories in which it is asked; none means all. One query."""
        found = Category.objects.in_bulk(self.category_ids)
        return [found[key] for key in self.category_ids if key in found]

    def is_asked_in(self, category_id: int) -> bool:
        """Whether it is asked of tools of this category."""
        return not self.category_ids or category_id in self.category_ids

    def clean(self) -> None:
        """Refuse choices of a kind without choices, and changes that conflict with its facts."""
        takes_choices = self.kind in (AttributeKind.CHOICE, AttributeKind.CHOICES)
        if takes_choices and not self.choices:
            raise ValidationError({"choices": "Give at least one choice."})
        if self.choices and not takes_choices:
            message = "Only the kinds “choice” and “several choices” have choices."
            raise ValidationError({"choices": message})
        self._check_licence()
        if self.pk:
            self._check_facts()

    def _check_licence(self) -> None:
        """Refuse another kind or address of the attribute that documents call `license`."""
        stored = Attribute.objects.filter(pk=self.pk, slug=LICENCE)
        if self.slug == LICENCE and self.kind != AttributeKind.TEXT:
            raise ValidationError({"kind": "The licence of tools is a text."})
        if self.slug != LICENCE and self.pk and stored.exists():
            fault = f"Keep “{LICENCE}”: catalogue documents find the licence by it."
            raise ValidationError({"slug": fault})

    def _check_facts(self) -> None:
        facts = Fact.objects.filter(attribute=self)
        if facts.exclude(kind=self.kind).exists():
            raise ValidationError({"kind": "Tools answer it already, so its kind cannot change."})
        used = facts.exclude(text="").filter(kind__in=[AttributeKind.CHOICE, AttributeKind.CHOICES])
        texts = used.values_list("text", flat=True).distinct() if self.choices else []
        known = set(self.choices)
        gone = sorted(
            {each for text in texts for each in text.strip(_BETWEEN).split(_BETWEEN)} - known
        )
        if gone:
            fault = f"Tools answer “{gone[0]}”: change those facts first, or keep it."
            raise ValidationError({"choices": fault})
        outside = (
            facts.exclude(tool__category__in=self.category_ids)
            if self.category_ids
            else facts.none()
        )
        if outside.exists():
            fault = "Tools of other categories answer it: clear those facts first."
            raise ValidationError({"category_ids": fault})


def columns_of(value: Value) -> dict[str, object]:
    """The columns of a fact with this value: one contains it, the others are empty."""
    found: dict[str, object] = {"number": None, "yes_no": None, "text": "", "date": None}
    if isinstance(value, bool):
        found["yes_no"] = value
    elif isinstance(value, Decimal):
        found["number"] = value
    elif isinstance(value, date):
        found["date"] = value
    elif isinstance(value, list):
        found["text"] = _BETWEEN.join(["", *value, ""]) if value else ""
    else:
        found["text"] = value or ""
    return found


class KeyList(models.Aggregate):
    """The primary keys of a group as a text, between commas."""

    function = "GROUP_CONCAT"
    output_field = models.TextField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """PostgreSQL has another function, which takes texts."""
        template = "STRING_AGG(%(expressions)s::text, ',')"
        return self.as_sql(compiler, connection, template=template, **context)


_WITHOUT_SOURCE = Q(source="")
_WITHOUT_DAY = Q(checked_on=None) & ~Q(source="")


class FactTotals(NamedTuple):
    """Numbers of facts: all, and those in which something is due."""

    all: int = 0
    without_source: int = 0
    without_day: int = 0
    old: int = 0


class FactQuerySet(models.QuerySet["Fact"]):
    """Facts."""

    def on(self, tools: Sequence[Tool]) -> Self:
        """Facts of these tools."""
        return self.filter(tool__in=[tool.pk for tool in tools])

    def of_existing_tools(self) -> Self:
        """Facts of tools that are not deleted."""
        return self.filter(tool__deleted_at=None)

    def on_public_tools(self, now: datetime) -> Self:
        """Facts of tools that readers see at `now`."""
        return self.filter(tool__in=Tool.objects.published(now))

    def old(self, now: datetime) -> Self:
        """Facts that were checked too long ago."""
        return self.filter(checked_on__lt=oldest_fresh_day(now))

    def without_source(self) -> Self:
        """Facts without a source."""
        return self.filter(_WITHOUT_SOURCE)

    def without_day(self) -> Self:
        """Facts whose source has no day of a check."""
        return self.filter(_WITHOUT_DAY)

    def unconfirmed(self) -> Self:
        """Facts from open data that no editor has confirmed."""
        return self.filter(unconfirmed=True)

    def totals_by_category(self, now: datetime) -> dict[int, "FactTotals"]:
        """The numbers of these facts by their tools' category; one query."""
        is_old = Q(checked_on__lt=oldest_fresh_day(now))
        rows = self.order_by().values_list("tool__category")
        counted = rows.annotate(
            Count("pk"),
            without_source=Count("pk", filter=_WITHOUT_SOURCE),
            without_day=Count("pk", filter=_WITHOUT_DAY),
            old=Count("pk", filter=is_old),
        )
        return {category: FactTotals(*numbers) for category, *numbers in counted}

    def incomplete(self, tools: ToolQuerySet, attributes: Sequence[Attribute]) -> ToolQuerySet:
        """Those of `tools` that lack an answer to any of these attributes."""
        own = self.filter(tool=OuterRef("pk"), attribute__in=[row.pk for row in attributes])
        number = own.order_by().values("tool").annotate(number=Count("pk")).values("number")
        answered = Coalesce(Subquery(number), 0)
        return tools.alias(answered=answered).filter(answered__lt=len(attributes))

    def tools_with_facts(self, tools: ToolQuerySet) -> ToolQuerySet:
        """Those of `tools` with any of these facts."""
        return tools.filter(Exists(self.filter(tool=OuterRef("pk"))))

    def stated(self, attributes: Collection[int], column: str) -> Self:
        """Facts that state a value of any of these attributes (primary keys) in this column, read
        from a covering index.
        """
        value = ~Q(text="") if column == "text" else Q(**{f"{column}__isnull": False})
        return self.filter(value, attribute__in=attributes)

    def without_value(self, attributes: Collection[int]) -> Iterator[tuple[int, bool, int]]:
        """Attribute, `applies` and tool (primary keys) of the facts that answer any of these
        attributes without a value, read from a covering index.
        """
        rows = self.filter(_only(), attribute__in=attributes).order_by()
        yield from rows.values_list("attribute", "applies", "tool")

    def tools_by_attribute(self) -> Iterator[tuple[int, list[int]]]:
        """For each attribute: the primary keys of the tools that have one of these facts, joined to
        a text by the database.
        """
        rows = self.order_by().values_list("attribute").annotate(keys=KeyList("tool"))
        for attribute, keys in rows:
            yield attribute, list(map(int, keys.split(",")))

    def tools_by_value(self, column: str) -> Iterator[tuple[int, object, list[int]]]:
        """For each attribute and value in this column: the primary keys of the tools that state it.
        The database joins them to a text, because reading a row of each fact takes ten times as
        long.
        """
        value = Cast(column, models.TextField()) if column == "number" else F(column)
        rows = self.order_by().values_list("attribute", value).annotate(keys=KeyList("tool"))
        for attribute, stated, keys in rows:
            number = Decimal(stated) if column == "number" else stated
            yield attribute, number, list(map(int, keys.split(",")))


def _only(*columns: str) -> Q:
    """Facts whose value is in these columns only."""
    empty = {
        "number": Q(number=None),
        "yes_no": Q(yes_no=None),
        "text": Q(text=""),
        "date": Q(date=None),
    }
    found = Q()
    for name, condition in empty.items():
        if name not in columns:
            found &= condition
    return found


class Fact(Sourced):
    """A tool's answer to an attribute.

    No value means that a source was read and does not say; `applies` is false if the question does
    not apply.
    `kind` is that of the attribute and decides which column contains the value.
    """

    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="facts")
    attribute = models.ForeignKey(Attribute, on_delete=models.PROTECT, related_name="facts")
    kind = models.CharField(max_length=7, choices=AttributeKind, editable=False)
    applies = models.BooleanField(default=True)
    number = models.DecimalField(
        max_digits=MAX_DIGITS, decimal_places=DECIMAL_PLACES, null=True, blank=True
    )
    yes_no = models.BooleanField(null=True, blank=True)
    text = models.CharField(max_length=LONGEST_TEXT + 2, blank=True)
    """A text or a choice; several choices are separated by line breaks."""
    date = models.DateField(null=True, blank=True)
    note_only_explains = models.BooleanField("The note does not limit the answer", default=False)
    """Otherwise its number is not compared with those of other tools."""

    objects = FactQuerySet.as_manager()
    history = HistoricalRecords()

    class Meta:
        ordering = ["attribute__position", "attribute__slug"]
        constraints = [
            models.UniqueConstraint(
                fields=["tool", "attribute"],
                name="fact_once_per_tool",
                violation_error_message="This tool answers this question already.",
            ),
            models.CheckConstraint(
                condition=Q(kind=AttributeKind.NUMBER) & _only("number")
                | Q(kind=AttributeKind.YES_NO) & _only("yes_no")
                | Q(kind__in=[AttributeKind.CHOICE, AttributeKind.CHOICES, AttributeKind.TEXT])
                & _only("text")
                | Q(kind=AttributeKind.DATE) & _only("date"),
                name="fact_value_of_its_kind",
            ),
            models.CheckConstraint(
                condition=Q(applies=True) | _only(), name="fact_without_value_unless_it_applies"
            ),
        ]
        indexes = [
            models.Index(
                fields=["attribute", name, "tool"],
                condition=Q(**{f"{name}__isnull": False}),
                name=f"fact_by_{name}",
            )
            for name in ("number", "yes_no", "date")
        ] + [
            models.Index(
                fields=["attribute", "text", "tool"], condition=~Q(text=""), name="fact_by_text"
            ),
            models.Index(
                fields=["attribute", "applies", "tool"],
                condition=_only(),
                name="fact_without_value",
            ),
            models.Index(
                fields=["attribute", "tool"],
                condition=Q(unconfirmed=True),
                name="fact_unconfirmed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.attribute}: {self.words}"

    def clean(self) -> None:
        """Refuse an invalid answer, and an attribute that does not apply to the tool's category."""
        fault = fact_values.value_fault(self.value, self.attribute.kind, self.attribute.choices)
        if not fault and not self.attribute.is_asked_in(self.tool.category_id):
            fault = f"“{self.attribute}” is not asked of tools in {self.tool.category}."
        if fault:
            raise ValidationError(fault)

    @property
    def value(self) -> Value:
        """The stated value; None without one."""
        if self.kind == AttributeKind.NUMBER:
            return self.number
        if self.kind == AttributeKind.YES_NO:
            return self.yes_no
        if self.kind == AttributeKind.DATE:
            return self.date
        if self.kind == AttributeKind.CHOICES and self.text:
            return self.text.strip(_BETWEEN).split(_BETWEEN)
        return self.text or None

    @property
    def answer(self) -> FactAnswer:
        """What it states."""
        return FactAnswer(self.value, self.applies)

    @property
    def words(self) -> str:
        """The answer as readers see it."""
        return in_words(self.value, self.attribute.unit) if self.applies else NOT_APPLICABLE

    def set_value(self, value: Value) -> None:
        """Set the column that the attribute's kind needs, and empty the others."""
        self.kind = self.attribute.kind
        for name, each in columns_of(value).items():
            setattr(self, name, each)


class FactChangeQuerySet(models.QuerySet["FactChange"]):
    """The public record of changed facts and prices."""

    def on(self, tool: Tool) -> Self:
        """Changes on one tool."""
        return self.filter(tool=tool)


class FactChange(RecordedChange):
    """A change of a fact or price that readers could see: the old and new value, and when.

    It stores the name of the question or plan, because either may be renamed or removed later.
    """

    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="fact_changes")
    subject = line_field(120)
    before = models.CharField(max_length=300, blank=True)
    after = models.CharField(max_length=300, blank=True)
    """Empty: not recorded any more."""

    objects = FactChangeQuerySet.as_manager()

    class Meta:
        verbose_name = "changed fact"
        default_permissions = ()
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["tool", "-at"], name="fact_change_of_tool")]

    def __str__(self) -> str:
        return f"{self.subject} of {self.tool.labelled_name}"
