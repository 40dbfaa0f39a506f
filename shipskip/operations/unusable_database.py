"""Sentences about a database that cannot be used: what is wrong, and what would do."""

import getpass
import sqlite3
from pathlib import Path

import psycopg
from django.conf import settings
from django.db import DatabaseError


def sentence(error: DatabaseError) -> str | None:
    """What an operator can do about this error; None if it is a fault of the code."""
    cause = error.__cause__
    if isinstance(cause, psycopg.OperationalError):
        reason = (str(cause).splitlines() or ["no reason given"])[0]
        return f"PostgreSQL cannot be used: {reason}. `manage.py doctor` checks DATABASE_URL."
    if isinstance(cause, sqlite3.DatabaseError):
        return _about_file(cause.sqlite_errorname, Path(settings.DATABASES["default"]["NAME"]))
    return None


def _about_file(code: str, path: Path) -> str | None:
    """A sentence about a file of SQLite, by SQLite's result code."""
    if code.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM")):
        owner = _owner(path if path.exists() else path.parent)
        return (
            f"{getpass.getuser()} cannot write the database {path}. Run this as {owner}, or set "
            "DATABASE_URL to a file in a folder that you may write."
        )
    if code == "SQLITE_FULL":
        return f"The disk of the database {path} is full. Make room, then run this again."
    if code.startswith("SQLITE_BUSY"):
        return f"Another program keeps the database {path} locked. Run this again later."
    if code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return (
            f"The database {path} is damaged. Bring a backup back: manage.py restore FILE --replace"
        )
    return None


def _owner(path: Path) -> str:
    """Who owns the file or folder, or the folder that is missing."""
    try:
        return f"its owner, {path.owner()}"
    except FileNotFoundError:
        return f"the owner of its folder, which does not exist yet ({path})"
    except KeyError:  # the number has no name here, as in a container
        return f"its owner, number {path.stat().st_uid}"
