"""What the home page shows of the content: a comparison in full, and each category's leader."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from shipskip.content.content import Content
from shipskip.content.judged_tools import JudgedTool, judged
from shipskip.content.records import Category, Comparison, FullTake, FullTool, Tool
from shipskip.content.side_by_side import SideBySide

_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class LiveComparison:
    """An editors' comparison with its answer and scores, and one reason from its newest take."""

    page: SideBySide
    quoted: tuple[FullTool, FullTake] | None
    """The tool and the take whose reason is quoted; None if no take has one."""


@dataclass(frozen=True)
class Leader:
    """A category with its best tool; None where the panel has judged none."""

    category: Category
    best: JudgedTool[Tool] | None


def live_comparison(content: Content) -> LiveComparison | None:
    """The first editors' comparison of two tools that the panel has judged; None without one."""
    for row in content.comparisons:
        if len(row.tools) == 2 and all(tool.takes for tool in row.tools):
            return _live(content, row)
    return None


def _live(content: Content, row: Comparison) -> LiveComparison:
    tools = content.full(row.tools)
    page = SideBySide(judged(tools), [], content.reviewers, content.now, row)
    reasons = [(tool, take) for tool in tools for take in tool.takes if take.because]
    newest = max(reasons, key=lambda each: each[1].published_at or _NEVER, default=None)
    return LiveComparison(page, newest)


def category_leaders(content: Content) -> Sequence[Leader]:
    """Each category with tools, in order, and the best of them."""
    return [
        Leader(row, JudgedTool(best) if (best := content.leaders.get(row.pk)) else None)
        for row in content.categories
        if content.by_category.get(row.pk)
    ]
