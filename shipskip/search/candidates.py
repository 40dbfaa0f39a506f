"""Find the rows that may match a query, with SQLite's FTS5 or PostgreSQL's full-text search.

Both databases get the same condition on the same words, and return at most LIMIT rows, those with
the most votes and the best score. `ranking.py` sorts them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models import BigIntegerField
from django.db.models.expressions import RawSQL

from shipskip.search.models import SearchDocument, SearchKind
from shipskip.search.queries import Dialect, Query, condition, exact

LIMIT = 100

# CROSS JOIN: SQLite sorts by the covering index only. Reading each row takes five times as long.
_SQLITE = """
SELECT d.id FROM search_text CROSS JOIN search_document AS d INDEXED BY search_document_order
  ON d.id = search_text.rowid
WHERE search_text MATCH %s AND d.kind IN ({kinds}) {public}
ORDER BY d.votes DESC, d.score DESC, d.length, d.id LIMIT %s
"""
_POSTGRESQL = "SELECT search_candidates(%s, %s, %s, %s)"


@dataclass(frozen=True)
class SearchCandidate:
    """The data of a row that ranking needs."""

    kind: str
    object_id: int
    votes: int
    score: float
    length: int
    names: str
    fields: str


def candidates(
    query: Query, kinds: Sequence[str], now: datetime | None, limit: int = LIMIT
) -> list[SearchCandidate]:
    """The matching rows of these kinds, without duplicates; with `now`, only public ones.

    The first statement searches names, the next names and other fields, the last long texts too. It
    stops when enough rows are found, because rows found later rank lower. If few matches are
    likely, everything is searched first: fewer rows than the limit are then all rows. At most four
    statements.
    """
    dialect = Dialect[connection.vendor.upper()]
    few = query.is_corrected or SearchKind.TOOL not in kinds
    found: dict[int, SearchCandidate] = {}
    for reach in reversed(query.reaches) if few else query.reaches:
        rows = _matching(condition(query, reach, kinds, dialect), kinds, now, limit)
        found |= rows
        if (len(rows) < limit) if few else (len(found) >= limit):
            break
    if len(found) >= limit:
        found |= _matching(exact(query, kinds, dialect), kinds, now, limit)
    return list(found.values())


def _matching(
    text: str, kinds: Sequence[str], now: datetime | None, limit: int
) -> dict[int, SearchCandidate]:
    if connection.vendor == "postgresql":
        keys = RawSQL(_POSTGRESQL, [text, list(kinds), now, limit], BigIntegerField())  # noqa: S611
    else:
        public = "AND d.public_at <= %s" if now else ""
        sql = _SQLITE.format(kinds=", ".join(["%s"] * len(kinds)), public=public)
        moment = [connection.ops.adapt_datetimefield_value(now)] if now else []
        keys = RawSQL(sql, [text, *kinds, *moment, limit], BigIntegerField())  # noqa: S611
    rows = SearchDocument.objects.filter(pk__in=keys).values_list(
        *("pk", "kind", "object_id", "votes", "score", "length", "names", "fields")
    )
    return {row[0]: SearchCandidate(*row[1:]) for row in rows}
