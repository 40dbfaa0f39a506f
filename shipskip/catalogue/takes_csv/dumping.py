"""Write takes as a CSV file."""

from collections.abc import Generator
from itertools import islice

from reviews.models import Take
from shipskip.catalogue.csv_files.cells import BYTE_ORDER_MARK, csv_text, escape_formula
from shipskip.catalogue.dumping import json_value
from shipskip.catalogue.takes_csv.row import COLUMNS
from shipskip.web.read_snapshot import read_snapshot

BATCH = 500


def dump() -> Generator[str, None, None]:
    """All takes as pieces of one CSV text, by tool and panel; drafts too, but no deleted tools.

    It starts with a byte order mark, because without it Excel does not recognise UTF-8. The text
    is one snapshot of the site; close the generator if you stop before its end.
    """
    with read_snapshot():
        yield BYTE_ORDER_MARK + csv_text([COLUMNS])
        takes = Take.objects.on_existing_tools().order_by()
        # Sorted here, because each database sorts hyphens differently.
        keys = sorted(takes.values_list("tool__slug", "reviewer__position", "reviewer__slug", "pk"))
        remaining = iter([pk for *_, pk in keys])
        while batch := list(islice(remaining, BATCH)):
            found = Take.objects.select_related("tool", "reviewer").in_bulk(batch)
            yield csv_text([_cells(found[pk]) for pk in batch])


def _cells(take: Take) -> list[str]:
    """A take as the cells of its row; slugs need no escape, they never start like a formula."""
    published = str(json_value(take.published_at)) if take.published_at else ""
    slugs = take.tool.slug, take.reviewer.slug
    score = "" if take.score is None else str(take.score)
    text = escape_formula(take.body)
    return [*slugs, score, take.verdict, text, published, take.basis]
