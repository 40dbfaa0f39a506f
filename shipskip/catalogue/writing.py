"""Rows of a valid document brought into the database, some hundred at a time.

Rows that exist are compared and only what differs is written, so that nothing an editor changes
meanwhile is put back. The caller gives the transaction.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from itertools import chain
from typing import Any

from django.db import models
from django.db.models import Q

from comparisons.models import Comparison
from reviews.models import Reviewer, Take
from shipskip.catalogue.shapes import Row
from tools.models import Category, Tool

BATCH = 500
BATCH_CHARACTERS = 3_000_000
BATCH_TAKES = 4_000

Reading = Callable[[str], Iterator[Row]]
"""Gives the rows of one section of the document, each time from its beginning."""


class ConflictError(Exception):
    """The site changed under the load, so that it could not be finished; nothing was written."""


@dataclass
class Count:
    """What became of the rows of one kind."""

    created: int = 0
    changed: int = 0
    left_alone: int = 0


@dataclass
class Report:
    """What a load did, kind by kind."""

    categories: Count = field(default_factory=Count)
    reviewers: Count = field(default_factory=Count)
    tools: Count = field(default_factory=Count)
    takes: Count = field(default_factory=Count)
    comparisons: Count = field(default_factory=Count)

    def counts(self) -> dict[str, Count]:
        """The counts by what they count."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def changed_anything(self) -> bool:
        """Whether any row was created or changed."""
        return any(count.created or count.changed for count in self.counts().values())


def write(rows_of: Reading) -> Report:
    """Create and change rows until the database says what the document says.

    Raises IntegrityError or ConflictError when somebody else changed the site meanwhile.
    """
    report = Report()
    for batch in _batches(rows_of("categories")):
        _write_by_slug(Category, batch, report.categories)
    for batch in _batches(rows_of("reviewers")):
        _write_by_slug(Reviewer, batch, report.reviewers)
    categories = dict(Category.objects.order_by().values_list("slug", "pk"))
    reviewers = dict(Reviewer.objects.order_by().values_list("slug", "pk"))
    for batch in _batches(rows_of("tools")):
        _write_tools(batch, categories, reviewers, report)
    for batch in _batches(rows_of("comparisons")):
        _write_comparisons(batch, report.comparisons)
    return report


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Lists of at most BATCH rows, fewer where they are long."""
    batch: list[Row] = []
    characters = takes = 0
    for row in rows:
        batch.append(row)
        own = row.get("takes") or []
        takes += len(own)
        characters += sum(map(_characters, chain([row], own)))
        if len(batch) == BATCH or characters > BATCH_CHARACTERS or takes > BATCH_TAKES:
            yield batch
            batch, characters, takes = [], 0, 0
    if batch:
        yield batch


def _characters(row: Row) -> int:
    return sum(len(value) for value in row.values() if isinstance(value, str))


def _write_tools(
    batch: list[Row], categories: Mapping[str, int], reviewers: Mapping[str, int], report: Report
) -> None:
    takes = [(row["slug"], take) for row in batch for take in row.pop("takes", None) or ()]
    for row in batch:
        row["category_id"] = _pk(categories, row.pop("category"), "category")
    tools = _write_by_slug(Tool, batch, report.tools)
    wanted: dict[Any, Row] = {}
    for slug, take in takes:
        reviewer = _pk(reviewers, take.pop("reviewer"), "reviewer")
        key = (tools[slug], reviewer)
        wanted[key] = take | {"tool_id": key[0], "reviewer_id": reviewer}
    stored = Take.objects.filter(
        tool__in=list(tools.values()), reviewer__in={reviewer for _, reviewer in wanted}
    )
    _merge(
        Take, wanted, stored.order_by(), lambda take: (take.tool_id, take.reviewer_id), report.takes
    )


def _write_comparisons(batch: list[Row], count: Count) -> None:
    slugs = {slug for row in batch for slug in row["tools"]}
    tools = dict(Tool.objects.filter(slug__in=slugs).order_by().values_list("slug", "pk"))
    wanted: dict[Any, Row] = {}
    for row in batch:
        first, second = (_pk(tools, slug, "tool") for slug in row.pop("tools"))
        wanted[frozenset((first, second))] = row | {"first_id": first, "second_id": second}
    pks = list(tools.values())
    stored = Comparison.objects.filter(Q(first__in=pks) & Q(second__in=pks))
    _merge(Comparison, wanted, stored.order_by(), _pair, count)


def _pair(comparison: Comparison) -> frozenset[int]:
    return frozenset((comparison.first_id, comparison.second_id))


def _pk(pks: Mapping[str, int], slug: str, noun: str) -> int:
    if slug not in pks:
        raise ConflictError(f"the {noun} “{slug}” was taken away while the file was being loaded")
    return pks[slug]


def _write_by_slug(model: type[models.Model], batch: list[Row], count: Count) -> dict[str, int]:
    """Merge rows that have slugs of their own; returns their primary keys by slug."""
    wanted = {row["slug"]: row for row in batch}
    stored = model._default_manager.filter(slug__in=list(wanted)).order_by()
    return _merge(model, wanted, stored, lambda row: row.slug, count)


def _merge(
    model: type[models.Model],
    wanted: dict[Any, Row],
    stored: "models.QuerySet[Any]",
    key_of: Callable[[Any], Any],
    count: Count,
) -> dict[Any, int]:
    """Make the table say what `wanted` says, by key; returns the primary keys.

    One query to read, as many as there are fields to change, the rest to create.
    """
    pks: dict[Any, int] = {}
    changes: dict[tuple[str, ...], list[models.Model]] = {}
    for old in stored.iterator(chunk_size=BATCH):
        key = key_of(old)
        if key not in wanted:
            continue
        row = wanted.pop(key)
        pks[key] = old.pk
        differing = [name for name, value in row.items() if getattr(old, name) != value]
        count.changed += bool(differing)
        count.left_alone += not differing
        for together in {_TOGETHER.get(name, (name,)) for name in differing}:
            changed = model(pk=old.pk, **{name: row[name] for name in together})
            changes.setdefault(together, []).append(changed)
    for names, rows in sorted(changes.items()):
        model._default_manager.bulk_update(rows, names)
    made = model._default_manager.bulk_create(model(**row) for row in wanted.values())
    count.created += len(made)
    return pks | {key: row.pk for key, row in zip(wanted, made, strict=True)}


# A comparison's tools change places in one statement: halfway it would hold one of them twice.
_TOGETHER = dict.fromkeys(("first_id", "second_id"), ("first_id", "second_id"))
