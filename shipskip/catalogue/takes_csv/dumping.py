"""From the database to a CSV file."""

import csv
import io
from collections.abc import Generator, Iterable
from itertools import islice

from reviews.models import Take
from shipskip.catalogue.dumping import plain
from shipskip.catalogue.takes_csv.cells import guarded
from shipskip.catalogue.takes_csv.reading import COLUMNS
from shipskip.catalogue.transaction import one_moment

BATCH = 500


def dump() -> Generator[str, None, None]:
    """All takes on kept tools, drafts included, as pieces of one CSV text, by tool and panel.

    It begins with a byte order mark, without which Excel takes UTF-8 for something else. The text
    is the site at one moment; close the generator when stopping before its end.
    """
    with one_moment():
        yield "\ufeff" + _text([COLUMNS])
        kept = Take.objects.on_existing_tools().order_by()
        # Sorted here, because each database has an order of its own for hyphens.
        keys = sorted(kept.values_list("tool__slug", "reviewer__position", "reviewer__slug", "pk"))
        remaining = iter([pk for *_, pk in keys])
        while batch := list(islice(remaining, BATCH)):
            found = Take.objects.select_related("tool", "reviewer").in_bulk(batch)
            yield _text([_cells(found[pk]) for pk in batch])


def _cells(take: Take) -> list[str]:
    """A take as the cells of its row; a slug never begins like a formula."""
    published = str(plain(take.published_at)) if take.published_at else ""
    whose = take.tool.slug, take.reviewer.slug
    return [*whose, str(take.score), take.verdict, guarded(take.body), published]


def _text(rows: Iterable[Iterable[str]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue()
