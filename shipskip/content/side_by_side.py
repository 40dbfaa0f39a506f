"""The page object of tools side by side: a list of tools, and rows with a cell for each.

It works for any number of tools; neither this module nor the template assumes two. All rows are
loaded beforehand; only `answered_pairs`, for lists, runs a query.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import zip_longest
from math import ceil

from comparisons.addresses import MAX_TOOLS, address, picker_address
from comparisons.answer import Contender, agreement, answer, judged_by
from comparisons.decision import Decision, decision
from comparisons.models import Comparison
from reviews.judged_tools import NO_WEIGHTS, JudgedTool, with_scores
from reviews.models import Reviewer, Take, TakeQuerySet
from reviews.score_strip import ScoreStrip, score_strip
from reviews.scoring import Verdict
from shipskip.web.text import bidi_isolated, share_out
from tools.fact_sheet import NOTHING_STATED, FactSheet
from tools.models import Family, Tool

LONGEST_TITLE = 70
"""Maximum length of a page's title, without the name of the site."""

MAX_CARDS_PER_ROW = 5
"""Maximum number of cards in a row."""

SHORTEST_NAME = 8
"""Minimum characters of each name in a title with more than two names."""


@dataclass(frozen=True)
class ScoreCell:
    """One reviewer's take on one tool; None where there is none."""

    tool: Tool
    take: Take | None


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

    def get_absolute_url(self) -> str:
        """The address of that page."""
        return address([tool.slug for tool in self.tools])


@dataclass(frozen=True)
class SideBySide:
    """All data of a comparison page.

    `columns` are the tools with their takes, in the page's order, `sheet` their facts,
    `comparison` the editor's comparison if there is one, `next_pairs` the suggestions. `rows`
    selects rows of the decision table: `differing` only those in which the tools differ, `all` all
    of them on a phone too.
    """

    columns: Sequence[JudgedTool]
    sheet: FactSheet = NOTHING_STATED
    comparison: Comparison | None = None
    next_pairs: Sequence[Pair] = ()
    rows: str = ""

    @cached_property
    def tools(self) -> list[Tool]:
        """The tools without their takes, in order."""
        return [column.tool for column in self.columns]

    @property
    def cards_per_row(self) -> int:
        """The number of cards in a row of a wide window: at most five, in rows of nearly equal
        length.
        """
        return ceil(len(self.columns) / ceil(len(self.columns) / MAX_CARDS_PER_ROW))

    @cached_property
    def choose_if_texts(self) -> list[tuple[Tool, str]]:
        """Each tool with its “Choose it if” text: the comparison's own, else the tool's."""
        own = self.comparison.choose_if if self.comparison else {}
        return [(tool, own.get(str(tool.pk)) or tool.choose_if) for tool in self.tools]

    @cached_property
    def decision(self) -> Decision:
        """The decision table."""
        return decision(self.columns, self.sheet, only_differing=self.rows == "differing")

    @property
    def repeated_names(self) -> list[str]:
        """The tools' names, if there are so many that a printed page repeats them in each cell."""
        return [tool.name for tool in self.tools] if len(self.tools) > 4 else []

    @property
    def releases(self) -> list[tuple[Family, list[Tool]]]:
        """The families with at least two of the tools, and those tools; an empty list of tools if
        it would contain all.
        """
        families = {tool.family_id: tool.family for tool in self.tools}
        found = []
        for family in filter(None, families.values()):
            tools = [tool for tool in self.tools if tool.family_id == family.pk]
            if len(tools) > 1:
                found.append((family, tools if len(tools) < len(self.tools) else []))
        return found

    @cached_property
    def scorecard(self) -> list[ScoreRow]:
        """A row for each reviewer with a take on any of the tools, in panel order."""
        takes = [take for column in self.columns for take in column.takes]
        reviewers = {take.reviewer_id: take.reviewer for take in takes}
        ordered = sorted(reviewers.values(), key=lambda row: (row.position, row.slug))
        by_place = {(take.reviewer_id, take.tool_id): take for take in takes}
        return [
            ScoreRow(
                reviewer,
                [ScoreCell(tool, by_place.get((reviewer.pk, tool.pk))) for tool in self.tools],
            )
            for reviewer in ordered
        ]

    @cached_property
    def indexable(self) -> bool:
        """Whether search engines may list the page: a pair with a take on each side, or more tools
        with an editor's text.
        """
        if len(self.columns) > 2:
            return bool(self.comparison and self.comparison.summary)
        return all(column.takes for column in self.columns)

    @cached_property
    def titles(self) -> list[str]:
        """Each tool's title, in order."""
        return [tool.title for tool in self.tools]

    @cached_property
    def title(self) -> str:
        """The title in at most 70 characters: long names are shortened equally; if there are too
        many names, the last ones are replaced by their number.
        """
        question = ": Which AI Tool Should You Ship?"
        for shown in range(len(self.tools), 1, -1):
            more = f" and {len(self.tools) - shown} more" if shown < len(self.tools) else ""
            room = LONGEST_TITLE - len(question) - len(more) - len(" vs ") * (shown - 1)
            lengths = [len(title) for title in self.titles[:shown]]
            limit = share_out(lengths, room)
            if limit >= min(SHORTEST_NAME, max(lengths)) or shown == 2:
                break
        names = [tool.title_within(limit) for tool in self.tools[:shown]]
        return " vs ".join(names) + more + question

    @cached_property
    def answer(self) -> str:
        """The answer to the page's question, from the takes; plain text."""
        return answer(self._contenders)

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

    @cached_property
    def _contenders(self) -> list[Contender]:
        names = [bidi_isolated(title) for title in self.titles]
        columns = zip(names, self.columns, strict=True)
        return [Contender(name, column.takes, column.weights) for name, column in columns]

    @cached_property
    def strip(self) -> ScoreStrip:
        """The scores of all tools on one scale."""
        return score_strip([(column.tool.title, column.counted) for column in self.columns])

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
    def column_heads(self) -> list[tuple[JudgedTool, str, str]]:
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


def answered_pairs(
    rows: Sequence[Comparison | Pair],
    takes: TakeQuerySet,
    weights: Mapping[int, int] = NO_WEIGHTS,
) -> list[Pair]:
    """Pairs with the tools of each row, the answer and the verdicts, from those of `takes` on them
    and a reader's own weights; one query.
    """
    tools = {tool.pk: tool for row in rows for tool in row.tools}
    return answered_by(rows, with_scores(list(tools.values()), takes, weights))


def answered_by(rows: Sequence[Comparison | Pair], columns: Sequence[JudgedTool]) -> list[Pair]:
    """The same for tools whose takes are loaded: `columns` include all of them. No queries."""
    judged = {column.tool.pk: column for column in columns}
    pages = [SideBySide([judged[tool.pk] for tool in row.tools]) for row in rows]
    return [
        Pair(page.tools, page.answer, [column.panel.verdict for column in page.columns])
        for page in pages
    ]
