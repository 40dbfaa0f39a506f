"""One row of the file as a form, which checks its cells and makes them the fields of a take."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django import forms
from django.core.exceptions import ValidationError

from reviews.models import Reviewer, TakeChange
from shipskip.catalogue.faults import Fault, Json, quoted
from shipskip.catalogue.schema import TAKE, UNFINISHED
from shipskip.catalogue.takes_csv.cells import cell_text, text_or_none, whole_number
from shipskip.catalogue.takes_csv.reading import KNOWN, Line
from shipskip.catalogue.values import DateTime, Parser, Slug, Text, nearest
from tools.models import FormerSlug, Tool

_PUBLISHED = DateTime("a date and time such as 2026-05-01T09:00:00Z, or nothing for a draft")
_REASON = Text(TakeChange._meta.get_field("reason").max_length or 0)


class CellField(forms.Field):
    """A cell that one of the catalogue's parsers reads."""

    def __init__(self, parser: Parser, value_of: Callable[[str], Json] = str.strip) -> None:
        super().__init__(required=False)  # the parsers decide what may be missing
        self._parser = parser
        self._value_of = value_of

    def to_python(self, value: object) -> object:
        """The value of a cell's text, None without a cell; raises ValidationError."""
        if value is None:
            return None
        faults: list[Fault] = []
        read: object = self._parser.parse(self._value_of(str(value)), "", faults)
        if faults:
            raise ValidationError(faults[0].message)
        return read


@dataclass(frozen=True)
class SiteKeys:
    """The primary keys of the site's tools and reviewers, by slug; `former` maps a tool's earlier
    slugs to its present one, `rows` a tool and reviewer to the first line that names them.
    """

    tools: Mapping[str, int]
    reviewers: Mapping[str, int]
    former: Mapping[str, str]
    rows: dict[tuple[int, int], int] = field(default_factory=dict)

    @classmethod
    def now(cls) -> "SiteKeys":
        """The keys before any row is read; three queries."""
        former = FormerSlug.objects.of_existing_tools().values_list("slug", "tool__slug")
        return cls(
            tools=dict(Tool.objects.order_by().values_list("slug", "pk")),
            reviewers=dict(Reviewer.objects.order_by().values_list("slug", "pk")),
            former=dict(former),
        )


class TakeRowForm(forms.Form):
    """One row: tool, reviewer, the fields of the take, and the reason."""

    tool = CellField(Slug())
    reviewer = CellField(Slug())
    score = CellField(TAKE.keys["score"].parser, whole_number)
    verdict = CellField(TAKE.keys["verdict"].parser, text_or_none)
    basis = CellField(TAKE.keys["basis"].parser)
    body = CellField(TAKE.keys["body"].parser, cell_text)
    published = CellField(_PUBLISHED, text_or_none)
    reason = CellField(_REASON, cell_text)

    def __init__(self, line: Line, site: SiteKeys) -> None:
        super().__init__(dict(zip(KNOWN, line.cells, strict=True)))
        self.number = line.number
        self._site = site

    def clean_tool(self) -> int:
        """The tool's primary key; raises ValidationError for an unknown slug."""
        slug = self.cleaned_data["tool"]
        if now := self._site.former.get(slug):
            return _pk(slug, "tool", self._site.tools, f"; it is {quoted(now)} now")
        return _pk(slug, "tool", self._site.tools)

    def clean_reviewer(self) -> int:
        """The reviewer's primary key; raises ValidationError for an unknown slug."""
        return _pk(self.cleaned_data["reviewer"], "reviewer", self._site.reviewers)

    def clean(self) -> None:
        """Refuse a second row of one reviewer on one tool, and a date without a judgement."""
        given = self.cleaned_data
        for name, empty in UNFINISHED.items():
            if given.get("published") and name in given and given[name] == empty:
                accepted = TAKE.keys[name].parser.accepted
                self.add_error(name, f"is empty, which only a draft can be; give {accepted}")
        if {"tool", "reviewer"} <= self.cleaned_data.keys():
            first = self._site.rows.setdefault(self.key, self.number)
            if first != self.number:
                twice = f"has a take on this tool in line {first} already; keep one"
                self.add_error("reviewer", twice)

    @property
    def key(self) -> tuple[int, int]:
        """The primary keys of a valid row's tool and reviewer."""
        return self.cleaned_data["tool"], self.cleaned_data["reviewer"]

    def row(self) -> "TakeRow":
        """A valid row as it will be stored."""
        given = self.cleaned_data
        name = f"{self.data['reviewer'].strip()} on {self.data['tool'].strip()}"
        wanted = {
            "tool_id": given["tool"],
            "reviewer_id": given["reviewer"],
            "score": given["score"],
            "verdict": given["verdict"],
            "body": given["body"],
            "published_at": given["published"],
        }
        if given["basis"] is not None:
            wanted["basis"] = given["basis"]
        return TakeRow(self.key, name, wanted, given["reason"] or "")

    def faults(self) -> list[Fault]:
        """What is wrong with the row, cell by cell."""
        return [
            Fault(f"line {self.number}, {column}", str(message))
            for column, messages in self.errors.items()
            for message in messages
        ]


@dataclass(frozen=True, slots=True)
class TakeRow:
    """A valid row: the key, name and fields of its take, and the reason for a public change."""

    key: tuple[int, int]
    name: str
    wanted: dict[str, int | str | datetime | None]
    reason: str


def _pk(slug: str, noun: str, known: Mapping[str, int], hint: str = "") -> int:
    if slug in known:
        return known[slug]
    hint = hint or nearest(slug, known)
    raise ValidationError(f"{quoted(slug)} is no {noun} of this site{hint}")
