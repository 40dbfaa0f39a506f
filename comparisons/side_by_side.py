"""The page object of tools side by side: a list of tools, and rows with a cell for each.

It works for any number of tools; neither this module nor the template assumes two. All rows are
loaded beforehand; it makes no queries.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from comparisons.addresses import MAX_TOOLS, address, picker_address
from comparisons.answer import Contender, answer
from comparisons.models import Comparison
from comparisons.titles import page_title
from reviews.judged_tools import JudgedTool
from reviews.models import Reviewer, Take
from reviews.score_strip import ScoreStrip, score_strip
from shipskip.web.text import bidi_isolated
from tools.models import Tool


@dataclass(frozen=True)
class Cell:
    """One reviewer's take on one tool; None where there is none."""

    title: str
    take: Take | None


@dataclass(frozen=True)
class ScoreRow:
    """One reviewer's takes, a cell for each tool in order."""

    reviewer: Reviewer
    cells: Sequence[Cell]


@dataclass(frozen=True)
class FactRow:
    """One row of the decision table: a cell for each tool in order, and how to show them."""

    label: str
    kind: str
    """`verdict`, `score`, `tally`, `category` or `text`."""
    cells: Sequence[object]
    compared: Sequence[object]
    """What decides whether the cells differ, one for each."""

    @property
    def differs(self) -> bool:
        """Whether the tools differ in it."""
        return any(value != self.compared[0] for value in self.compared)


@dataclass(frozen=True)
class Pair:
    """The tools of another side-by-side page, in order."""

    tools: Sequence[Tool]

    def get_absolute_url(self) -> str:
        """The address of that page."""
        return address([tool.slug for tool in self.tools])


@dataclass(frozen=True)
class SideBySide:
    """All that a comparison page shows.

    `columns` are the tools with their takes, in the page's order, `comparison` the editor's own
    where there is one, `related` other public comparisons of one of the tools,
    `neighbours` other tools to compare with these. `only_differing` leaves out the rows of the
    decision table in which the tools do not differ.
    """

    columns: Sequence[JudgedTool]
    comparison: Comparison | None = None
    related: Sequence[Comparison] = ()
    neighbours: Sequence[Tool] = ()
    only_differing: bool = False

    @cached_property
    def tools(self) -> list[Tool]:
        """The tools alone, in order."""
        return [column.tool for column in self.columns]

    @cached_property
    def facts(self) -> list[FactRow]:
        """The rows of the decision table: those that differ first, each group in its order."""
        panels = [column.panel for column in self.columns]
        verdicts = [(panel.verdict, panel.ship, panel.skip) for panel in panels]
        rows = [
            FactRow("Panel verdict", "verdict", self.columns, verdicts),
            FactRow("Panel score", "score", self.columns, [panel.score for panel in panels]),
            FactRow("Community", "tally", self.columns, [column.tally for column in self.columns]),
            self._texts("Entry price", [tool.get_entry_display() for tool in self.tools]),
            self._texts("Pricing", [tool.pricing or "Not stated" for tool in self.tools]),
            self._texts("Best for", [tool.best_for or tool.tagline or "—" for tool in self.tools]),
            self._texts("Licence", [tool.license or "Not stated" for tool in self.tools]),
            FactRow("Category", "category", self.columns, [tool.category for tool in self.tools]),
        ]
        shown = [row for row in rows if row.differs or not self.only_differing]
        return sorted(shown, key=lambda row: not row.differs)

    @staticmethod
    def _texts(label: str, texts: Sequence[str]) -> FactRow:
        return FactRow(label, "text", texts, texts)

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
                [Cell(tool.title, by_place.get((reviewer.pk, tool.pk))) for tool in self.tools],
            )
            for reviewer in ordered
        ]

    @cached_property
    def page_title(self) -> str:
        """The titles and the question, as far as they fit a list of search results."""
        tools = self.tools
        return page_title([tool.name for tool in tools], [tool.distinction for tool in tools])

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
    def answer(self) -> str:
        """One sentence that answers the page's question from the data; plain text."""
        names = [bidi_isolated(title) for title in self.titles]
        columns = zip(names, self.columns, strict=True)
        return answer([Contender(name, column.panel) for name, column in columns])

    @cached_property
    def strip(self) -> ScoreStrip:
        """The scores of all tools on one scale."""
        return score_strip([(column.tool.title, column.takes) for column in self.columns])

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
    def next_pairs(self) -> list[Pair]:
        """At most six other pairs: editors' comparisons first, then each tool with a neighbour."""
        pairs = {frozenset(tool.pk for tool in row.tools): Pair(row.tools) for row in self.related}
        for other, tool in product(self.neighbours, self.tools):
            both = sorted([tool, other], key=lambda row: row.slug)
            pairs.setdefault(frozenset({tool.pk, other.pk}), Pair(both))
        pairs.pop(frozenset(tool.pk for tool in self.tools), None)
        return list(pairs.values())[:6]
