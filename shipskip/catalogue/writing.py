"""Rows of a valid document brought into the database, some hundred at a time.

Rows that exist are compared and only what differs is written, so that nothing an editor changes
meanwhile is put back. Each row that is written has its page in the histories, and a changed score
that readers could see its entry on the public record. The caller gives the transaction.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from django.db.models import Q

from comparisons.models import Comparison
from reviews.models import Reviewer, Take
from shipskip.catalogue.changes import Count, Report, Signature
from shipskip.catalogue.checking import Rows
from shipskip.catalogue.faults import ConflictError
from shipskip.catalogue.featured_order import reorder
from shipskip.catalogue.merging import Batch, Merger
from shipskip.catalogue.reading import Progress
from shipskip.catalogue.schema import Row
from tools.models import Category, Tool

S = TypeVar("S", Category, Reviewer, Tool)

BATCH = 500
BATCH_TAKES = 2_000


@dataclass
class CatalogueReport(Report):
    """What a load did, kind by kind."""

    categories: Count = field(default_factory=Count)
    reviewers: Count = field(default_factory=Count)
    tools: Count = field(default_factory=Count)
    takes: Count = field(default_factory=Count)
    comparisons: Count = field(default_factory=Count)


def write(
    rows: Rows, signature: Signature, *, dry_run: bool = False, progress: Progress | None = None
) -> CatalogueReport:
    """Create and change rows until the database says what the document says.

    `rows` are taken apart. A dry run only reads.
    Raises IntegrityError or ConflictError when somebody else changed the site meanwhile.
    """
    report = CatalogueReport()
    merger = Merger(signature, report.journal, dry_run=dry_run)
    categories = dict(Category.objects.order_by().values_list("slug", "pk"))
    reviewers = dict(Reviewer.objects.order_by().values_list("slug", "pk"))
    for batch in _batches(rows, "categories", progress):
        categories |= _write_by_slug(merger, Category, batch, report.categories).pks
    for batch in _batches(rows, "reviewers", progress):
        reviewers |= _write_by_slug(merger, Reviewer, batch, report.reviewers).pks
    created: dict[str, int] = {}
    for batch in _batches(rows, "tools", progress):
        created |= _write_tools(merger, batch, categories, reviewers, report)
    pairs = _batches(rows, "comparisons", progress)
    _write_comparisons(merger, pairs, created, report.comparisons, dry_run=dry_run)
    return report


def _batches(rows: Rows, section: str, progress: Progress | None) -> Iterator[list[Row]]:
    """Lists of at most BATCH rows, fewer where they have many takes."""
    batch: list[Row] = []
    takes = 0
    for done, row in enumerate(rows[section], 1):
        batch.append(row)
        takes += len(row.get("takes", ()))
        if len(batch) == BATCH or takes >= BATCH_TAKES or done == len(rows[section]):
            if progress:
                progress(f"Writing {section}", done, len(rows[section]))
            yield batch
            batch, takes = [], 0


def _write_by_slug(
    merger: Merger,
    model: type[S],
    rows: list[Row],
    count: Count,
    slugs: Mapping[int, str] | None = None,
) -> Batch[S, str]:
    """Merge rows that have slugs of their own; `slugs` are those of the rows they refer to."""
    wanted = {row["slug"]: row for row in rows}
    stored = model._default_manager.filter(slug__in=list(wanted))
    kind = str(model._meta.verbose_name_plural)
    batch = Batch(kind, stored, wanted, lambda row: row.slug, str, count, slugs or {})
    merger.merge(batch)
    return batch


def _write_tools(
    merger: Merger,
    rows: list[Row],
    categories: Mapping[str, int],
    reviewers: Mapping[str, int],
    report: CatalogueReport,
) -> dict[str, int]:
    """Merge tools and their takes; returns the keys of new tools by their slugs."""
    takes = [(row["slug"], take) for row in rows for take in row.pop("takes", None) or ()]
    for row in rows:
        row["category_id"] = _pk(categories, row.pop("category"), "category")
    names = {pk: slug for slug, pk in categories.items()}
    tools = _write_by_slug(merger, Tool, rows, report.tools, slugs=names)
    wanted: dict[tuple[int, int], Row] = {}
    called: dict[tuple[int, int], str] = {}
    for slug, take in takes:
        by = take.pop("reviewer")
        key = (tools.pks[slug], _pk(reviewers, by, "reviewer"))
        wanted[key] = take | {"tool_id": key[0], "reviewer_id": key[1]}
        called[key] = f"{by} on {slug}"
    stored = Take.objects.filter(
        tool__in=list(tools.pks.values()), reviewer__in={reviewer for _, reviewer in wanted}
    )
    merger.merge(
        Batch(
            "takes",
            stored,
            wanted,
            lambda take: (take.tool_id, take.reviewer_id),
            called.__getitem__,
            report.takes,
            tools=tools.before,
        )
    )
    return {slug: pk for slug, pk in tools.pks.items() if pk in tools.created}


def _write_comparisons(
    merger: Merger,
    batches: Iterable[list[Row]],
    created: Mapping[str, int],
    count: Count,
    *,
    dry_run: bool,
) -> None:
    """Merge comparisons, and give the featured ones the order they have in the document."""
    featured: list[int] = []
    fresh: set[int] = set()
    changed: set[int] = set()
    turned: set[int] = set()
    names: dict[int, str] = {}
    for rows in batches:
        batch = _pairs(rows, created, count)
        wished = [key for key, row in batch.wanted.items() if row.get("featured")]
        merger.merge(batch)
        pks = [batch.pks[key] for key in wished]
        featured += pks
        names |= {pk: batch.name_of(key) for pk, key in zip(pks, wished, strict=True)}
        fresh |= batch.created | batch.changed.get("featured", set())
        changed |= batch.all_changed
        turned |= batch.changed.get("first_id", set())
    for pk, before, after in reorder(featured, fresh, not_yet=turned if dry_run else None):
        merger.tell_place(names[pk], before, after)
        count.changed += pk not in changed
        count.left_alone -= pk not in changed


def _pairs(
    rows: list[Row], created: Mapping[str, int], count: Count
) -> Batch[Comparison, frozenset[int]]:
    slugs = {slug for row in rows for slug in row["tools"]}
    tools = dict(Tool.objects.filter(slug__in=slugs).order_by().values_list("slug", "pk"))
    tools |= {slug: created[slug] for slug in slugs if slug in created}
    wanted: dict[frozenset[int], Row] = {}
    called: dict[frozenset[int], str] = {}
    for row in rows:
        given = row.pop("tools")
        first, second = (_pk(tools, slug, "tool") for slug in given)
        wanted[frozenset((first, second))] = row | {"first_id": first, "second_id": second}
        called[frozenset((first, second))] = " vs ".join(given)
    pks = list(tools.values())
    stored = Comparison.objects.filter(Q(first__in=pks) & Q(second__in=pks))
    names = {pk: slug for slug, pk in tools.items()}
    return Batch("comparisons", stored, wanted, _pair, called.__getitem__, count, slugs=names)


def _pair(comparison: Comparison) -> frozenset[int]:
    return frozenset((comparison.first_id, comparison.second_id))


def _pk(pks: Mapping[str, int], slug: str, noun: str) -> int:
    if slug not in pks:
        raise ConflictError(f"the {noun} “{slug}” was taken away while the file was being loaded")
    return pks[slug]
