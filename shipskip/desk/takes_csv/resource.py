"""The columns of takes as django-import-export's fields, and what becomes of a row."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from import_export.fields import Field
from import_export.instance_loaders import BaseInstanceLoader
from import_export.resources import Resource
from import_export.results import RowResult

from reviews.models import Reviewer, Take, TakeChange
from shipskip.catalogue.changes import Count
from shipskip.catalogue.faults import Fault
from shipskip.catalogue.merging import Batch, ConflictError, Merger
from shipskip.catalogue.shapes import TAKE
from shipskip.catalogue.values import Moment, Slug
from shipskip.catalogue.values import Text as TextReader
from shipskip.desk.takes_csv.cells import Cell, Lookup, Text, When, alike, optional, whole
from shipskip.desk.takes_csv.reading import COLUMNS
from shipskip.web.slugs import slug_fault
from tools.models import FormerSlug, Tool

_MOMENT = Moment("a moment such as 2026-05-01T09:00:00Z, or nothing for a draft")
_REASON = TextReader(TakeChange._meta.get_field("reason").max_length or 0)


class _Outcome(RowResult):  # type: ignore[misc]
    """What became of a row, without its name: `str` of a take would ask the database for it."""

    def add_instance_info(self, instance: Any) -> None:
        """Nothing: the merger's journal names what was done."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row that was read: its take's name and fields, and why a public score changes."""

    name: str
    wanted: dict[str, Any]
    reason: str

    @classmethod
    def of(cls, take: Any) -> "Row":
        """The row of a take that was filled in from it."""
        names = ("tool_id", "reviewer_id", "score", "verdict", "body", "published_at")
        wanted = {name: getattr(take, name) for name in names}
        return cls(f"{take.reviewer.slug} on {take.tool.slug}", wanted, take.reason)


class TakeResource(Resource):  # type: ignore[misc]
    """Takes, a row each; whose they are is told by slugs.

    One resource reads one file, some rows at a time. It is given the numbers of their lines, and
    collects the rows that are right and the faults of the others. (A ModelResource would set the
    sequences back after each import to the last row it sees, and give keys away that others are
    writing just then.)
    """

    tool = Field("tool", "tool", Lookup(Slug(), "tool"))
    reviewer = Field("reviewer", "reviewer", Lookup(Slug(), "reviewer"))
    score = Field("score", "score", Cell(TAKE.keys["score"].reader, whole))
    verdict = Field("verdict", "verdict", Cell(TAKE.keys["verdict"].reader))
    body = Field("body", "body", Text(TAKE.keys["body"].reader))
    published = Field("published_at", "published", When(_MOMENT, optional))
    reason = Field("reason", "reason", Text(_REASON))  # comes in only, for the public record

    class Meta:
        model = Take
        # Rows are compared with what is stored all at once, by the merger.
        force_init_instance = use_bulk = skip_diff = True
        instance_loader_class = BaseInstanceLoader

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[Fault] = []
        self.rows: list[list[Row]] = []
        """Some rows at a time, as they were taken in."""
        self._numbers: Sequence[int] = ()
        self._number = 0
        self._first: dict[tuple[int, int], int] = {}

    def take_in(self, dataset: Any, numbers: Sequence[int]) -> None:
        """Read some rows; `numbers` are their lines. Nothing is written."""
        self._numbers = numbers
        result = self.import_data(dataset, use_transactions=False)
        for _, errors in result.row_errors():
            raise errors[0].error
        columns = {field.attribute: field.column_name for field in self.fields.values()}
        for row in result.invalid_rows:
            for attribute, messages in row.field_specific_errors.items():
                self._complain(numbers[row.number - 1], columns[attribute], messages[0])

    def before_import(self, dataset: Any, **kwargs: Any) -> None:
        """Load all tools and reviewers that these rows name."""
        # Only what can be a slug is asked for: no database looks for just any text.
        tools = {text.strip() for text in dataset["tool"] if not slug_fault(text.strip())}
        found = Tool.objects.filter(slug__in=tools).order_by()
        known = {tool.slug: tool for tool in found.only("slug", "published_at", "withdrawn_at")}
        former = FormerSlug.objects.of_kept_tools().filter(slug__in=tools - known.keys())
        self.fields["tool"].widget.known = known
        self.fields["tool"].widget.former = dict(former.values_list("slug", "tool__slug"))
        reviewers = Reviewer.objects.order_by().only("slug")
        self.fields["reviewer"].widget.known = {each.slug: each for each in reviewers}

    def before_import_row(self, row: Any, **kwargs: Any) -> None:
        """Know which line the row is."""
        self._number = self._numbers[kwargs["row_number"] - 1]

    @classmethod
    def get_row_result_class(cls) -> type[_Outcome]:
        """Outcomes without names."""
        return _Outcome

    def init_instance(self, row: Any = None) -> Take:
        """A take to be filled in."""
        return Take()

    def validate_instance(
        self,
        instance: Any,
        import_validation_errors: Any = None,
        validate_unique: bool = True,  # noqa: FBT001, FBT002 - as the library has it
    ) -> None:
        """Refuse a second row of one reviewer on one tool, and what the cells complained of."""
        errors = dict(import_validation_errors or {})
        if not {"tool", "reviewer"} & errors.keys():
            first = self._first.setdefault((instance.tool_id, instance.reviewer_id), self._number)
            if first != self._number:
                twice = f"has a take on this tool in line {first} already; keep one"
                errors["reviewer"] = ValidationError(twice)
        if errors:
            raise ValidationError(errors)

    def bulk_create(self, *args: Any, **kwargs: Any) -> None:
        """Keep the rows that are right until all are read."""
        self.rows.append([Row.of(take) for take in self.create_instances])
        self.create_instances.clear()

    def merge(self, rows: list[Row], merger: Merger, count: Count) -> None:
        """Bring rows into the database: history, record and all. The caller gives the transaction.

        Raises ConflictError where a tool is gone since it was looked up.
        """
        keys = {(row.wanted["tool_id"], row.wanted["reviewer_id"]): row for row in rows}
        tools, reviewers = {tool for tool, _ in keys}, {reviewer for _, reviewer in keys}
        held = Tool.objects.only("published_at", "withdrawn_at").in_bulk(tools)
        if len(held) < len(tools):
            raise ConflictError("some of the tools were taken away during the load")
        batch = Batch(
            "takes",
            Take.objects.filter(tool__in=tools, reviewer__in=reviewers),
            {key: row.wanted for key, row in keys.items()},
            lambda take: (take.tool_id, take.reviewer_id),
            lambda key: keys[key].name,
            count,
            equal=alike,
            tools=held,
            reasons={key: row.reason for key, row in keys.items()},
        )
        merger.merge(batch)
        for key in batch.unexplained:
            message = "is missing; readers could see the score or verdict: write why it changes"
            self._complain(self._first[key], "reason", message)

    def handle_import_error(self, result: Any, error: Any, *_: Any, **__: Any) -> None:
        """What is no fault of a row ends the import."""
        raise error

    def _complain(self, number: int, column: str, message: str) -> None:
        self.faults.append(Fault(f"line {number}, {column}", message))

    def cells(self, take: Take) -> list[str]:
        """A take as the cells of its row, without a reason."""
        return list(self.export_resource(take, selected_fields=COLUMNS))
