"""A migrated SQLite file, made once for all processes and runs until a file of the code changes."""

import fcntl
import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from time import time
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from shipskip import settings
from tests.source_files import ROOT

FOLDER = settings.VAR_DIR / "migrated"
DAY = 24 * 3600


@cache
def migrated_file() -> Path:
    """The file; to be copied, never to be changed. Access to databases must be allowed.

    Its name is a hash of the code and of the locked packages, because migrations import code.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{fingerprint()}.sqlite3"
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one process migrates, the others wait for its file
        if not path.exists():
            for old in FOLDER.glob("*.sqlite3*"):
                if old.stat().st_mtime < time() - DAY:
                    old.unlink()
            _migrate(path)
    return path


def fill_memory(name: str) -> sqlite3.Connection:
    """Copy the file into this process's SQLite database in memory with that name.

    The database exists until the returned connection is closed.
    """
    copy = sqlite3.connect(name, uri=True, check_same_thread=False)
    source = sqlite3.connect(migrated_file())
    source.backup(copy)
    source.close()
    return copy


def _migrate(path: Path) -> None:
    from tests.shared_database import use

    draft = path.with_suffix(f".sqlite3.{os.getpid()}")
    with use(f"sqlite:///{draft}"):
        migrate_without_rows()
        connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    draft.rename(path)


def migrate_without_rows() -> None:
    """Migrate, and delete the attribute of licences that a migration makes: tests begin with an
    empty site, as after a flush.
    """
    call_command("migrate", verbosity=0)
    for table in ("tools_attribute", "tools_historicalattribute", "search_change"):
        connection.cursor().execute(f"DELETE FROM {table}")  # noqa: S608 - our own tables


@pytest.fixture
def migrate(transactional_db: None) -> Iterator[Callable[[str, str], Callable[[str], Any]]]:
    """Return a function that migrates an app forwards or backwards, and the apps that depend on it
    back with it; it returns one that gets a model by its name as it is then. Afterwards the
    database is at the newest state, for the tests that follow.
    """
    from tests.postgres import copy_template

    def migrate_to(app: str, name: str) -> Callable[[str], Any]:
        call_command("migrate", app, name, verbosity=0)
        state = MigrationExecutor(connection).loader.project_state([(app, name)])
        return lambda model: state.apps.get_model(app, model)  # the first call makes the classes

    yield migrate_to
    if connection.vendor == "sqlite":  # a copy, because the way forward takes seconds
        with closing(sqlite3.connect(migrated_file())) as newest:
            newest.backup(connection.connection)
    else:
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined] # of PostgreSQL
        copy_template(str(connection.settings_dict["NAME"]))


def fingerprint() -> str:
    """A hash of the code and of the locked packages."""
    found = hashlib.sha256((ROOT / "requirements-dev.lock").read_bytes())
    for folder in ("shipskip", "tools", "reviews", "comparisons"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            found.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return found.hexdigest()[:16]
