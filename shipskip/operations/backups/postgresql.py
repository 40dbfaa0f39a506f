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
        options = ["--format=custom", "--no-owner", "--no-privileges"]
        options += [f"--snapshot={cursor.fetchone()[0]}", f"--file={target}"]
        _run("pg_dump", options)
        tables = connection.introspection.table_names(cursor)
        return archive.migrations(cursor), archive.row_counts(cursor, tables)


def restore(source: Path) -> dict[str, int]:
    """Replace the whole content of the database atomically, in one transaction; returns the row
    counts at its end, before anybody can write again.

    Tables that the backup does not have are dropped too. Readers wait for the end.
    """
    script = source.with_suffix(".sql")
    _run("pg_restore", ["--no-owner", "--no-privileges", f"--file={script}"], last=str(source))
    drops = source.with_suffix(".drop.sql")
    drops.write_text(_drops())
    counts = source.with_suffix(".counts.sql")
    counts.write_text(_counts())
    locks = source.with_suffix(".locks.sql")
    locks.write_text(LOCKS)
    options = ["--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1"]
    options += ["--no-align", "--tuples-only"]
    files = [f"--file={file}" for file in (locks, drops, script, counts)]
    output = _run("psql", [*options, *files])
    return {
        table: int(rows) for table, rows in re.findall(rf"^{COUNT}\|(.+)\|(\d+)$", output, re.M)
    }


COUNT = "rows"
"""Marks the lines with row counts in psql's output."""


def _counts() -> str:
    """Statements for psql that print the row count of every table in the current schema."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT quote_literal(current_schema())")
        schema = cursor.fetchone()[0]
    return (
        f"SELECT format('SELECT %L, %L, count(*) FROM %I.%I', '{COUNT}', tablename, schemaname,"  # noqa: S608
        f" tablename) FROM pg_tables WHERE schemaname = {schema} \\gexec\n"
    )


LOCKS = """
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
"""
"""Locks every table in the current schema before one is dropped.

A writer may hold a table that this session waits for, and wait for one that it has locked. After a
second of waiting a session looks for such a deadlock and gives up. This session never waits that
long at a time, so that it is always the writer who gives up.
"""


def _drops() -> str:
    """Statements that drop every table and function in the current schema."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT format('DROP TABLE IF EXISTS %I.%I CASCADE;', schemaname, tablename)"
            " FROM pg_tables WHERE schemaname = current_schema()"
            " UNION ALL SELECT format('DROP ROUTINE IF EXISTS %s CASCADE;', p.oid::regprocedure)"
            " FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace"
            " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')"
        )
        return "\n".join(row[0] for row in cursor.fetchall()) + "\n"


def _run(program: str, options: list[str], *, last: str | None = None) -> str:
    """The output of a program run against the site's database; `last` replaces the database's
    name.
    """
    arguments, extra = DatabaseClient.settings_to_cmd_args_env(connection.settings_dict, options)
    # pg_restore writes a script from a file and needs no server.
    arguments = [*options, last] if last else arguments[1:]
    try:
        done = subprocess.run(  # noqa: S603 - our own arguments
            [program, *arguments],
            env=os.environ | (extra or {}),
            check=False,
            capture_output=True,
            text=True,
        )
    except FileNotFoundError:
        raise ProgramError(f"{program} is missing: install PostgreSQL's client programs") from None
    if done.returncode:
        raise ProgramError(f"{program}: {(done.stderr or done.stdout).strip()[-1000:]}")
    return done.stdout
