"""One row of the file as a form, which checks its cells and returns a fact."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from django import forms
from django.core.exceptions import ValidationError

from shipskip.catalogue.csv_files.cells import cell_text
from shipskip.catalogue.csv_files.reading import CsvRow, Layout
from shipskip.catalogue.csv_files.rows import CellField, RowForm, known_key
from shipskip.catalogue.faults import quoted
from shipskip.catalogue.value_parsers import SlugParser, TextParser
from shipskip.web.text import validate_line, validate_web_address
from tools.fact_edits import FactKey
from tools.fact_values import AttributeKind, FactAnswer, parse
from tools.models import Attribute, Category, FormerSlug, Tool
from tools.models.sources import validate_past_day

FACTS = Layout(
    "facts",
    ("tool", "attribute", "value", "applies", "note", "source", "checked"),
    optional=("applies", "note", "source", "checked"),
)
_APPLIES = {"yes": True, "true": True, "": True, "no": False, "false": False}
_NUMBER = re.compile(r"[+-]?[0-9][0-9.,]*", re.ASCII)


def is_number(cell: str) -> bool:
    """Whether a cell is a number, which no spreadsheet executes as a formula."""
    return bool(_NUMBER.fullmatch(cell.strip()))


@dataclass(frozen=True)
class ToolsAndAttributes:
    """The site's tools and attributes: keys by slug, the attributes and each tool's category by
    key. `former` maps a tool's earlier slugs to its present one, `rows` a fact to its first line.
    """

    tools: Mapping[str, int]
    former: Mapping[str, str]
    category_of: Mapping[int, int]
    categories: Mapping[int, str]
    attributes: Mapping[str, int]
    by_key: Mapping[int, Attribute]
    rows: dict[FactKey, int] = field(default_factory=dict)

    @classmethod
    def now(cls) -> "ToolsAndAttributes":
        """Load them before any row is read; four queries."""
        tools = list(Tool.objects.order_by().values_list("slug", "pk", "category"))
        former = FormerSlug.objects.of_existing_tools().values_list("slug", "tool__slug")
        attributes = list(Attribute.objects.all())
        return cls(
            tools={slug: pk for slug, pk, _ in tools},
            former=dict(former),
            category_of={pk: category for _, pk, category in tools},
            categories=dict(Category.objects.values_list("pk", "name")),
            attributes={row.slug: row.pk for row in attributes},
            by_key={row.pk: row for row in attributes},
        )


class FactRowForm(RowForm):
    """One row: tool, attribute, and the answer with its source."""

    tool = CellField(SlugParser())
    attribute = CellField(SlugParser())
    applies = forms.CharField(required=False)
    value = forms.CharField(required=False)
    note = CellField(TextParser(200, check=validate_line), cell_text)
    source = CellField(TextParser(500))
    checked = forms.CharField(required=False)

    def __init__(self, line: CsvRow, site: ToolsAndAttributes) -> None:
        super().__init__(line, FACTS)
        self._site = site

    def clean_tool(self) -> int:
        """The tool's primary key; raises ValidationError for an unknown slug."""
        slug = self.cleaned_data["tool"]
        now = self._site.former.get(slug)
        return known_key(
            slug, "tool", self._site.tools, f"; it is {quoted(now)} now" if now else ""
        )

    def clean_attribute(self) -> Attribute:
        """The attribute; raises ValidationError for an unknown one, or one that is not asked."""
        key = known_key(self.cleaned_data["attribute"], "attribute", self._site.attributes)
        row, tool = self._site.by_key[key], self.cleaned_data.get("tool")
        category = self._site.category_of.get(tool or 0)
        if category and not row.is_asked_in(category):
            name = self._site.categories[category]
            raise ValidationError(f"is not asked of tools in {quoted(name)}; leave the row out")
        if tool:
            first = self._site.rows.setdefault((tool, key), self.number)
            if first != self.number:
                raise ValidationError(
                    f"is answered for this tool in line {first} already; keep one"
                )
        return row

    def clean_applies(self) -> bool:
        """Whether the question applies; empty is yes."""
        word = self.cleaned_data["applies"].strip().lower()
        if word not in _APPLIES:
            raise ValidationError(f"{quoted(word)} is not yes or no")
        return _APPLIES[word]

    def clean_value(self) -> FactAnswer | None:
        """The answer; raises ValidationError if its question does not accept it."""
        attribute, cell = self.cleaned_data.get("attribute"), self.cleaned_data["value"]
        applies = self.cleaned_data.get("applies", True)
        if not isinstance(attribute, Attribute):
            return None
        number = attribute.kind == AttributeKind.NUMBER and is_number(cell)
        text = cell if number else cell_text(cell)
        validate_line(text)
        value = parse(text, attribute.kind, attribute.choices)
        if value is not None and not applies:
            raise ValidationError(
                "is given, but “applies” says that the question does not apply; keep one of them"
            )
        return FactAnswer(value, applies)

    def clean_source(self) -> str | None:
        """The address; raises ValidationError for an invalid one."""
        source: str | None = self.cleaned_data["source"]
        if source:
            validate_web_address(source)
        return source

    def clean_checked(self) -> date | None:
        """The day of the check; raises ValidationError for a date in the future."""
        day = parse(self.cleaned_data["checked"], AttributeKind.DATE, [])
        if isinstance(day, date):
            validate_past_day(day)
            return day
        return None

    def row(self) -> "FactRow":
        """A valid row as it will be stored; if the file lacks a column, its field is unchanged."""
        given, attribute = self.cleaned_data, self.cleaned_data["attribute"]
        columns = {"note": "note", "source": "source", "checked": "checked_on"}
        return FactRow(
            (given["tool"], attribute.pk),
            f"{attribute.slug} of {self.data['tool'].strip()}",
            given["value"],
            {
                name: given[column]
                for column, name in columns.items()
                if self.data.get(column) is not None
            },
        )


@dataclass(frozen=True, slots=True)
class FactRow:
    """A valid row: the keys, name, answer and other fields of its fact."""

    key: FactKey
    name: str
    answer: FactAnswer
    fields: Mapping[str, str | date | None]
