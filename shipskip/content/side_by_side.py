"""The page object of tools side by side: a list of tools, and rows with a cell for each.

It works for any number of tools; neither this module nor the template assumes two.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import accumulate, zip_longest
from math import ceil
from urllib.parse import urlencode

from django.utils.functional import cached_property

from comparisons.addresses import MAX_TOOLS, address, picker_address
from comparisons.answer import (
    Contender,
    Firmness,
    agreement,
    answer,
    firmness,
    judged_by,
    not_judged,
)
from reviews.score_strip import ScoreStrip, score_strip
from reviews.scoring import Verdict
from shipskip.content.decision import Decision, decision
from shipskip.content.fact_sheet import FactSheet
from shipskip.content.judged_tools import Column, JudgedTool
from shipskip.content.own_panel import weight_parameter, with_parameters
from shipskip.content.personas import personas_of
from shipskip.content.records import (
    Attribute,
    Comparison,
    Family,
    FullTake,
    FullTool,
    PageDates,
    Reviewer,
    Tool,
)
from shipskip.web.text import as_sentence, bidi_isolated
from tools.relations import relations_in_words

MAX_TITLE_NAMES = 60
"""Maximum number of characters of the names in a page's title, if something else or another name
stands in it too.
"""

MAX_IN_QUESTION = 3
"""Maximum number of tools in a title that ends with the page's question."""

MAX_CARDS_PER_ROW = 5
"""Maximum number of cards in a row."""

LONG_NAME = 30
"""A name with more characters is set smaller in the heading."""


@dataclass(frozen=True)
class ScoreCell:
    """One reviewer's take on one tool; None where there is none."""

    tool: FullTool
    take: FullTake | None

    @property
    def remark(self) -> str:
        """That the take was written before the tool's status changed; empty otherwise."""
        return self.tool.remark_on(self.take) if self.take else ""


@dataclass(frozen=True)
class ScoreRow:
    """One reviewer's takes, a cell for each tool in order."""

    reviewer: Reviewer
    cells: Sequence[ScoreCell]


@dataclass(frozen=True)
class Pair:
    """The tools of another side-by-side page, in order; for a list that shows them, also its answer
    and each tool's verdict.
    """

    tools: Sequence[Tool]
    answer: str = ""
    verdicts: Sequence[Verdict] = ()

    @property
    def rows(self) -> list[tuple[Tool, Verdict | None]]:
        """Each tool with its verdict, if this list shows verdicts."""
        return list(zip_longest(self.tools, self.verdicts))

    @classmethod
    def answered(cls, columns: Sequence[JudgedTool[Tool]]) -> "Pair":
        """The pair of these tools, with its answer and verdicts."""
        verdicts = [column.panel.verdict for column in columns]
        return cls([column.tool for column in columns], answer(contenders(columns)), verdicts)

    def without(self, slug: str) -> "Pair":
        """The same without one of the tools; its address is no longer that of the pair."""
        rows = [(tool, verdict) for tool, verdict in self.rows if tool.slug != slug]
        tools, verdicts = zip(*rows, strict=True)
        return replace(self, tools=tools, verdicts=verdicts)

    @property
    def names(self) -> tuple[tuple[str, str, Verdict | None], ...]:
        """Each tool's name and status, with its verdict if this list shows verdicts."""
        return tuple((tool.labelled_name, tool.status, verdict) for tool, verdict in self.rows)

    @property
    def taglines(self) -> tuple[str, ...]:
        """Each tool's tagline, else its slug."""
        return tuple(tool.tagline or tool.slug for tool in self.tools)

    def get_absolute_url(self) -> str:
        """The address of that page."""
        return address([tool.slug for tool in self.tools])


@dataclass(frozen=True)
class RowsLink:
    """A link below the decision table to a table of other `rows`."""

    words: str
    rows: str
    is_for_phones: bool = False
    """Whether only a phone shows it, which leaves out rows at first."""


