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
from django.core.management.sql import emit_post_migrate_signal
from django.db import connection
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.operations.base import Operation
from django.db.migrations.operations.models import DeleteModel, IndexOperation
from django.db.migrations.operations.special import RunPython
from django.db.migrations.state import ProjectState

from shipskip import settings
from shipskip.page_cache.version_triggers import Watch
from shipskip.search import index_triggers
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
    Migrate().to_newest()
    emit_post_migrate_signal(verbosity=0, interactive=False, db=connection.alias)
    for table in ("tools_attribute", "tools_historicalattribute", "search_change"):
        connection.cursor().execute(f"DELETE FROM {table}")  # noqa: S608 - our own tables


class Migrate:
    """Migrates the database forwards or backwards."""

    def __call__(self, app: str, name: str) -> Callable[[str], Any]:
        """Migrate an app to that migration; a function that gets a model by its name as it is then.
        Backwards, apps that depend on the migrated one go back with it.
        """
        _walk([(app, name)])
        state = MigrationExecutor(connection).loader.project_state([(app, name)])
        return lambda model: state.apps.get_model(app, model)

    def to_newest(self) -> None:
        """Migrate all apps to their newest, which the models of the code need."""
        _walk(MigrationExecutor(connection).loader.graph.leaf_nodes())


@pytest.fixture
def migrate(transactional_db: None) -> Iterator[Migrate]:
    """Migrates the database; afterwards it is at the newest state, for the tests that follow."""
    from tests.postgres import copy_template

    yield Migrate()
    if connection.vendor == "sqlite":  # a copy, because the way forward takes seconds
        with closing(sqlite3.connect(migrated_file())) as newest:
            newest.backup(connection.connection)
    else:
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined] # of PostgreSQL
        copy_template(str(connection.settings_dict["NAME"]))


def _walk(targets: list[tuple[str, str]]) -> None:
    """Migrate to these migrations as the command does, without its signals, in a third of its time:
    the command makes the model classes of every app and of every later state too.
    """
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(targets)
    applied = executor.loader.applied_migrations
    state = ProjectState(real_apps=executor.loader.unmigrated_apps)
    before = dict[Migration, ProjectState]()
    for migration, _ in executor.migration_plan(executor.loader.graph.leaf_nodes(), True):
        if (migration.app_label, migration.name) in applied:
            if (migration, True) in plan:
                before[migration] = state.clone()
            migration.mutate_state(state, preserve=False)
    for migration, backwards in plan:
        starting = _with_models_of(migration, before[migration] if backwards else state)
        assert starting.apps  # made once: operations then make again only the classes they change
        if backwards:
            executor.unapply_migration(starting, migration)
        else:
            executor.apply_migration(starting, migration)
            migration.mutate_state(state, preserve=False)
    index_triggers.restore(connection)


def _with_models_of(migration: Migration, state: ProjectState) -> ProjectState:
    """The state with the models that the operations of this migration concern, and of those that
    they refer to the plain columns. A function may use all models of its app and of the apps that
    it depends on, and those that they refer to, directly or not.
    """
    state = state.clone()
    app, operations = migration.app_label, migration.operations
    apps = {app, *(label for label, _ in migration.dependencies)}
    kept = {
        key
        for key in state.models
        if any(_concerns(operation, app, key, apps) for operation in operations)
    }
    referred = _referred(state, kept)
    if any(isinstance(operation, RunPython) for operation in operations):
        while referred:
            kept |= referred
            referred = _referred(state, kept)
    for key in referred:
        for name, field in list(state.models[key].fields.items()):
            if field.is_relation:
                state.remove_field(*key, name)
    for key in set(state.models) - kept - referred:
        state.remove_model(*key)
    return state.clone()  # without relations, with which an altered column would become the last


def _referred(state: ProjectState, keys: set[tuple[str, str]]) -> set[tuple[str, str]]:
    return {key for key, referring in state.relations.items() if keys & set(referring)} - keys


def _concerns(operation: Operation, app: str, key: tuple[str, str], apps: set[str]) -> bool:
    match operation:
        case IndexOperation():
            return key == (app, operation.model_name_lower)
        case DeleteModel():
            return key == (app, operation.name_lower)
        case Watch():
            return key in {(operation.app, name.lower()) for name in operation.models}
    return key[0] in apps and operation.references_model(key[1], key[0])


def fingerprint() -> str:
    """A hash of the code and of the locked packages."""
    found = hashlib.sha256((ROOT / "requirements-dev.lock").read_bytes())
    for folder in ("shipskip", "tools", "reviews", "comparisons"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            found.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return found.hexdigest()[:16]
