"""Copies of a PostgreSQL database with `pg_dump` and `pg_restore`."""

import os
import re
import subprocess
from pathlib import Path

from django.db import connection, transaction
from django.db.backends.postgresql.client import DatabaseClient

from shipskip.operations.backups import archive


class ProgramError(Exception):
    """One of PostgreSQL's programs is missing or failed; with its error output."""


def room_needed() -> int:
    """Bytes that a backup needs at most while it runs: the dump is compressed, and packed once."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def copy(target: Path) -> tuple[list[str], dict[str, int]]:
    """Dump a snapshot of the database; returns its migrations and row counts.

    Readers and writers are not blocked.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SELECT pg_export_snapshot()")
        snapshot = cursor.fetchone()[0]
        _run("pg_dump", "--format=custom", *ALONE, f"--snapshot={snapshot}", f"--file={target}")
        tables = connection.introspection.table_names(cursor)
        return archive.migrations(cursor), archive.row_counts(cursor, tables)


ALONE = ("--no-owner", "--no-privileges")
"""Whoever restores the dump owns its tables."""

COUNT = "rows"
"""Marks the lines with row counts in psql's output."""

BEFORE = """
SET LOCAL lock_timeout = '0.5s';
DO $locks$
DECLARE name regclass;
BEGIN
  FOR name IN SELECT format('%I.%I', schemaname, tablename)::regclass
              FROM pg_tables WHERE schemaname = current_schema() LOOP
    LOOP
      BEGIN
        EXECUTE format('LOCK TABLE %s', name);
        EXIT;
      EXCEPTION WHEN lock_not_available THEN
        NULL;  -- wait again
      END;
    END LOOP;
  END LOOP;
END $locks$;
SET LOCAL lock_timeout = 0;
SELECT current_schema() AS schema \\gset
SELECT format('DROP TABLE IF EXISTS %I.%I CASCADE', schemaname, tablename)
  FROM pg_tables WHERE schemaname = :'schema'
UNION ALL SELECT format('DROP ROUTINE IF EXISTS %s CASCADE', p.oid::regprocedure)
  FROM pg_proc p WHERE p.pronamespace = :'schema'::regnamespace
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e') \\gexec
"""
"""For psql: lock every table in the current schema, then drop it and the functions there.

A writer may hold a table that this session waits for, and wait for one that it has locked. After a
second of waiting a session looks for such a deadlock and gives up. This session never waits that
long at a time, so that it is always the writer who gives up.
"""

AFTER = f"""
SELECT format('SELECT %L, %L, count(*) FROM %I.%I', '{COUNT}', tablename, schemaname, tablename)
  FROM pg_tables WHERE schemaname = :'schema' \\gexec
"""  # noqa: S608 - our own constant
"""For psql: print the row count of every table; the script before has emptied the search path."""


def restore(source: Path) -> dict[str, int]:
    """Replace the whole content of the database atomically, in one transaction; returns the row
    counts at its end, before anybody can write again.

    Tables that the backup does not have are dropped too. Readers wait for the end.
    """
    script = source.with_suffix(".sql")
    _run("pg_restore", *ALONE, f"--file={script}", str(source), is_local=True)
    (before := source.with_suffix(".before.sql")).write_text(BEFORE)
    (after := source.with_suffix(".after.sql")).write_text(AFTER)
    options = ["--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1"]
    files = [f"--file={file}" for file in (before, script, after)]
    output = _run("psql", *options, "--no-align", "--tuples-only", *files)
    return {
        table: int(rows) for table, rows in re.findall(rf"^{COUNT}\|(.+)\|(\d+)$", output, re.M)
    }


def _run(program: str, *arguments: str, is_local: bool = False) -> str:
    """The output of a program, run against the site's database unless it is local."""
    database = connection.settings_dict
    address, extra = DatabaseClient.settings_to_cmd_args_env(database, [])
    session = {"PGTARGETSESSIONATTRS": database["OPTIONS"].get("target_session_attrs", "any")}
    try:
        done = subprocess.run(  # noqa: S603 - our own arguments
            [program, *arguments, *(() if is_local else address[1:])],
            env=os.environ | session | (extra or {}),
            check=False,
            capture_output=True,
            text=True,
        )
    except FileNotFoundError:
        raise ProgramError(f"{program} is missing: install PostgreSQL's client programs") from None
    if done.returncode:
        raise ProgramError(f"{program}: {(done.stderr or done.stdout).strip()[-1000:]}")
    return done.stdout
