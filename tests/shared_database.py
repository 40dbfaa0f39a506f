"""A database that several threads or processes share, each with separate transactions."""

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from threading import Barrier, Event
from typing import Any, TypeVar

import pytest
from django.db import OperationalError, connection, connections
from pytest_django import DjangoDbBlocker

from shipskip.operations.settings_doctor import rules
from shipskip.web.connections import DATABASE_POOL, connection_settings
from tests.migrated_database import migrated_file
from tests.waiting import WAIT, wait_until

T = TypeVar("T")

WAITING = """SELECT count(*) FROM pg_locks
    WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"""
"""How many wait for a lock of this connection."""


def at_once(*functions: Callable[[], object]) -> list[object]:
    """The results of functions that start at the same instant; raises the first error."""
    start = Barrier(len(functions))

    def run(function: Callable[[], object]) -> object:
        try:
            if len(functions) < DATABASE_POOL:
                connection.ensure_connection()  # so that the functions race, not their connections
            start.wait(WAIT)
            return function()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(functions)) as pool:
        return list(pool.map(run, functions, timeout=WAIT))


def start_waiting(function: Callable[[], T]) -> "Future[T]":
    """Start a function in a thread; return when it waits for a lock of this thread's transaction.

    PostgreSQL tells who waits. SQLite does not: there the thread first asks without waiting, and
    is refused.
    """
    is_sqlite, is_refused = connection.vendor == "sqlite", Event()

    def ask_twice(execute: Any, *statement: Any) -> Any:
        try:
            return execute(*statement)
        except OperationalError:
            if is_refused.is_set():
                raise
            is_refused.set()
            connection.connection.execute(f"PRAGMA busy_timeout = {WAIT * 1000}")
            return execute(*statement)

    def run() -> T:
        try:
            connection.ensure_connection()
            if is_sqlite:
                connection.connection.execute("PRAGMA busy_timeout = 0")
            with connection.execute_wrapper(ask_twice) if is_sqlite else nullcontext():
                return function()
        finally:
            connection.close()

    def waits() -> bool:
        if is_sqlite:
            return is_refused.is_set()
        with connection.cursor() as cursor:
            cursor.execute(WAITING)
            return bool(cursor.fetchone()[0])

    pool = ThreadPoolExecutor(1)
    future = pool.submit(run)
    pool.shutdown(wait=False)
    wait_until(lambda: waits() or future.done())
    assert not future.done(), f"it does not wait: {future.result()}"
    return future


@pytest.fixture(scope="module")
def sqlite_file(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Path | None]:
    """On SQLite a migrated file, as on a site; other tests share one in memory, and its locks."""
    if connection.vendor != "sqlite":
        yield None
        return
    path = tmp_path_factory.mktemp("shared") / "db.sqlite3"
    with django_db_blocker.unblock():
        shutil.copyfile(migrated_file(), path)
        with use(f"sqlite:///{path}"):
            yield path


class use:  # noqa: N801
    """Within it, the default database of every thread is the one at that URL, with the site's own
    options.
    """

    def __init__(self, url: str) -> None:
        self.own = connection_settings(rules.database(url))
        self.own["OPTIONS"].pop("pool", None)  # a pool belongs to the alias of the database

    def __enter__(self) -> None:
        self.others, self.connection = connections.settings, connections["default"]
        connections.settings = connections.configure_settings({"default": self.own})
        del connections["default"]

    def __exit__(self, *_: object) -> None:
        connections["default"].close()
        connections.settings = self.others
        connections["default"] = self.connection


@pytest.fixture
def database(transactional_db: None, sqlite_file: Path | None) -> Iterator[None]:
    """A database in which every thread commits for itself, as the site's workers do."""
    if sqlite_file is None:
        yield
        return
    with use(f"sqlite:///{sqlite_file}"):
        yield
