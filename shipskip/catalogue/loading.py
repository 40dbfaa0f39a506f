"""From a file to the database: check everything, then write everything or nothing."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import IO

from reviews.models import Reviewer
from shipskip.catalogue import checking
from shipskip.catalogue.changes import Signature
from shipskip.catalogue.checking import Holdings, Survey
from shipskip.catalogue.faults import Fault, RefusedError, UnreadableError
from shipskip.catalogue.frame import all_or_nothing
from shipskip.catalogue.merging import ConflictError
from shipskip.catalogue.shapes import SECTIONS, Row
from shipskip.catalogue.streaming import items
from shipskip.catalogue.writing import CatalogueReport, write
from tools.models import Category, FormerSlug, Tool

Progress = Callable[[str, int], None]
"""Is told what goes on (`Reading`, `Checking`, `Writing tools`) and how many bytes are done."""


def check(file: IO[bytes], progress: Progress | None = None) -> Iterator[Fault]:
    """Every fault of a document, in the order of the file; nothing is written.

    `file` is binary and seekable. After some 100,000 faults the last one says that there are more.
    """
    found = checking.survey(file, _stage(progress, "Reading"))
    return checking.faults(file, found, _holdings(), _stage(progress, "Checking"))


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
    signature = signature or Signature()
    found = checking.survey(file, _stage(progress, "Reading"))
    faults = list(checking.faults(file, found, _holdings(), _stage(progress, "Checking")))
    if faults:
        raise RefusedError(faults)
    with all_or_nothing(look=dry_run):
        rows_of = partial(_rows, file, found=found, progress=progress)
        report = write(rows_of, signature, dry_run=dry_run)
        report.settle(dry_run=dry_run, expecting=expecting)
    return report


def _holdings() -> Holdings:
    deleted = Tool.everything.remembered().only("slug", "deleted_at").by_address()
    return Holdings(
        categories=frozenset(Category.objects.order_by().values_list("slug", flat=True)),
        reviewers=frozenset(Reviewer.objects.order_by().values_list("slug", flat=True)),
        tools=frozenset(Tool.objects.order_by().values_list("slug", flat=True)),
        former=dict(FormerSlug.objects.of_kept_tools().values_list("slug", "tool__slug")),
        deleted={slug: f"{tool.deleted_at:%Y-%m-%d}" for slug, tool in deleted.items()},
    )


def _stage(progress: Progress | None, name: str) -> Callable[[int], None] | None:
    return partial(progress, name) if progress else None


def _rows(
    file: IO[bytes], section: str, *, found: Survey, progress: Progress | None
) -> Iterator[Row]:
    """The rows of one section; stops reading at its end."""
    if section not in found.keys:
        return
    begun = False
    try:
        for item in items(file, _stage(progress, f"Writing {section}")):
            if item.section == section and item.index is not None:
                faults: list[Fault] = []
                row = SECTIONS[section].read(item.value, item.place, faults)
                if faults:
                    raise ConflictError("the file changed while it was being loaded")
                yield row
            elif begun:
                return
            begun = begun or item.section == section
    except UnreadableError:
        raise ConflictError("the file changed while it was being loaded") from None
