"""The page object of tools side by side: a list of tools, and rows with a cell for each.

It holds two tools today and any number tomorrow: nothing here or in the template counts them.
Everything is loaded before it is made; it asks the database nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from comparisons.addresses import address
from comparisons.answer import Contender, answer
from comparisons.models import Comparison
from reviews.models import Reviewer, Take, ToolTally
from reviews.scoring import Panel, Tally, panel_of
from shipskip.web.text import isolated
from tools.models import Tool


@dataclass(frozen=True)
class Column:
    """One tool on the page: the tool, what the panel says of it, what the community says."""

    tool: Tool
    panel: Panel
    tally: Tally


@dataclass(frozen=True)
class ScoreRow:
    """One reviewer's takes on the tools, in the tools' order; None where there is no take."""

    reviewer: Reviewer
    takes: Sequence[Take | None]


@dataclass(frozen=True)
class Pair:
    """Tools that stand side by side on a page to read next, in order."""

    tools: Sequence[Tool]

    def get_absolute_url(self) -> str:
        """The address of that page."""
        return address([tool.slug for tool in self.tools])


@dataclass(frozen=True)
class SideBySide:
    """All that a comparison page shows.

    `tools` in the page's order, `takes` the public takes on them with their reviewers,
    `comparison` the editor's own where there is one, `related` other public comparisons that
    hold one of the tools, `neighbours` tools a reader may weigh against these.
    """

    tools: Sequence[Tool]
    takes: Sequence[Take]
    comparison: Comparison | None = None
    related: Sequence[Comparison] = ()
    neighbours: Sequence[Tool] = ()

    @cached_property
    def columns(self) -> list[Column]:
        """A column for each tool."""
        return [
            Column(
                tool,
                panel_of(take for take in self.takes if take.tool_id == tool.pk),
                ToolTally.of(tool),
            )
            for tool in self.tools
        ]

    @cached_property
    def scorecard(self) -> list[ScoreRow]:
        """A row for each reviewer with a take on any of the tools, in panel order."""
        reviewers = {take.reviewer_id: take.reviewer for take in self.takes}
        ordered = sorted(reviewers.values(), key=lambda row: (row.position, row.slug))
        by_place = {(take.reviewer_id, take.tool_id): take for take in self.takes}
        return [
            ScoreRow(reviewer, [by_place.get((reviewer.pk, tool.pk)) for tool in self.tools])
            for reviewer in ordered
        ]

    @cached_property
    def heading(self) -> str:
        """The names as written, told apart by tagline where two bear one name."""
        return " vs ".join(self.titles)

    @cached_property
    def titles(self) -> list[str]:
        """Each tool's title, in order."""
        return [tool.title for tool in self.tools]

    @cached_property
    def namesakes(self) -> bool:
        """Whether two of the tools on this page bear one name."""
        names = {tool.name.casefold() for tool in self.tools}
        return len(names) < len(self.tools)

    @cached_property
    def answer(self) -> str:
        """One sentence that answers the page's question from the data; plain text."""
        names = [isolated(name) for name in self._short_names]
        columns = zip(names, self.columns, strict=True)
        return answer([Contender(name, column.panel) for name, column in columns])

    @cached_property
    def _short_names(self) -> list[str]:
        """The names, with the first clause of the taglines where two bear one name."""
        names = [tool.name for tool in self.tools]
        if not self.namesakes:
            return names
        clauses = [re.split(r"[:;,.–]", tool.tagline)[0].strip() for tool in self.tools]
        short = [f"{name} ({clause})" for name, clause in zip(names, clauses, strict=True)]
        return short if all(clauses) and len(set(short)) == len(short) else self.titles

    @property
    def address(self) -> str:
        """The page's own path."""
        return address([tool.slug for tool in self.tools])

    @cached_property
    def next_pairs(self) -> list[Pair]:
        """At most six other pairs: editors' comparisons first, then each tool with a neighbour."""
        pairs = {frozenset(tool.pk for tool in row.tools): Pair(row.tools) for row in self.related}
        for other, tool in product(self.neighbours, self.tools):
            both = sorted([tool, other], key=lambda row: row.slug)
            pairs.setdefault(frozenset({tool.pk, other.pk}), Pair(both))
        pairs.pop(frozenset(tool.pk for tool in self.tools), None)
        return list(pairs.values())[:6]
