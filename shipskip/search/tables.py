"""SQL of the full-text index: its virtual table, triggers, index and function."""

from typing import Any

_SQLITE = (
    # `detail=none`: store which row has a word but not its position; a tenth of the size.
    "CREATE VIRTUAL TABLE search_text USING fts5(tokens, content='search_document', "
    "content_rowid='id', detail=none, columnsize=0, tokenize='ascii')",
    "CREATE TRIGGER search_text_insert AFTER INSERT ON search_document BEGIN "
    "INSERT INTO search_text (rowid, tokens) VALUES (NEW.id, NEW.tokens); END",
    "CREATE TRIGGER search_text_delete AFTER DELETE ON search_document BEGIN "
    "INSERT INTO search_text (search_text, rowid, tokens) "
    "VALUES ('delete', OLD.id, OLD.tokens); END",
    "CREATE TRIGGER search_text_update AFTER UPDATE OF tokens ON search_document "
    "WHEN OLD.tokens <> NEW.tokens BEGIN "
    "INSERT INTO search_text (search_text, rowid, tokens) "
    "VALUES ('delete', OLD.id, OLD.tokens); "
    "INSERT INTO search_text (rowid, tokens) VALUES (NEW.id, NEW.tokens); END",
)
_POSTGRESQL = (
    "CREATE INDEX search_document_tokens ON search_document USING gin "
    "(array_to_tsvector(string_to_array(tokens, ' '))) WITH (fastupdate = off)",
)
_POSTGRESQL_FUNCTIONS = (
    # Disable sequential scans: the planner underestimates the cost of a tsvector of every row.
    """
    CREATE OR REPLACE FUNCTION search_candidates(queries text[], moment timestamptz, most bigint)
    RETURNS SETOF bigint LANGUAGE sql STABLE
    SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off AS $$
      SELECT id FROM unnest(queries) WITH ORDINALITY AS stages (query, stage) CROSS JOIN LATERAL (
        SELECT id, votes, score, length FROM search_document
        WHERE array_to_tsvector(string_to_array(tokens, ' ')) @@ query::tsquery
          AND (moment IS NULL OR public_at <= moment)
        ORDER BY votes DESC, score DESC, length, id LIMIT most
      ) AS found
      GROUP BY id, votes, score, length
      ORDER BY min(stage), votes DESC, score DESC, length, id LIMIT most
    $$
    """,
    """
    CREATE OR REPLACE FUNCTION search_counts(queries text[], moment timestamptz, most bigint)
    RETURNS SETOF bigint LANGUAGE sql STABLE
    SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off AS $$
      SELECT (
        SELECT count(*) FROM (
          SELECT 1 FROM search_document
          WHERE array_to_tsvector(string_to_array(tokens, ' ')) @@ query::tsquery
            AND (moment IS NULL OR public_at <= moment)
          LIMIT most
        ) AS found
      ) FROM unnest(queries) WITH ORDINALITY AS words (query, place) ORDER BY place
    $$
    """,
)
_UNDO = {
    "sqlite": [
        *(
            f"DROP TRIGGER IF EXISTS search_text_{event}"
            for event in ("insert", "update", "delete")
        ),
        "DROP TABLE IF EXISTS search_text",
    ],
    "postgresql": [
        "DROP FUNCTION IF EXISTS search_candidates(text[], timestamptz, bigint)",
        "DROP FUNCTION IF EXISTS search_counts(text[], timestamptz, bigint)",
        "DROP INDEX IF EXISTS search_document_tokens",
    ],
}


def create(connection: Any) -> None:
    """Create the full-text index, with the triggers that keep it in sync with the documents."""
    _run(connection, _SQLITE if connection.vendor == "sqlite" else _POSTGRESQL)
    create_functions(connection)


def create_functions(connection: Any) -> None:
    """Create the functions that search it, or replace them; SQLite has none."""
    if connection.vendor == "postgresql":
        _run(connection, _POSTGRESQL_FUNCTIONS)


def drop(connection: Any) -> None:
    """Drop it."""
    _run(connection, _UNDO[connection.vendor])


def _run(connection: Any, statements: Any) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
