"""Write the rows of a valid document to the database, in batches of some hundred.

Existing rows are compared and only changed fields are written, so that edits by others meanwhile
are not lost. Each written row gets a version in its history, and a changed score that readers could
see gets an entry on the public record. The caller opens the transaction.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from comparisons.models import Comparison, tools_key
from reviews.models import Reviewer, Take
from shipskip.catalogue.batches import Batch
from shipskip.catalogue.change_log import LoadContext, Report, RowCounts
from shipskip.catalogue.checking import SectionRows
from shipskip.catalogue.entry_parsers import PLACE_KEY, EntryRow
from shipskip.catalogue.fact_writing import (
    Answers,
    follow_plans,
    write_former_slugs,
    write_plans,
)
from shipskip.catalogue.faults import InvalidFileError, SiteChangedError
from shipskip.catalogue.featured_order import reorder
from shipskip.catalogue.merging import Merger
from shipskip.catalogue.reading import Progress
from shipskip.search.models import Synonym
from tools.models import Attribute, Category, Family, Tool

S = TypeVar("S", Attribute, Category, Family, Reviewer, Tool)

BATCH = 500
BATCH_PARTS = 4_000
"""Maximum number of takes, facts and plans in one batch, apart from those of its last tool."""
_PARTS = ("takes", "facts", "plans")


@dataclass
class CatalogueReport(Report):
    """What a load did, by kind of row."""

    categories: RowCounts = field(default_factory=RowCounts)
    reviewers: RowCounts = field(default_factory=RowCounts)
    attributes: RowCounts = field(default_factory=RowCounts)
    families: RowCounts = field(default_factory=RowCounts)
    tools: RowCounts = field(default_factory=RowCounts)
    takes: RowCounts = field(default_factory=RowCounts)
    facts: RowCounts = field(default_factory=RowCounts)
    plans: RowCounts = field(default_factory=RowCounts)
    comparisons: RowCounts = field(default_factory=RowCounts)
    synonyms: RowCounts = field(default_factory=RowCounts)


def write(
    rows: SectionRows,
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
    keys = {
        "categories": _write_section(merger, Category, rows, report.categories, progress),
        "reviewers": _write_section(merger, Reviewer, rows, report.reviewers, progress),
    }
    slugs = {pk: slug for slug, pk in keys["categories"].items()}
    for row in rows["attributes"]:
        if "categories" in row:
            found = [_pk(keys["categories"], each, "category") for each in row.pop("categories")]
            row["category_ids"] = found
    keys["attributes"] = _write_section(
        merger, Attribute, rows, report.attributes, progress, slugs=slugs
    )
    keys["families"] = _write_section(merger, Family, rows, report.families, progress)
    answers = Answers(merger, keys["attributes"], rows["attributes"], report.facts)
    writer = _ToolWriter(merger, keys, answers, report, dry_run=dry_run)
    created: dict[str, int] = {}
    for batch in _batches(rows, "tools", progress):
        created |= writer.write(batch)
    if merger.faults:
        raise InvalidFileError(merger.faults)
    batches = _batches(rows, "comparisons", progress)
    _write_comparisons(merger, batches, created, report.comparisons, dry_run=dry_run)
    for batch in _batches(rows, "synonyms", progress):
        _write_synonyms(merger, batch, report.synonyms)
    return report


def _batches(
    rows: SectionRows, section: str, progress: Progress | None
) -> Iterator[list[EntryRow]]:
    """Lists of at most BATCH rows, shorter if the rows have many takes, facts or plans."""
    batch: list[EntryRow] = []
    parts = 0
    for done, row in enumerate(rows[section], 1):
        batch.append(row)
        parts += sum(len(row.get(name) or ()) for name in _PARTS)
        if len(batch) == BATCH or parts >= BATCH_PARTS or done == len(rows[section]):
            if progress:
                progress(f"Writing {section}", done, len(rows[section]))
            yield batch
            batch, parts = [], 0


def _write_section(
    merger: Merger,
    model: type[S],
    rows: SectionRows,
    count: RowCounts,
    progress: Progress | None,
    slugs: Mapping[int, str] | None = None,
) -> dict[str, int]:
    """Merge a section without references to later ones; returns every key of the site by slug."""
    section = str(model._meta.verbose_name_plural)
    keys = dict(model._default_manager.order_by().values_list("slug", "pk"))
    for batch in _batches(rows, section, progress):
        keys |= _write_by_slug(merger, model, batch, count, slugs).pks
    return keys


def _write_by_slug(
    merger: Merger,
    model: type[S],
    rows: list[EntryRow],
    count: RowCounts,
    slugs: Mapping[int, str] | None = None,
    families: Mapping[int, str] | None = None,
) -> Batch[S, str]:
    """Merge rows that are matched by slug; `slugs` are those of the rows they refer to."""
    wanted = {row["slug"]: row for row in rows}
    stored = model._default_manager.filter(slug__in=list(wanted))
    kind = str(model._meta.verbose_name_plural)
    batch = Batch(kind, stored, wanted, lambda row: row.slug, str, count, slugs or {})
    batch.families = families or {}
    merger.merge(batch)
    return batch


class _ToolWriter:
    """Merge tools with their takes, facts and plans; `keys` are those of other sections by slug."""

    def __init__(
        self,
        merger: Merger,
        keys: Mapping[str, Mapping[str, int]],
        answers: Answers,
        report: CatalogueReport,
        *,
        dry_run: bool,
    ) -> None:
        self._merger, self._keys, self._report, self._dry_run = merger, keys, report, dry_run
        self._slugs, self._families = (
            {pk: slug for slug, pk in keys[name].items()} for name in ("categories", "families")
        )
        self._answers = answers

    def write(self, rows: list[EntryRow]) -> dict[str, int]:
        """Merge some tools; returns the keys of the new ones by their slugs."""
        given = {
            name: {row["slug"]: found for row in rows if (found := row.pop(name, None)) is not None}
            for name in (*_PARTS, "former_slugs")
        }
        for row in rows:
            row["category_id"] = _pk(self._keys["categories"], row.pop("category"), "category")
            if "family" in row:
                slug = row.pop("family")
                row["family_id"] = _pk(self._keys["families"], slug, "family") if slug else None
        follow_plans(self._merger, rows, given["plans"])
        report = self._report
        tools = _write_by_slug(self._merger, Tool, rows, report.tools, self._slugs, self._families)
        write_former_slugs(
            self._merger, tools, given["former_slugs"], report.tools, dry_run=self._dry_run
        )
        self._write_takes(tools, given["takes"])
        self._answers.write(tools, given["facts"])
        write_plans(self._merger, tools, given["plans"], report.plans)
        return {slug: pk for slug, pk in tools.pks.items() if pk in tools.created}

    def _write_takes(self, tools: Batch[Tool, str], given: Mapping[str, list[EntryRow]]) -> None:
        wanted: dict[tuple[int, int], EntryRow] = {}
        row_names: dict[tuple[int, int], str] = {}
        places: dict[tuple[int, int], str] = {}
        for slug, takes in given.items():
            for take in takes:
                by = take.pop("reviewer")
                key = (tools.pks[slug], _pk(self._keys["reviewers"], by, "reviewer"))
                places[key] = take.pop(PLACE_KEY, "")
                wanted[key] = take | {"tool_id": key[0], "reviewer_id": key[1]}
                row_names[key] = f"{by} on {slug}"
        stored = Take.objects.filter(
            tool__in=list(tools.pks.values()), reviewer__in={reviewer for _, reviewer in wanted}
        )
        self._merger.merge(
            Batch(
                "takes",
                stored,
                wanted,
                lambda take: (take.tool_id, take.reviewer_id),
                row_names.__getitem__,
                self._report.takes,
                tools=tools.before,
                place_of=lambda key, name: f"{places[key]}.{name}",
            )
        )


def _write_synonyms(merger: Merger, rows: list[EntryRow], count: RowCounts) -> None:
    """Merge synonyms; they are matched by the word as a search compares it."""
    wanted = {Synonym.key_of(row["word"]): row for row in rows}
    for key, row in wanted.items():
        row |= {"word_key": key, "means_key": Synonym.key_of(row["means"])}
    stored = Synonym.objects.filter(word_key__in=list(wanted))
    merger.merge(Batch("synonyms", stored, wanted, lambda row: row.word_key, str, count))


def _write_comparisons(
    merger: Merger,
    batches: Iterable[list[EntryRow]],
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
    rows: list[EntryRow], created: Mapping[str, int], count: RowCounts
) -> Batch[Comparison, frozenset[int]]:
    slugs = {slug for row in rows for slug in row["tools"]}
    tools = dict(Tool.objects.filter(slug__in=slugs).order_by().values_list("slug", "pk"))
    tools |= {slug: created[slug] for slug in slugs if slug in created}
    wanted: dict[frozenset[int], EntryRow] = {}
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
