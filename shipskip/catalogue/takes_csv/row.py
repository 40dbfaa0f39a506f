"""One row of the file as a form: its cells are checked, and become the fields of a take."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django import forms
from django.core.exceptions import ValidationError

from reviews.models import Reviewer, TakeChange
from shipskip.catalogue.faults import Fault, Json, shown
from shipskip.catalogue.schema import TAKE
from shipskip.catalogue.takes_csv.cells import text_of, whole
from shipskip.catalogue.takes_csv.reading import KNOWN, Line
from shipskip.catalogue.values import Moment, Reader, Slug, Text, nearest
from tools.models import FormerSlug, Tool

_MOMENT = Moment("a moment such as 2026-05-01T09:00:00Z, or nothing for a draft")
_REASON = Text(TakeChange._meta.get_field("reason").max_length or 0)


class Cell(forms.Field):
    """A cell whose value one of the catalogue's readers reads."""

    def __init__(self, reader: Reader, value_of: Callable[[str], Json] = str.strip) -> None:
        super().__init__(required=False)  # the readers say what may be missing
        self._reader = reader
        self._value_of = value_of

    def to_python(self, value: object) -> object:
        """The value of a cell's text; raises ValidationError."""
        faults: list[Fault] = []
        read: object = self._reader.read(self._value_of(str(value)), "", faults)
        if faults:
            raise ValidationError(faults[0].message)
        return read


@dataclass(frozen=True)
class Site:
    """The primary keys of the tools and reviewers there are, by slug; `former` maps a tool's
    earlier slugs to its present one, `rows` a tool and reviewer to the line that has them first.
    """

    tools: Mapping[str, int]
    reviewers: Mapping[str, int]
    former: Mapping[str, str]
    rows: dict[tuple[int, int], int] = field(default_factory=dict)

    @classmethod
    def now(cls) -> "Site":
        """The site as it is, before any row is read; three queries."""
        former = FormerSlug.objects.of_existing_tools().values_list("slug", "tool__slug")
        return cls(
            tools=dict(Tool.objects.order_by().values_list("slug", "pk")),
            reviewers=dict(Reviewer.objects.order_by().values_list("slug", "pk")),
            former=dict(former),
        )


class TakeForm(forms.Form):
    """One row: which tool and reviewer, what becomes of the take, and why."""

    tool = Cell(Slug())
    reviewer = Cell(Slug())
    score = Cell(TAKE.keys["score"].reader, whole)
    verdict = Cell(TAKE.keys["verdict"].reader)
    body = Cell(TAKE.keys["body"].reader, text_of)
    published = Cell(_MOMENT, lambda text: text.strip() or None)
    reason = Cell(_REASON, text_of)

    def __init__(self, line: Line, site: Site) -> None:
        super().__init__(dict(zip(KNOWN, line.cells, strict=True)))
        self.number = line.number
        self._site = site

    def clean_tool(self) -> int:
        """The tool's primary key; raises ValidationError for an unknown slug."""
        slug = self.cleaned_data["tool"]
        if now := self._site.former.get(slug):
            return _pk(slug, "tool", self._site.tools, f"; it is {shown(now)} now")
        return _pk(slug, "tool", self._site.tools)

    def clean_reviewer(self) -> int:
        """The reviewer's primary key; raises ValidationError for an unknown slug."""
        return _pk(self.cleaned_data["reviewer"], "reviewer", self._site.reviewers)

    def clean(self) -> None:
        """Refuse a second row of one reviewer on one tool."""
        if {"tool", "reviewer"} <= self.cleaned_data.keys():
            first = self._site.rows.setdefault(self.key, self.number)
            if first != self.number:
                twice = f"has a take on this tool in line {first} already; keep one"
                self.add_error("reviewer", twice)

    @property
    def key(self) -> tuple[int, int]:
        """The primary keys of a good row's tool and reviewer."""
        return self.cleaned_data["tool"], self.cleaned_data["reviewer"]

    def row(self) -> "Row":
        """A good row as it is to be stored."""
        given = self.cleaned_data
        name = f"{self.data['reviewer'].strip()} on {self.data['tool'].strip()}"
        return Row(
            self.key,
            name,
            {
                "tool_id": given["tool"],
                "reviewer_id": given["reviewer"],
                "score": given["score"],
                "verdict": given["verdict"],
                "body": given["body"],
                "published_at": given["published"],
            },
            given["reason"],
        )

    def faults(self) -> list[Fault]:
        """What is wrong with the row, cell by cell."""
        return [
            Fault(f"line {self.number}, {column}", str(message))
            for column, messages in self.errors.items()
            for message in messages
        ]


@dataclass(frozen=True, slots=True)
class Row:
    """A row that was read: its take's key, name and fields, and why a public score changes."""

    key: tuple[int, int]
    name: str
    wanted: dict[str, int | str | datetime | None]
    reason: str


def _pk(slug: str, noun: str, known: Mapping[str, int], hint: str = "") -> int:
    if slug in known:
        return known[slug]
    hint = hint or nearest(slug, known)
    raise ValidationError(f"{shown(slug)} is no {noun} of this site{hint}")
