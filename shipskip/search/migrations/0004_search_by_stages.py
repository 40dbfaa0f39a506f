"""On PostgreSQL the functions of the search: they take all conditions of a search at once, and count
the rows of a word.
"""

from django.db import migrations

from shipskip.search import tables

BEFORE = """
CREATE FUNCTION search_candidates(query text, kinds text[], moment timestamptz, most bigint)
RETURNS SETOF bigint LANGUAGE sql STABLE
SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off AS $$
  SELECT id FROM search_document
  WHERE array_to_tsvector(string_to_array(tokens, ' ')) @@ query::tsquery
    AND kind = ANY(kinds) AND (moment IS NULL OR public_at <= moment)
  ORDER BY votes DESC, score DESC, length, id LIMIT most
$$
"""


def replace_functions(apps, editor):
    if editor.connection.vendor == "postgresql":
        editor.execute(
            "DROP FUNCTION IF EXISTS search_candidates(text, text[], timestamptz, bigint)"
        )
    tables.create_functions(editor.connection)


def restore_functions(apps, editor):
    if editor.connection.vendor == "postgresql":
        editor.execute("DROP FUNCTION search_candidates(text[], timestamptz, bigint)")
        editor.execute("DROP FUNCTION search_counts(text[], timestamptz, bigint)")
        editor.execute(BEFORE, params=None)


class Migration(migrations.Migration):
    dependencies = [("search", "0003_rights")]
    operations = [migrations.RunPython(replace_functions, restore_functions)]
