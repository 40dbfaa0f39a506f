"""Writes the rows of a valid document to the database, some hundred at a time.

Existing rows are compared and only what differs is written, so that no change of an editor is
undone meanwhile. Each written row gets a version in its history, and a changed score that readers
could see an entry on the public record. The caller opens the transaction.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from comparisons.models import Comparison, tools_key
from reviews.models import Reviewer, Take
from shipskip.catalogue.changes import LoadContext, Report, RowCounts
from shipskip.catalogue.checking import Rows
from shipskip.catalogue.faults import InvalidFileError, SiteChangedError
from shipskip.catalogue.featured_order import reorder
from shipskip.catalogue.merging import Batch, Merger
from shipskip.catalogue.reading import Progress
from shipskip.catalogue.schema import PLACE, Row
from tools.models import Category, Tool

S = TypeVar("S", Category, Reviewer, Tool)

BATCH = 500
BATCH_TAKES = 2_000


@dataclass
class CatalogueReport(Report):
    """What a load did, by kind of row."""

    categories: RowCounts = field(default_factory=RowCounts)
    reviewers: RowCounts = field(default_factory=RowCounts)
    tools: RowCounts = field(default_factory=RowCounts)
    takes: RowCounts = field(default_factory=RowCounts)
    comparisons: RowCounts = field(default_factory=RowCounts)


def write(
    rows: Rows,
    load_context: LoadContext,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> CatalogueReport:
    """Create and change rows until the database matches the document.

    `rows` are modified. A dry run only reads.
    Raises IntegrityError or SiteChangedError when somebody else changed the site meanwhile, and
    InvalidFileError where a take that is no draft would lose its score or verdict.
    """
    report = CatalogueReport()
    merger = Merger(load_context, report.change_log, dry_run=dry_run)
    categories = dict(Category.objects.order_by().values_list("slug", "pk"))
    reviewers = dict(Reviewer.objects.order_by().values_list("slug", "pk"))
    for batch in _batches(rows, "categories", progress):
        categories |= _write_by_slug(merger, Category, batch, report.categories).pks
    for batch in _batches(rows, "reviewers", progress):
        reviewers |= _write_by_slug(merger, Reviewer, batch, report.reviewers).pks
    created: dict[str, int] = {}
    for batch in _batches(rows, "tools", progress):
        created |= _write_tools(merger, batch, categories, reviewers, report)
    if merger.faults:
        raise InvalidFileError(merger.faults)
    batches = _batches(rows, "comparisons", progress)
    _write_comparisons(merger, batches, created, report.comparisons, dry_run=dry_run)
    return report


def _batches(rows: Rows, section: str, progress: Progress | None) -> Iterator[list[Row]]:
    """Lists of at most BATCH rows, shorter if the rows have many takes."""
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
    count: RowCounts,
    slugs: Mapping[int, str] | None = None,
) -> Batch[S, str]:
    """Merge rows that are matched by slug; `slugs` are those of the rows they refer to."""
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
    row_names: dict[tuple[int, int], str] = {}
    places: dict[tuple[int, int], str] = {}
    for slug, take in takes:
        by = take.pop("reviewer")
        key = (tools.pks[slug], _pk(reviewers, by, "reviewer"))
        places[key] = take.pop(PLACE, "")
        wanted[key] = take | {"tool_id": key[0], "reviewer_id": key[1]}
        row_names[key] = f"{by} on {slug}"
    stored = Take.objects.filter(
        tool__in=list(tools.pks.values()), reviewer__in={reviewer for _, reviewer in wanted}
    )
    merger.merge(
        Batch(
            "takes",
            stored,
            wanted,
            lambda take: (take.tool_id, take.reviewer_id),
            row_names.__getitem__,
            report.takes,
            tools=tools.before,
            place_of=lambda key, name: f"{places[key]}.{name}",
        )
    )
    return {slug: pk for slug, pk in tools.pks.items() if pk in tools.created}


def _write_comparisons(
    merger: Merger,
    batches: Iterable[list[Row]],
    created: Mapping[str, int],
    count: RowCounts,
    *,
    dry_run: bool,
) -> None:
    """Merge comparisons, and give the featured ones the order of the document."""
    featured: list[int] = []
    new: set[int] = set()
    changed: set[int] = set()
    reordered: dict[int, list[str]] = {}
    names: dict[int, str] = {}
    for rows in batches:
        batch = _comparisons(rows, created, count)
        featured_keys = [key for key, row in batch.wanted.items() if row.get("featured")]
        merger.merge(batch)
        pks = [batch.pks[key] for key in featured_keys]
        featured += pks
        names |= {pk: batch.name_of(key) for pk, key in zip(pks, featured_keys, strict=True)}
        new |= batch.created | batch.changed.get("featured", set())
        changed |= batch.all_changed
        for key, row in batch.wanted.items():
            if batch.pks[key] in batch.changed.get("tool_ids", set()):
                reordered[batch.pks[key]] = [batch.slugs[tool] for tool in row["tool_ids"]]
    for pk, before, after in reorder(featured, new, dry_run_tools=reordered if dry_run else None):
        merger.add_place_change(names[pk], before, after)
        count.changed += pk not in changed
        count.left_alone -= pk not in changed


def _comparisons(
    rows: list[Row], created: Mapping[str, int], count: RowCounts
) -> Batch[Comparison, frozenset[int]]:
    slugs = {slug for row in rows for slug in row["tools"]}
    tools = dict(Tool.objects.filter(slug__in=slugs).order_by().values_list("slug", "pk"))
    tools |= {slug: created[slug] for slug in slugs if slug in created}
    wanted: dict[frozenset[int], Row] = {}
    row_names: dict[frozenset[int], str] = {}
    for row in rows:
        given = row.pop("tools")
        keys = [_pk(tools, slug, "tool") for slug in given]
        if "choose_if" in row:
            row["choose_if"] = {str(tools[key]): text for key, text in row["choose_if"].items()}
        wanted[frozenset(keys)] = row | {"tool_ids": keys}
        row_names[frozenset(keys)] = " vs ".join(given)
    stored = Comparison.objects.filter(tools_key__in=[tools_key(keys) for keys in wanted])
    slugs_by_key = {pk: slug for slug, pk in tools.items()}
    return Batch(
        "comparisons",
        stored,
        wanted,
        lambda row: frozenset(row.tool_ids),
        row_names.__getitem__,
        count,
        slugs=slugs_by_key,
    )


def _pk(pks: Mapping[str, int], slug: str, noun: str) -> int:
    if slug not in pks:
        raise SiteChangedError(f"the {noun} “{slug}” was deleted while the file was being loaded")
    return pks[slug]
