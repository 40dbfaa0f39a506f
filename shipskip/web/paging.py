"""Pagination by limit + 1: one extra row shows whether there is a next page, without a count."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import Model, QuerySet

T = TypeVar("T")
M = TypeVar("M", bound=Model)

Chosen = dict[str, Any]
"""The values of a filter form by the names of its fields."""

PAGE_SIZE = 24
LAST_PAGE = 10_000


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of rows: a list, its number from 1, and whether another follows."""

    rows: Sequence[T]
    number: int = 1
    has_next: bool = False

    @property
    def previous_number(self) -> int | None:
        """The number of the page before, or None on the first."""
        return self.number - 1 if self.number > 1 else None

    @property
    def next_number(self) -> int | None:
        """The number of the page after, or None on the last."""
        return self.number + 1 if self.has_next else None


def page_of(queryset: QuerySet[M], number: int, size: int = PAGE_SIZE) -> Page[M]:
    """Page `number` (from 1) of an ordered queryset, in one query and without a count."""
    start = (number - 1) * size
    rows = list(queryset[start : start + size + 1])
    return Page(rows[:size], number, has_next=len(rows) > size)


def page_or_first(
    queryset: QuerySet[M], chosen: Chosen, notices: list[str], size: int = PAGE_SIZE
) -> Page[M]:
    """The page with the number `chosen["page"]`, or the first page if that one has no rows.

    In that case `notices` gets a sentence, and `chosen["page"]` becomes 1.
    """
    page = page_of(queryset, chosen["page"], size)
    if not page.rows and page.number > 1:
        notices.append(f"There is no page {page.number}; this is the first.")
        chosen["page"] = 1
        page = page_of(queryset, 1, size)
    return page
