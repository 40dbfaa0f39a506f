"""What is deleted along with rows: counted by model, never loaded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import models
from django.db.models.options import Options

M = TypeVar("M", bound=models.Model)

MAX_NAMES = 20
"""How many rows of one kind are named; the others are counted."""


@dataclass(frozen=True)
class DependentCount:
    """How many rows of one model depend on rows that are to be deleted."""

    count: int
    one: str
    many: str
    needs_confirmation: bool = False

    def __str__(self) -> str:
        return f"{self.count:,} {self.one if self.count == 1 else self.many}"


def count_in_words(number: int, options: "Options[Any]") -> str:
    """A number of rows of a model, as in `2 tools`."""
    return str(DependentCount(number, str(options.verbose_name), str(options.verbose_name_plural)))


def count_dependents(rows: Sequence[models.Model], rule: object) -> Iterator[DependentCount]:
    """Count what refers to these rows of one model with `on_delete=rule` (`models.CASCADE`) and is
    not deleted; a query for each relation.
    """
    if not rows:
        return
    for relation in rows[0]._meta.get_fields(include_hidden=True):
        if isinstance(relation, models.ForeignObjectRel) and relation.on_delete is rule:
            model, options = relation.related_model, relation.related_model._meta
            found = model._default_manager.filter(**{f"{relation.field.name}__in": rows})
            if count := found.count():
                yield DependentCount(
                    count, str(options.verbose_name), str(options.verbose_name_plural)
                )


def names_by_count(rows: "models.QuerySet[M]", one: str, many: str) -> dict[str, list[str]]:
    """The first names of rows, by the count of all as in `3 comparisons`; empty without rows."""
    count = rows.count()
    if not count:
        return {}
    names = [str(row) for row in rows[:MAX_NAMES]]
    return {str(DependentCount(count, one, many)): _cut(names, count)}


def listed(names: Sequence[str], one: str, many: str) -> dict[str, list[str]]:
    """The first of these names by a phrase: `one` as it is, or the count and `many`."""
    phrase = one if len(names) == 1 else f"{len(names):,} {many}"
    return {phrase: _cut(names[:MAX_NAMES], len(names))}


def _cut(names: Sequence[str], count: int) -> list[str]:
    """The first names of `count`, and how many more there are."""
    return [*names, *([f"{count - MAX_NAMES:,} more"] if count > MAX_NAMES else [])]


def in_words(parts: list[str]) -> str:
    """A list as in `2 votes, 1 take and 3 bookmarks`."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
