"""Copies of a SQLite database, in and out, by its own online backup."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.db import connection

PAGES = 4096
"""So many pages (16 MB) are copied at a time; writers get their turn in between."""


def copy(target: Path) -> None:
    """Copy the database as it is at one moment, while readers and writers go on."""
    connection.ensure_connection()
    with closing(sqlite3.connect(target)) as file:
        connection.connection.backup(file, pages=PAGES)
        file.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it
    check(target)


def check(path: Path) -> None:
    """Raises ValueError when the file is no SQLite database, or a damaged one."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as file:
            said = file.execute("PRAGMA integrity_check").fetchone()[0]
            broken = file.execute("PRAGMA foreign_key_check").fetchone()
    except sqlite3.DatabaseError as fault:
        raise ValueError(f"its database is damaged: {fault}") from None
    if said != "ok" or broken:
        raise ValueError(f"its database is damaged: {said if said != 'ok' else broken}")


def put_back(source: Path) -> None:
    """Replace the database's whole content in one transaction; whoever reads waits for it."""
    check(source)
    connection.ensure_connection()
    with closing(sqlite3.connect(source)) as file:
        file.backup(connection.connection)
    connection.close()


@contextmanager
def instead(path: Path) -> Iterator[None]:
    """Within the block `default` is connected to that file, and nothing else."""
    connection.close()
    known = connection.settings_dict
    kept, known["NAME"] = known["NAME"], str(path)
    try:
        yield
    finally:
        connection.close()
        known["NAME"] = kept
