"""The filters of lists of tools."""

from collections.abc import Sequence

from django import forms
from django.forms.boundfield import BoundField
from django.http import QueryDict

from shipskip.web.filters import CategoryFilterForm, FilterForm
from shipskip.web.paging import Chosen
from tools.fact_filters import FactFilter
from tools.fact_values import DECIMAL_PLACES, MAX_DIGITS, Kind
from tools.models import Attribute, Category, EntryPrice

PREFIX = "fact."
"""How the query keys of attributes begin: `fact.self-hosted`, `fact.context-window.min`."""

SORTS = [("score", "Best panel score"), ("name", "Name"), ("newest", "Newest first")]
BEST = ("", "Best first")
"""The order of a search without another order: by how well a tool fits."""


class FactFilterForm(FilterForm):
    """A filter form with `sort` and the fields of some attributes, which `ask` adds."""

    sort = forms.ChoiceField(label="Sort", required=False, choices=SORTS)
    sorts = SORTS
    attributes: Sequence[Attribute] = ()

    def ask(self, attributes: Sequence[Attribute]) -> None:
        """Add the fields of these attributes, and those by which tools can be sorted."""
        self.attributes = attributes
        for row in attributes:
            for key, field in _fields(row).items():
                field.widget.attrs["id"] = key.replace(".", "-")
                self.fields[key] = field
        sorts = [
            (f"{PREFIX}{row.slug}", row.name)
            for row in attributes
            if row.kind in (Kind.NUMBER, Kind.DATE)
        ]
        sort = forms.ChoiceField(label="Sort", required=False, choices=[*self.sorts, *sorts])
        self.fields["sort"] = sort

    def is_meant(self, key: str) -> bool:
        """The same; and a filled one of an attribute that is not asked here."""
        return super().is_meant(key) or bool(key.startswith(PREFIX) and self.data[key])

    @property
    def fact_fields(self) -> list[BoundField]:
        """The fields of attributes, in order."""
        return [self[name] for name in self.fields if name.startswith(PREFIX)]

    def fact_filters(self, chosen: Chosen) -> list[FactFilter]:
        """What was chosen of the attributes."""
        found = []
        for row in self.attributes:
            key = f"{PREFIX}{row.slug}"
            values = [chosen.get(name) for name in (key, f"{key}.min", f"{key}.max")]
            if any(value not in (None, "") for value in values):
                found.append(FactFilter(row, values[0] or "", values[1], values[2]))
        return found

    def sorted_by(self, chosen: Chosen) -> Attribute | None:
        """The attribute by which the list is sorted; None where it is sorted by something else."""
        sort = chosen["sort"] or ""
        return next((row for row in self.attributes if sort == f"{PREFIX}{row.slug}"), None)


class CategoryToolsForm(FactFilterForm):
    """`sort`, `page` and the attributes of a category, on its page."""

    def __init__(self, data: QueryDict, attributes: Sequence[Attribute]) -> None:
        super().__init__(data)
        self.ask(attributes)


class ToolFilterForm(FactFilterForm, CategoryFilterForm):
    """`q`, `category`, `entry`, `verdict`, `sort`, `page` and attributes of `/tools/`: those of the
    chosen category, else those that are asked of all tools.
    """

    sorts = [BEST, *SORTS]
    q = forms.CharField(label="Search", required=False, max_length=100)
    entry = forms.ChoiceField(
        label="Entry price", required=False, choices=[("", "Any entry price"), *EntryPrice.choices]
    )
    verdict = forms.ChoiceField(
        label="Verdict",
        required=False,
        choices=[
            ("", "Any verdict"),
            ("ship", "Ship"),
            ("skip", "Skip"),
            ("split", "Split"),
            ("none", "Not reviewed yet"),
        ],
    )

    field_order = ["q", "category", "entry", "verdict", "sort"]

    def __init__(
        self, data: QueryDict, categories: Sequence[Category], attributes: Sequence[Attribute]
    ) -> None:
        super().__init__(data, categories)
        chosen = next((row for row in categories if row.slug == data.get("category")), None)
        asked = [
            row
            for row in attributes
            if not row.category_ids or (chosen and row.is_asked_in(chosen.pk))
        ]
        self.ask(asked)
        self.order_fields(self.field_order)


def _fields(row: Attribute) -> dict[str, forms.Field]:
    """The fields of one attribute by their query keys; none for a text."""
    key = f"{PREFIX}{row.slug}"
    if row.kind == Kind.TEXT:
        return {}
    if row.kind in (Kind.NUMBER, Kind.DATE):
        return {
            f"{key}.min": _limit(row, "at least", "from"),
            f"{key}.max": _limit(row, "at most", "until"),
        }
    named = [("yes", "Yes"), ("no", "No")]
    choices = named if row.kind == Kind.YES_NO else [(each, each) for each in row.choices]
    any_of_them = ("", "Any")
    return {key: forms.ChoiceField(label=row.name, required=False, choices=[any_of_them, *choices])}


def _limit(row: Attribute, number: str, day: str) -> forms.Field:
    if row.kind == Kind.DATE:
        return forms.DateField(
            label=f"{row.name}, {day}",
            required=False,
            input_formats=["%Y-%m-%d"],
            widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
        )
    unit = f" ({row.unit})" if row.unit else ""
    return forms.DecimalField(
        label=f"{row.name}, {number}{unit}",
        required=False,
        max_digits=MAX_DIGITS,
        decimal_places=DECIMAL_PLACES,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
