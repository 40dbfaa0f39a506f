"""Copies of a SQLite database with its online backup API."""

import sqlite3
from contextlib import closing
from pathlib import Path

from django.db import connection

from shipskip.operations.backups import archive

PAGES = 4096
"""Pages (16 MB) that are copied at a time; writers can write in between."""

TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'sqlite_sequence'"


def room_needed() -> int:
    """Bytes that a backup needs at most while it runs: a copy, and the archive of it."""
    path = Path(connection.settings_dict["NAME"])
    files = (path, path.with_name(f"{path.name}-wal"))
    return 2 * sum(file.stat().st_size for file in files if file.exists())


def copy(target: Path) -> tuple[list[str], dict[str, int]]:
    """Copy a snapshot of the database; returns its migrations and row counts.

    Readers and writers are not blocked.
    """
    connection.ensure_connection()
    with closing(sqlite3.connect(target)) as file:
        connection.connection.backup(file, pages=PAGES)
        file.execute("PRAGMA journal_mode=DELETE")  # one file, without a write-ahead log
        check(file)
        cursor = file.cursor()
        tables = [row[0] for row in cursor.execute(TABLES).fetchall()]
        return archive.migrations(cursor), archive.row_counts(cursor, tables)


def check(file: sqlite3.Connection) -> None:
    """Raise ValueError when the file is not a SQLite database or is damaged."""
    try:
        result = file.execute("PRAGMA integrity_check").fetchone()[0]
        broken = file.execute("PRAGMA foreign_key_check").fetchone()
    except sqlite3.DatabaseError as error:
        raise ValueError(f"its database is damaged: {error}") from None
    if result != "ok" or broken:
        raise ValueError(f"its database is damaged: {result if result != 'ok' else broken}")


def restore(source: Path) -> dict[str, int]:
    """Replace the database's whole content in one transaction, and return the row counts of the
    source; readers wait for the end.
    """
    connection.ensure_connection()
    with closing(sqlite3.connect(source)) as file:
        check(file)
        file.backup(connection.connection)  # whole pages: what was copied is equal
        cursor = file.cursor()
        tables = [row[0] for row in cursor.execute(TABLES).fetchall()]
        counts = archive.row_counts(cursor, tables)
    connection.close()
    return counts
