"""Facts that are due on public tools: attributes without a fact, and facts checked long ago."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tools.models import Attribute, Category, Fact, Tool


@dataclass(frozen=True)
class FactsDue:
    """The numbers of due facts in one category."""

    category: Category
    tools: int
    attributes: int
    missing: int
    old: int


@dataclass(frozen=True)
class AllFactsDue:
    """The numbers of due facts in all categories."""

    categories: Sequence[FactsDue]

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
        """The categories in which something is due, most first."""
        due = [each for each in self.categories if each.missing or each.old]
        return sorted(due, key=lambda each: -(each.missing + each.old))


def facts_due(now: datetime) -> AllFactsDue:
    """Count the facts that are due at `now`; four queries."""
    attributes = list(Attribute.objects.all())
    tools = Tool.objects.published(now).totals_by_category()
    facts = Fact.objects.on_public_tools(now).totals_by_category(now)
    found = []
    for row in Category.objects.all():
        asked = sum(each.is_asked_in(row.pk) for each in attributes)
        number = tools.get(row.pk, 0)
        answered, old = facts.get(row.pk, (0, 0))
        found.append(FactsDue(row, number, asked, max(0, asked * number - answered), old))
    return AllFactsDue(found)
