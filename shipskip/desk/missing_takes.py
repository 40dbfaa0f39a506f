"""Takes of the panel that are missing on public tools."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from reviews.models import Reviewer, Take
from tools.models import Tool


@dataclass(frozen=True)
class MissingTakes:
    """Numbers of takes missing on public tools: by reviewer of the panel, and in total."""

    by_reviewer: Sequence[tuple[Reviewer, int]]

    @property
    def total(self) -> int:
        """The total of all reviewers."""
        return sum(number for _, number in self.by_reviewer)


def panel_at(reviewers: Sequence[Reviewer], now: datetime) -> list[Reviewer]:
    """The reviewers who are on the panel at `now`; only their takes can be missing."""
    return [row for row in reviewers if row.state(now) == "public"]


def count_missing_takes(panel: Sequence[Reviewer], now: datetime) -> MissingTakes:
    """Count the takes missing at `now`; two queries. A draft counts as written."""
    tools = Tool.objects.published(now).count()
    written = Take.objects.on_public_tools(now).numbers_by_reviewer()
    return MissingTakes([(row, tools - written.get(row.pk, 0)) for row in panel])
