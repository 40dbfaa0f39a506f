"""One row of the file as a form, which checks its cells and returns the fields of a take."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from reviews.models import Reviewer, TakeChange
from shipskip.catalogue.csv_files.cells import cell_text, text_or_none, whole_number
from shipskip.catalogue.csv_files.reading import CsvRow, Layout
from shipskip.catalogue.csv_files.rows import CellField, RowForm, known_key
from shipskip.catalogue.entry_parsers import UNFINISHED
from shipskip.catalogue.faults import quoted
from shipskip.catalogue.schema import TAKE
from shipskip.catalogue.value_parsers import DateTimeParser, SlugParser, TextParser
from tools.models import FormerSlug, Tool

COLUMNS = ("tool", "reviewer", "score", "verdict", "body", "published", "basis")
TAKES = Layout("takes", (*COLUMNS, "reason"), optional=("basis", "reason"))
_PUBLISHED = DateTimeParser("a date and time such as 2026-05-01T09:00:00Z, or nothing for a draft")
_REASON = TextParser(TakeChange._meta.get_field("reason").max_length or 0)


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


class TakeRowForm(RowForm):
    """One row: tool, reviewer, the fields of the take, and the reason."""

    tool = CellField(SlugParser())
    reviewer = CellField(SlugParser())
    score = CellField(TAKE.keys["score"].parser, whole_number)
    verdict = CellField(TAKE.keys["verdict"].parser, text_or_none)
    basis = CellField(TAKE.keys["basis"].parser)
    body = CellField(TAKE.keys["body"].parser, cell_text)
    published = CellField(_PUBLISHED, text_or_none)
    reason = CellField(_REASON, cell_text)

    def __init__(self, line: CsvRow, site: SiteKeys) -> None:
        super().__init__(line, TAKES)
        self._site = site

    def clean_tool(self) -> int:
        """The tool's primary key; raises ValidationError for an unknown slug."""
        slug = self.cleaned_data["tool"]
        if now := self._site.former.get(slug):
            return known_key(slug, "tool", self._site.tools, f"; it is {quoted(now)} now")
        return known_key(slug, "tool", self._site.tools)

    def clean_reviewer(self) -> int:
        """The reviewer's primary key; raises ValidationError for an unknown slug."""
        return known_key(self.cleaned_data["reviewer"], "reviewer", self._site.reviewers)

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


@dataclass(frozen=True, slots=True)
class TakeRow:
    """A valid row: the key, name and fields of its take, and the reason for a public change."""

    key: tuple[int, int]
    name: str
    wanted: dict[str, int | str | datetime | None]
    reason: str
