"""Facts that are due on public tools: first those without a source or without a day, then
attributes without a fact, and facts checked long ago.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tools.models import Attribute, Category, Fact, Tool
from tools.models.facts import FactTotals


@dataclass(frozen=True)
class FactsDue:
    """The numbers of due facts in one category."""

    category: Category
    tools: int
    attributes: int
    without_source: int
    without_day: int
    missing: int
    old: int

    @property
    def total(self) -> int:
        """All that is due."""
        return self.without_source + self.without_day + self.missing + self.old

    @property
    def parts(self) -> list[tuple[str, str, int]]:
        """What is due, the most urgent first: the filter of the grid, a word, and a number."""
        parts = [
            ("no-source", "without a source", self.without_source),
            ("no-day", "without a day", self.without_day),
            ("missing", "missing", self.missing),
            ("old", "old", self.old),
        ]
        return [part for part in parts if part[-1]]


@dataclass(frozen=True)
class AllFactsDue:
    """The numbers of due facts in all categories."""

    categories: Sequence[FactsDue]

    @property
    def without_source(self) -> int:
        """Answers on public tools that have no source."""
        return sum(each.without_source for each in self.categories)

    @property
    def without_day(self) -> int:
        """Answers on public tools whose source has no day."""
        return sum(each.without_day for each in self.categories)

    @property
    def missing(self) -> int:
        """Questions without an answer on public tools."""
        return sum(each.missing for each in self.categories)

    @property
    def old(self) -> int:
        """Answers on public tools that were checked too long ago."""
        return sum(each.old for each in self.categories)

    @property
    def with_gaps(self) -> list[FactsDue]:
        """The categories in which something is due: those with most answers without a source or a
        day first, then those with most that is due.
        """
        due = [each for each in self.categories if each.total]
        return sorted(due, key=lambda each: (-each.without_source - each.without_day, -each.total))


def facts_due(now: datetime) -> AllFactsDue:
    """Count the facts that are due at `now`; four queries."""
    attributes = list(Attribute.objects.all())
    tools = Tool.objects.published(now).totals_by_category()
    facts = Fact.objects.on_public_tools(now).totals_by_category(now)
    found = []
    for row in Category.objects.all():
        asked = sum(each.is_asked_in(row.pk) for each in attributes)
        number = tools.get(row.pk, 0)
        totals = facts.get(row.pk, FactTotals())
        missing = max(0, asked * number - totals.all)
        due = totals.without_source, totals.without_day, missing, totals.old
        found.append(FactsDue(row, number, asked, *due))
    return AllFactsDue(found)