@dataclass(frozen=True)
class SideBySide:
    """All data of a comparison page.

    `columns` are the tools with their takes, in the page's order, `attributes` and `reviewers`
    all that there are, `comparison` the editor's comparison if there is one, `next_pairs` the
    suggestions. `rows` selects rows of the decision table: `differing` only those in which the
    tools differ, `all` all of them on a phone too. `is_read`: whether readers read it, which is
    decided once a night.
    """

    columns: Sequence[Column]
    attributes: Sequence[Attribute]
    reviewers: Sequence[Reviewer]
    now: datetime
    comparison: Comparison | None = None
    next_pairs: Sequence[Pair] = ()
    rows: str = ""
    is_read: bool = False

    @cached_property
    def tools(self) -> list[FullTool]:
        """The tools without their takes, in order."""
        return [column.tool for column in self.columns]

    @property
    def cards_per_row(self) -> int:
        """The number of cards in a row of a wide window: at most five, in rows of nearly equal
        length.
        """
        return ceil(len(self.columns) / ceil(len(self.columns) / MAX_CARDS_PER_ROW))

    @property
    def scrolls(self) -> bool:
        """Whether the tables are wider than a phone, and scroll."""
        return len(self.columns) > 2

    @property
    def is_many(self) -> bool:
        """Whether there are so many tools that their names are set smaller."""
        return len(self.columns) > 3

    @property
    def decision_width(self) -> int:
        """The number of columns of the decision table: one for the labels."""
        return len(self.columns) + 1

    @property
    def heading(self) -> list[tuple[FullTool, bool]]:
        """Each tool, and whether its name is so long that it is set smaller."""
        return [(tool, len(tool.name) > LONG_NAME) for tool in self.tools]

    @property
    def all_of_them(self) -> str:
        """All tools, in a word."""
        return "Both" if len(self.columns) == 2 else "All"

    @property
    def description(self) -> str:
        """The answer and the tools' taglines, for search engines."""
        taglines = [f"{row.name}: {as_sentence(row.tagline)}" for row in self.tools if row.tagline]
        return " ".join((self.answer, *taglines))

    @property
    def in_view(self) -> str:
        """The tools as a query, for the visitor's marks on them."""
        return f"?{urlencode([('tools', tool.slug) for tool in self.tools])}"

    @property
    def rows_links(self) -> list[RowsLink]:
        """The links to tables with more or fewer rows."""
        show_all = f"Show all {self.decision.total} rows"
        if self.rows == "differing":
            return [RowsLink(show_all, "all")]
        on_phones = RowsLink("Show fewer rows", "") if self.rows else RowsLink(show_all, "all")
        return [
            *([replace(on_phones, is_for_phones=True)] if self.decision.is_short else []),
            RowsLink("Show only what differs", "differing"),
        ]

    @cached_property
    def choose_if_texts(self) -> list[tuple[FullTool, str]]:
        """Each tool with its “Choose it if” text: the comparison's own, else the tool's."""
        own = self.comparison.choose_if if self.comparison else {}
        return [(tool, own.get(tool.pk) or tool.choose_if) for tool in self.tools]

    @cached_property
    def decision(self) -> Decision:
        """The decision table."""
        sheet = FactSheet(self.tools, self.attributes, self.now)
        return decision(self.columns, sheet, only_differing=self.rows == "differing")

    @property
    def repeats_names(self) -> bool:
        """Whether there are so many tools that a printed page repeats their names in each cell."""
        return len(self.columns) > 4

    @cached_property
    def repeated_names(self) -> list[str]:
        """The tools' names, if cells repeat them."""
        return [tool.name for tool in self.tools] if self.repeats_names else []

    @property
    def releases(self) -> list[tuple[Family, list[FullTool]]]:
        """The families with at least two of the tools, and those tools; an empty list of tools if
        it would contain all.
        """
        families = {tool.family.pk: tool.family for tool in self.tools if tool.family}
        found = []
        for family in families.values():
            tools = [tool for tool in self.tools if tool.family is family]
            if len(tools) > 1:
                found.append((family, tools if len(tools) < len(self.tools) else []))
        return found

    @cached_property
    def scorecard(self) -> list[ScoreRow]:
        """A row for each reviewer with a take on any of the tools, in panel order."""
        takes = [take for tool in self.tools for take in tool.takes]
        reviewers = {take.reviewer.pk: take.reviewer for take in takes}
        by_place = {(take.reviewer.pk, take.tool_id): take for take in takes}
        return [
            ScoreRow(
                reviewer,
                [ScoreCell(tool, by_place.get((reviewer.pk, tool.pk))) for tool in self.tools],
            )
            for reviewer in sorted(reviewers.values(), key=lambda row: row.panel_order)
        ]

    @cached_property
    def indexable(self) -> bool:
        """Whether search engines may list the page: an editor's, or a pair that readers read with a
        take on each side.
        """
        if self.comparison:
            return self.comparison.is_indexable
        return self.is_read and all(column.takes for column in self.columns)

    @cached_property
    def titles(self) -> list[str]:
        """Each tool's title, in order."""
        return [tool.title for tool in self.tools]

    @cached_property
    def title(self) -> str:
        """The title with whole names: of two or three tools with the page's question, if it fits;
        of more, as many names as fit, at least two, and the number of the others.
        """
        sizes = list(accumulate(len(title) for title in self.titles))
        if len(sizes) <= MAX_IN_QUESTION:
            question = ": Which AI Tool Should You Ship?" if sizes[-1] <= MAX_TITLE_NAMES else ""
            return " vs ".join(self.titles) + question
        shown = max(2, sum(size <= MAX_TITLE_NAMES for size in sizes))
        more = f" and {len(sizes) - shown} more" if shown < len(sizes) else ""
        return " vs ".join(self.titles[:shown]) + more

    @cached_property
    def answer(self) -> str:
        """The answer to the page's question, from the takes; plain text."""
        return answer(self._contenders)

    @cached_property
    def firmness(self) -> Firmness | None:
        """How firm the answer is; None under a reader's own weights, or if that is not said."""
        if any(column.weights for column in self.columns):
            return None
        return firmness(self._contenders, self.reviewers)

    @property
    def trial_address(self) -> str:
        """The page with the weights that change the answer; empty if none do."""
        trial = self.firmness.trial if self.firmness else None
        if trial is None:
            return ""
        return with_parameters(self.address, [weight_parameter(trial.reviewer.slug, trial.weight)])

    @property
    def our_answer(self) -> str:
        """The answer without a reader's own weights."""
        return answer([replace(row, weights={}) for row in self._contenders])

    @property
    def judged_by(self) -> str:
        """The numbers of reviewers who judged the tools, in words; empty without takes."""
        return judged_by(self._contenders)

    @property
    def agreement(self) -> str:
        """Text on whether panel and community agree; empty if that is not known."""
        return agreement(self._contenders, [column.tally for column in self.columns])

    @property
    def judged_at(self) -> datetime | None:
        """When the newest take on any of the tools was published."""
        return max(filter(None, (column.judged_at for column in self.columns)), default=None)

    @property
    def dates(self) -> PageDates | None:
        """The dates of the page, as the sitemap has them: published by an editor, or as soon as all
        tools were. None in a preview.
        """
        dates = [tool.dates for tool in self.tools if tool.dates]
        if len(dates) < len(self.tools):
            return None
        published_at = self.comparison.published_at if self.comparison else None
        published_at = published_at or max(filter(None, (each.published_at for each in dates)))
        changes = filter(None, (each.changed_at for each in dates))
        return PageDates(published_at, max([published_at, *changes]))

    @cached_property
    def _contenders(self) -> list[Contender]:
        return contenders(self.columns)

    @property
    def personas(self) -> str:
        """Who the reviewers are, and what their takes rest on."""
        return personas_of(take for tool in self.tools for take in tool.takes)

    @property
    def relations(self) -> str:
        """The site’s commercial relations with the makers."""
        return relations_in_words([(tool.title, tool.relation) for tool in self.tools])

    @cached_property
    def strip(self) -> ScoreStrip:
        """The scores of all tools on one scale."""
        return score_strip([(row.tool.title, row.counted, row.panel) for row in self.columns])

    @property
    def address(self) -> str:
        """The page's own path."""
        return address([tool.slug for tool in self.tools])

    @property
    def addition(self) -> str:
        """The picker with these tools and an empty field; empty where no more fit."""
        if len(self.tools) >= MAX_TOOLS:
            return ""
        return f"{picker_address([tool.slug for tool in self.tools])}&act=add"

    @cached_property
    def column_heads(self) -> list[tuple[Column, str, str]]:
        """Each column with the address of the picker filled with the other tools, and that of the
        page of the others, which is empty if only one remains.
        """
        slugs = [tool.slug for tool in self.tools]
        heads = []
        for at, column in enumerate(self.columns):
            change = f"{picker_address([*slugs[:at], '', *slugs[at + 1 :]])}&act=change"
            others = sorted({*slugs} - {column.tool.slug})
            heads.append((column, change, address(others) if len(others) > 1 else ""))
        return heads


def not_judged_by(reviewers: Sequence[tuple[int, str]], columns: Sequence[JudgedTool[Tool]]) -> str:
    """Which of the reviewers that a reader raised have no take on some of these tools."""
    return not_judged(contenders(columns), reviewers) if reviewers else ""


def contenders(columns: Sequence[JudgedTool[Tool]]) -> list[Contender]:
    """What the answer needs of these tools."""
    return [
        Contender(
            bidi_isolated(column.tool.title),
            column.takes,
            column.weights,
            is_discontinued=column.tool.is_discontinued,
            discontinued_on=column.tool.status_on,
        )
        for column in columns
    ]
