"""Tools with the panel's verdict on them, under our weights or a reader's own, and their tally."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypeVar

from django.utils.functional import cached_property

from reviews.models import ToolTally
from reviews.score_strip import ScoreStrip, StripLine, score_strip, small_line
from reviews.scoring import OUR_WEIGHTS, Panel, Tally, Weights, panel_of
from shipskip.content.records import FullTool, Take, Tool
from shipskip.web.text import as_sentence

T = TypeVar("T", bound=Tool, covariant=True)
NO_VOTES = Tally()


@dataclass(frozen=True)
class JudgedTool(Generic[T]):
    """A tool and the panel's verdict on it.

    `weights` are a reader's own; all attributes except `takes`, `tally` and `our_panel` depend on
    them.
    """

    tool: T
    weights: Weights = field(default_factory=dict)
    tally: Tally = NO_VOTES
    """The community's votes, for a page that shows them."""

    @property
    def takes(self) -> Sequence[Take]:
        """The takes in panel order; those of a tool in full have texts."""
        return self.tool.takes

    def weight(self, reviewer: int) -> int:
        """The weight of a reviewer, by primary key."""
        return self.weights.get(reviewer, 1)

    @cached_property
    def counted(self) -> Sequence[Take]:
        """The takes of the reviewers whose weight is above 0."""
        return [take for take in self.takes if self.weight(take.reviewer.pk)]

    @cached_property
    def panel(self) -> Panel:
        """The panel: all takes, counted by weight."""
        return panel_of(self.takes, self.weights)

    @cached_property
    def our_panel(self) -> Panel:
        """The panel without a reader's weights."""
        return panel_of(self.takes) if self.weights else self.panel

    @cached_property
    def judged_at(self) -> datetime | None:
        """When the newest take was published; None without takes."""
        return max(filter(None, (take.published_at for take in self.counted)), default=None)

    @cached_property
    def strip(self) -> ScoreStrip:
        """The scores on one line, with their reviewers."""
        return score_strip([(self.tool.title, self.counted, self.panel)])

    @cached_property
    def small_line(self) -> StripLine:
        """The scores on the small line of a list."""
        return small_line(self.counted)

    @property
    def description(self) -> str:
        """The tagline and what our panel says, for search engines."""
        panel = self.panel
        if not panel.total or panel.is_weighted:
            return self.tool.tagline
        words = f"{panel.ship} of {panel.total} reviewers ship it, mean score {panel.score} of 100."
        return f"{as_sentence(self.tool.tagline)} {words}".lstrip()

    @property
    def in_view(self) -> str:
        """The tool as a query, for the visitor's marks on its page."""
        return f"?tools={self.tool.slug}"


Column = JudgedTool[FullTool]
"""A tool in full, as a comparison shows it."""


def with_tallies(tools: Sequence[T], weights: Weights = OUR_WEIGHTS) -> list[JudgedTool[T]]:
    """Each tool in order, under these weights, with its tally; one query."""
    tallies = ToolTally.tallies([tool.pk for tool in tools]) if tools else {}
    return [JudgedTool(tool, weights, tallies.get(tool.pk, NO_VOTES)) for tool in tools]


def judged(tools: Sequence[T], weights: Weights = OUR_WEIGHTS) -> list[JudgedTool[T]]:
    """The same without tallies, for pages that show none."""
    return [JudgedTool(tool, weights) for tool in tools]
