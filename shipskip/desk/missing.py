"""Takes that the panel has not written on tools which readers can see."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from reviews.models import Reviewer, Take
from tools.models import Tool


@dataclass(frozen=True)
class Missing:
    """How many takes are missing on public tools: of each reviewer of the panel, and in all."""

    by_reviewer: Sequence[tuple[Reviewer, int]]

    @property
    def total(self) -> int:
        """In all."""
        return sum(number for _, number in self.by_reviewer)


def panel_at(reviewers: Sequence[Reviewer], now: datetime) -> list[Reviewer]:
    """Those who are on the panel at `now`: what another has not written yet, nobody misses."""
    return [row for row in reviewers if row.state(now) == "public"]


def count_missing(panel: Sequence[Reviewer], now: datetime) -> Missing:
    """The takes missing at `now`; two queries. A draft is not missing: it waits."""
    tools = Tool.objects.published(now).count()
    written = Take.objects.on_public_tools(now).totals_by_reviewer()
    return Missing([(row, tools - written.get(row.pk, {}).get("total", 0)) for row in panel])
