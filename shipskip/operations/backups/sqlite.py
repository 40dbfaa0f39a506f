"""Copies of a SQLite database by its own online backup."""

import sqlite3
from contextlib import closing
from pathlib import Path

from django.db import connection

from shipskip.operations.backups import archive

PAGES = 4096
"""So many pages (16 MB) are copied at a time; writers get their turn in between."""

TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'sqlite_sequence'"


def copy(target: Path) -> tuple[list[str], dict[str, int]]:
    """Copy the database as it is at one moment; the copy's migrations and row counts.

    Readers and writers go on meanwhile.
    """
    connection.ensure_connection()
    with closing(sqlite3.connect(target)) as file:
        connection.connection.backup(file, pages=PAGES)
        file.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it
        check(file)
        cursor = file.cursor()
        tables = [row[0] for row in cursor.execute(TABLES).fetchall()]
        return archive.migrations(cursor), archive.row_counts(cursor, tables)


def check(file: sqlite3.Connection) -> None:
    """Raises ValueError when the file is no SQLite database, or a damaged one."""
    try:
        said = file.execute("PRAGMA integrity_check").fetchone()[0]
        broken = file.execute("PRAGMA foreign_key_check").fetchone()
    except sqlite3.DatabaseError as fault:
        raise ValueError(f"its database is damaged: {fault}") from None
    if said != "ok" or broken:
        raise ValueError(f"its database is damaged: {said if said != 'ok' else broken}")


def put_back(source: Path) -> None:
    """Replace the database's whole content in one transaction; whoever reads waits for it."""
    connection.ensure_connection()
    with closing(sqlite3.connect(source)) as file:
        check(file)
        file.backup(connection.connection)
    connection.close()
