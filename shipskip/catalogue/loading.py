"""From a file to the database: check everything, then write everything or nothing."""

from typing import IO

from reviews.models import Reviewer
from shipskip.catalogue.changes import Signature
from shipskip.catalogue.checking import Holdings, check
from shipskip.catalogue.faults import RefusedError
from shipskip.catalogue.reading import Progress, read
from shipskip.catalogue.transaction import all_or_nothing
from shipskip.catalogue.writing import CatalogueReport, write
from tools.models import Category, FormerSlug, Tool


def load(
    file: IO[bytes],
    signature: Signature | None = None,
    *,
    dry_run: bool = False,
    expecting: str = "",
    progress: Progress | None = None,
) -> CatalogueReport:
    """Bring a document into the database and tell what was created, changed and left alone.

    `file` is binary and seekable; `dry_run` only looks; a load that would do something else than
    the one whose journal's fingerprint is `expecting` takes everything back. Raises
    RefusedError with every fault of the document, or ConflictError when somebody else changed the
    site meanwhile; then nothing is written.
    """
    rows, faults = check(read(file, progress), _holdings(), progress)
    if faults:
        raise RefusedError(faults)
    with all_or_nothing(look=dry_run):
        report = write(rows, signature or Signature(), dry_run=dry_run, progress=progress)
        report.settle(dry_run=dry_run, expecting=expecting)
    return report


def _holdings() -> Holdings:
    deleted = Tool.everything.deleted_after_publication().only("slug", "deleted_at").by_address()
    return Holdings(
        categories=frozenset(Category.objects.order_by().values_list("slug", flat=True)),
        reviewers=frozenset(Reviewer.objects.order_by().values_list("slug", flat=True)),
        tools=frozenset(Tool.objects.order_by().values_list("slug", flat=True)),
        former=dict(FormerSlug.objects.of_existing_tools().values_list("slug", "tool__slug")),
        deleted={slug: f"{tool.deleted_at:%Y-%m-%d}" for slug, tool in deleted.items()},
    )
