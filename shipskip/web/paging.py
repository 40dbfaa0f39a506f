"""Pagination by limit + 1: one extra row shows whether there is a next page, without a count."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from django.db.models import Model, QuerySet

M = TypeVar("M", bound=Model)
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Rows(Protocol[T_co]):
    """A queryset, or other rows of which a part can be taken."""

    def __getitem__(self, part: slice, /) -> Iterable[T_co]:
        """The rows from one place to another."""


def in_order(rows: QuerySet[M], keys: Sequence[int]) -> list[M]:
    """Those of `rows` with these primary keys, in the order of the keys; one query."""
    found = rows.in_bulk(keys)
    return [found[key] for key in keys if key in found]


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
    last_number: int | None = None
    """The number of the last page; None where the rows were not counted."""

    @property
    def previous_number(self) -> int | None:
        """The number of the page before, or None on the first."""
        return self.number - 1 if self.number > 1 else None

    @property
    def next_number(self) -> int | None:
        """The number of the page after, or None on the last."""
        return self.number + 1 if self.has_next else None


def page_of(ordered: Rows[T], number: int, size: int = PAGE_SIZE) -> Page[T]:
    """Page `number` (from 1) of an ordered queryset, in one query and without a count."""
    start = (number - 1) * size
    rows = list(ordered[start : start + size + 1])
    return Page(rows[:size], number, has_next=len(rows) > size)


def page_or_first(
    ordered: Rows[T],
    chosen: Chosen,
    notices: list[str],
    size: int = PAGE_SIZE,
    total: int | None = None,
) -> Page[T]:
    """Return the page with the number `chosen["page"]`, or the first page if that one has no rows.

    In the second case a sentence is added to `notices`, and `chosen["page"]` becomes 1. `total` is
    the number of all rows where it is known.
    """
    page = page_of(ordered, chosen["page"], size)
    last = None if total is None else max(1, -(-total // size))
    if not page.rows and page.number > 1:
        known = "" if last is None else f": the last is {last}"
        notices.append(f"There is no page {page.number}{known}; this is the first.")
        chosen["page"] = 1
        page = page_of(ordered, 1, size)
    return replace(page, last_number=last)
