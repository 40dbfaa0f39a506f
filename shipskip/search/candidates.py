"""Find the rows that may match a query, with SQLite's FTS5 or PostgreSQL's full-text search.

Both databases get the same conditions on the same words, and return at most LIMIT rows: those of
the first condition, then of the next, in each those with the most votes and the best score.
`ranking.py` sorts them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import BigIntegerField
from django.db.models.expressions import RawSQL

from shipskip.search.models import SearchDocument
from shipskip.search.queries import Dialect, Query, conditions

LIMIT = 100

# CROSS JOIN: SQLite sorts by the covering index only. Reading each row takes five times as long.
_SQLITE_MATCHING = """
FROM search_text CROSS JOIN search_document AS d INDEXED BY search_document_order
  ON d.id = search_text.rowid
WHERE search_text MATCH %s {public}
"""
_SQLITE_STAGE = """
SELECT * FROM (
  SELECT d.id, {stage} AS stage, d.votes, d.score, d.length {matching}
  ORDER BY d.votes DESC, d.score DESC, d.length, d.id LIMIT %s
)
"""
_SQLITE = """
SELECT id FROM ({stages}) GROUP BY id
ORDER BY min(stage), votes DESC, score DESC, length, id LIMIT %s
"""
_SQLITE_COUNT = "SELECT count(*) FROM (SELECT 1 {matching} LIMIT %s)"
_POSTGRESQL = "SELECT search_candidates(%s, %s, %s)"
_POSTGRESQL_COUNTS = "SELECT search_counts(%s, %s, %s)"


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


def dialect() -> Dialect:
    """The syntax of the site's database."""
    return Dialect[connection.vendor.upper()]


def candidates(
    query: Query, kinds: Sequence[str], now: datetime | None, limit: int = LIMIT
) -> list[SearchCandidate]:
    """The matching rows of these kinds; with `now`, only public ones. One statement."""
    return matching(conditions(query, kinds, dialect()), now, limit)


def matching(stages: Sequence[str], now: datetime | None, limit: int) -> list[SearchCandidate]:
    """The rows that meet any of these conditions, those of the first ones first."""
    values: list[Any] = []
    if connection.vendor == "postgresql":
        sql, values = _POSTGRESQL, [list(stages), now, limit]
    else:
        matching_sql = _sqlite_matching(now)
        parts = [_SQLITE_STAGE.format(stage=at, matching=matching_sql) for at in range(len(stages))]
        sql = _SQLITE.format(stages=" UNION ALL ".join(parts))
        values = [value for each in stages for value in (each, *_sqlite_moment(now), limit)]
        values.append(limit)
    keys = RawSQL(sql, values, BigIntegerField())  # noqa: S611
    rows = SearchDocument.objects.filter(pk__in=keys).values_list(
        *("kind", "object_id", "votes", "score", "length", "names", "fields")
    )
    return [SearchCandidate(*row) for row in rows]


def counts(conditions: Sequence[str], now: datetime | None, limit: int) -> list[int]:
    """How many rows meet each of these conditions, up to the limit; one statement."""
    if not conditions:
        return []
    values: list[Any] = []
    if connection.vendor == "postgresql":
        sql, values = _POSTGRESQL_COUNTS, [list(conditions), now, limit]
    else:
        sql = _SQLITE_COUNT.format(matching=_sqlite_matching(now))
        sql = " UNION ALL ".join(sql for _ in conditions)
        values = [value for each in conditions for value in (each, *_sqlite_moment(now), limit)]
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return [row[0] for row in cursor.fetchall()]


def _sqlite_matching(now: datetime | None) -> str:
    return _SQLITE_MATCHING.format(public="AND d.public_at <= %s" if now else "")


def _sqlite_moment(now: datetime | None) -> list[object]:
    return [connection.ops.adapt_datetimefield_value(now)] if now else []
