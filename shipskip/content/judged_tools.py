"""Tools with their takes, panel and tally."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Self

from django.db.models import F, QuerySet
from django.db.models.functions import Lower

from reviews.models import Take, TakeQuerySet, ToolTally
from reviews.score_strip import ScoreStrip, StripLine, score_strip, small_line
from reviews.scoring import Panel, Tally, panel_of, percent, weighted_panel
from tools.models import LINK_FIELDS, Tool, ToolQuerySet

MAX_NEAR_TOOLS = 60
"""How many tools of a category are searched for those with similar scores."""


class JudgedToolQuerySet(ToolQuerySet):
    """Tools, also sorted by their takes."""

    def with_panel_mean(self) -> Self:
        """With `panel_mean`: the mean of the scores, not rounded; None without takes."""
        return self.annotate(panel_mean=F("figures__mean"))

    def to_suggest(self, keys: Collection[int], near: Tool | None, now: datetime) -> Self:
        """Links to public tools, newest first, with `panel_mean`: those with these primary keys,
        and the MAX_NEAR_TOOLS newest of the category of `near`.

        Only the newest of one category, so that an index is used, however many tools there are.
        """
        rows = self.published(now)
        wanted = Tool.objects.filter(pk__in=keys).order_by().values("pk")
        if near:
            newest = rows.filter(category=near.category_id).newest().values("pk")[:MAX_NEAR_TOOLS]
            wanted = wanted.union(Tool.objects.filter(pk__in=newest).order_by().values("pk"))
        found = rows.filter(pk__in=wanted).with_panel_mean()
        return found.newest().only(*LINK_FIELDS, "category")

    def ranked(self) -> Self:
        """Best panel score first; tools without takes last, then by name."""
        return self._highest("figures__mean")

    def by_verdict_date(self) -> Self:
        """The tool with the newest public take first; tools without takes last, then by name."""
        return self._highest("figures__judged_at")

    def _highest(self, column: str) -> Self:
        return self.order_by(F(column).desc(nulls_last=True), Lower("name"), "slug")

    def filter_values(self) -> "QuerySet[Tool, tuple[int, int, str, str]]":
        """Primary key, category, entry price and panel verdict of each tool."""
        rows = self.order_by("pk")
        return rows.values_list("pk", "category", "entry", "figures__verdict")

    def panel_shares(self) -> dict[int, int]:
        """The panel's share of each tool with takes, by its primary key; one query."""
        judged = self.order_by().filter(figures__mean__isnull=False)
        rows = judged.values_list("pk", "figures__ship", "figures__skip")
        return {pk: percent(ship, ship + skip) for pk, ship, skip in rows}

    def with_tally(self) -> Self:
        """With the community's tally, by a join."""
        return self.select_related("tally_row")


def judged_tools() -> JudgedToolQuerySet:
    """All tools except deleted ones."""
    return JudgedToolQuerySet(Tool).existing()


@dataclass(frozen=True)
class JudgedTool:
    """A tool and the takes on it, in panel order.

    `weights` are a reader's own, from 0 to 3 by the reviewer's primary key; the default is 1. All
    attributes except `takes` and `our_panel` depend on them.
    """

    tool: Tool
    takes: Sequence[Take]
    weights: Mapping[int, int] = field(default_factory=dict)

    def weight(self, reviewer: int) -> int:
        """The weight of a reviewer, by primary key."""
        return self.weights.get(reviewer, 1)

    @cached_property
    def counted(self) -> Sequence[Take]:
        """The takes of the reviewers whose weight is above 0."""
        return [take for take in self.takes if self.weight(take.reviewer_id)]

    @cached_property
    def panel(self) -> Panel:
        """The panel: all takes, counted by weight."""
        return weighted_panel((take, self.weight(take.reviewer_id)) for take in self.takes)

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
        return score_strip([(self.tool.title, self.counted)])

    @cached_property
    def small_line(self) -> StripLine:
        """The scores on the small line of a list."""
        return small_line(self.counted)

    @cached_property
    def tally(self) -> Tally:
        """The community's tally, for a tool that was loaded `with_tally`."""
        return ToolTally.of(self.tool)


NO_WEIGHTS: Mapping[int, int] = {}


def with_takes(
    tools: Sequence[Tool], takes: TakeQuerySet, weights: Mapping[int, int] = NO_WEIGHTS
) -> list[JudgedTool]:
    """Each of `tools`, in order, with those of `takes` that are on it, and a reader's own weights;
    one query.
    """
    return _judged(tools, takes.for_panels(tools), weights)


def with_scores(
    tools: Sequence[Tool], takes: TakeQuerySet, weights: Mapping[int, int] = NO_WEIGHTS
) -> list[JudgedTool]:
    """The same without the takes' texts and reviewers, which verdicts and answers do not need."""
    return _judged(tools, takes.scores_of(tools), weights)


def _judged(
    tools: Sequence[Tool], takes: TakeQuerySet, weights: Mapping[int, int]
) -> list[JudgedTool]:
    found: dict[int, list[Take]] = {tool.pk: [] for tool in tools}
    for take in takes:
        found[take.tool_id].append(take)
    return [JudgedTool(tool, found[tool.pk], weights) for tool in tools]
