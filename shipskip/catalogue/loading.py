"""Load a file into the database atomically: check everything, then write everything or nothing."""

from collections.abc import Iterator
from typing import IO

from reviews.models import Reviewer
from shipskip.catalogue.change_log import LoadContext
from shipskip.catalogue.checking import SiteSlugs, check
from shipskip.catalogue.fact_answers import Question
from shipskip.catalogue.fact_checking import DocumentQuestions, Use
from shipskip.catalogue.faults import InvalidFileError
from shipskip.catalogue.reading import Progress, read
from shipskip.catalogue.transaction import all_or_nothing
from shipskip.catalogue.writing import CatalogueReport, write
from tools.models import Attribute, Category, Fact, Family, FormerSlug, Tool


def load(
    file: IO[bytes],
    load_context: LoadContext | None = None,
    *,
    dry_run: bool = False,
    expected_fingerprint: str = "",
    progress: Progress | None = None,
) -> CatalogueReport:
    """Load a document; return how many rows were created, changed and unchanged.

    `file` is binary and seekable; `dry_run` only reads. If `expected_fingerprint` is given and the
    change log has another, everything is rolled back. Raises InvalidFileError with every fault of
    the document, or SiteChangedError when somebody else changed the site meanwhile; then nothing
    is written.
    """
    rows, faults = check(read(file, progress), _site_slugs(), _questions(), progress)
    if faults:
        raise InvalidFileError(faults)
    with all_or_nothing(dry_run=dry_run):
        report = write(rows, load_context or LoadContext(), dry_run=dry_run, progress=progress)
        report.finish(dry_run=dry_run, expected_fingerprint=expected_fingerprint)
    return report


def _site_slugs() -> SiteSlugs:
    deleted = Tool.everything.deleted_after_publication().only("slug", "deleted_at").by_address()
    return SiteSlugs(
        categories=frozenset(Category.objects.order_by().values_list("slug", flat=True)),
        reviewers=frozenset(Reviewer.objects.order_by().values_list("slug", flat=True)),
        attributes=frozenset(Attribute.objects.order_by().values_list("slug", flat=True)),
        families=frozenset(Family.objects.order_by().values_list("slug", flat=True)),
        tools=frozenset(Tool.objects.order_by().values_list("slug", flat=True)),
        former=dict(FormerSlug.objects.of_existing_tools().values_list("slug", "tool__slug")),
        deleted={slug: f"{tool.deleted_at:%Y-%m-%d}" for slug, tool in deleted.items()},
    )


def _questions() -> DocumentQuestions:
    """The attributes of the site, with a function that reads their facts."""
    slugs = dict(Category.objects.order_by().values_list("pk", "slug"))
    stored = {
        row.slug: Question(
            kind=row.kind,
            choices=tuple(row.choices),
            categories=frozenset(slugs[key] for key in row.category_ids if key in slugs),
            unit=row.unit,
            better=row.better,
        )
        for row in Attribute.objects.order_by()
    }
    return DocumentQuestions(site=stored, uses=_uses)


def _uses(slug: str) -> Iterator[Use]:
    """The stored facts of an attribute, of deleted tools too."""
    rows = Fact.objects.filter(attribute__slug=slug).select_related("tool__category")
    for fact in rows.order_by("tool__slug").iterator():
        given = fact.value if isinstance(fact.value, list) else [fact.text] if fact.text else []
        tool = "" if fact.tool.deleted_at else fact.tool.slug
        yield Use(fact.kind, tuple(given), tool, fact.tool.category.slug)
