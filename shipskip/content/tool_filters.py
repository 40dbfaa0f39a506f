"""The filters of lists of tools."""

from collections.abc import Iterable, Sequence

from django import forms
from django.http import QueryDict

from shipskip.content.fact_filters import (
    FACT_PREFIX,
    KINDS_WITH_LIMITS,
    FactFilter,
    choices_of,
    key_of,
)
from shipskip.content.records import Attribute, Category
from shipskip.web.filters import ChoicesField, FilterForm
from shipskip.web.paging import Chosen
from shipskip.web.typed_values import NumberField
from tools.fact_values import DECIMAL_PLACES, MAX_DIGITS, AttributeKind
from tools.models import EntryPrice
from tools.tool_status import ToolStatus

USUAL = "score"
"""The order of a list that is not a search, unless another is chosen."""

SORTS = [
    (USUAL, "Mean score"),
    ("judged", "Newest verdict"),
    ("community", "Community share (95% lower bound)"),
    ("disagreement", "Panel and community disagree"),
    ("entry", "Entry price"),
    ("name", "Name"),
    ("newest", "Newest tool"),
]
BEST = ("", "Best match")
"""The default order of a search: by relevance."""

VERDICTS = [
    ("ship", "Ship"),
    ("skip", "Skip"),
    ("split", "Split"),
    ("none", "Not reviewed yet"),
]
CONFIRMED_KEY = "facts"
"""The query key that leaves out facts which no editor has confirmed."""
REPEATABLE_KEYS = ("category", "entry", "verdict", "status")
"""The query keys that may be repeated, apart from those of attributes."""


ORDER = ("q", "sort", *REPEATABLE_KEYS, CONFIRMED_KEY, "page")
"""The order of the query keys in addresses and of the fields on the page; those of attributes
follow. nginx caches addresses in this order.
"""


class ToolsForm(FilterForm):
    """The filters, `sort` and `page`, and the fields of attributes, which `ask` adds."""

    entry = ChoicesField(label="Entry price", choices=EntryPrice.choices)
    verdict = ChoicesField(label="Verdict", choices=VERDICTS)
    status = ChoicesField(label="Status", choices=ToolStatus.choices)
    facts = ChoicesField(label="Facts", choices=[("confirmed", "Only confirmed by an editor")])
    sort = forms.ChoiceField(label="Sort", required=False, choices=SORTS)
    attributes: Sequence[Attribute] = ()
    _sorts: Sequence[tuple[str, str]] = ()

    def ask(self, attributes: Sequence[Attribute]) -> None:
        """Add the fields of these attributes, and those by which tools can be sorted."""
        self.attributes = attributes
        for row in attributes:
            self.fields.update(_fields(row))
        facts = [(key_of(row), row.name) for row in attributes if _has_order(row)]
        self._sorts = [*SORTS, *facts]
        self.fields["sort"] = forms.ChoiceField(label="Sort", required=False, choices=self._sorts)
        self.order_fields(ORDER)

    def validate(self) -> Chosen:
        """Validate as FilterForm does; the default order counts as not chosen."""
        chosen = super().validate()
        if chosen["sort"] == USUAL and not chosen.get("q"):
            chosen["sort"] = ""
        return chosen

    def sorts(self, chosen: Chosen) -> list[tuple[str, str]]:
        """The available orders; the first, the default, has an empty value."""
        if chosen.get("q"):
            return [BEST, *self._sorts]
        return [("" if value == USUAL else value, label) for value, label in self._sorts]

    def is_meant(self, key: str) -> bool:
        """Whether an unknown key resembles a known one, or is an attribute's key not used here."""
        return super().is_meant(key) or bool(key.startswith(FACT_PREFIX) and self.data[key])

    def choices_of(self, key: str) -> Sequence[tuple[str, str]]:
        """The choices of a filter."""
        field = self.fields[key]
        return field.options if isinstance(field, ChoicesField) else ()

    def fact_filters(self, chosen: Chosen) -> list[FactFilter]:
        """The active filters on attributes."""
        found = []
        for row in self.attributes:
            key = key_of(row)
            least, most = chosen.get(f"{key}.min"), chosen.get(f"{key}.max")
            choices = tuple(chosen.get(key) or ())
            if choices or least is not None or most is not None:
                found.append(FactFilter(row, choices, least, most))
        return found

    def sorted_by(self, chosen: Chosen) -> Attribute | None:
        """The attribute by which the list is sorted; None if another order is chosen."""
        sort = chosen["sort"] or ""
        return next((row for row in self.attributes if sort == key_of(row)), None)


class CategoryToolsForm(ToolsForm):
    """The filters of a category's page, with its attributes."""

    def __init__(self, data: QueryDict, attributes: Sequence[Attribute]) -> None:
        super().__init__(data)
        self.ask(attributes)


class ToolFilterForm(ToolsForm):
    """The filters of `/tools/`: also `q` and `category`, and the attributes that are asked in any
    chosen category; without one those that are asked of all tools.
    """

    q = forms.CharField(label="Search", required=False, max_length=100)
    category = ChoicesField(label="Category", choices=[])

    def __init__(
        self, data: QueryDict, categories: Sequence[Category], attributes: Sequence[Attribute]
    ) -> None:
        super().__init__(data)
        choices = [(row.slug, row.name) for row in categories]
        self.fields["category"] = ChoicesField(label="Category", choices=choices)
        given = set(data.getlist("category"))
        self.ask(asked_in([row for row in categories if row.slug in given], attributes))


def asked_in(categories: Iterable[Category], attributes: Iterable[Attribute]) -> list[Attribute]:
    """Those of the attributes that are asked of all tools, or in any of these categories."""
    keys = {row.pk for row in categories}
    return [row for row in attributes if not row.category_ids or keys & set(row.category_ids)]


def _has_order(row: Attribute) -> bool:
    return row.kind in (*KINDS_WITH_LIMITS, AttributeKind.YES_NO, AttributeKind.CHOICE)


def _fields(row: Attribute) -> dict[str, forms.Field]:
    """The fields of one attribute by their query keys; none for a text."""
    key = key_of(row)
    if row.kind in KINDS_WITH_LIMITS:
        return {
            f"{key}.min": _limit(row, "at least", "from"),
            f"{key}.max": _limit(row, "at most", "until"),
        }
    choices = choices_of(row)
    return {key: ChoicesField(label=row.name, choices=choices)} if choices else {}


def _limit(row: Attribute, number: str, day: str) -> forms.Field:
    if row.kind == AttributeKind.DATE:
        return forms.DateField(
            label=f"{row.name}, {day}", required=False, input_formats=["%Y-%m-%d"]
        )
    unit = f" ({row.unit})" if row.unit else ""
    return NumberField(
        label=f"{row.name}, {number}{unit}",
        required=False,
        max_digits=MAX_DIGITS,
        decimal_places=DECIMAL_PLACES,
    )
