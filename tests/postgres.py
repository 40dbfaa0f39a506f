"""A migrated PostgreSQL database, made once for all processes and runs until a file of the code
changes, and others on the same server.
"""

import hashlib
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from time import time
from urllib.parse import urlsplit

import psycopg
from psycopg.sql import SQL, Identifier, Literal

from shipskip import settings
from tests.everything import POSTGRES
from tests.migrated_database import DAY, fingerprint, migrate_without_rows
from tests.shared_database import use
from tests.source_files import ROOT

PREFIX = "shipskip_migrated_"
LOCK = 0x7E_57_7E_57
"""The advisory lock of the process that migrates; an arbitrary number."""


def address(name: str) -> str:
    """The URL of that database on the server of the tests."""
    own = settings.DATABASE_URL.get_secret_value()
    server = own if own.startswith("postgres") else POSTGRES
    return urlsplit(server)._replace(path=f"/{name}").geturl()


def own_name(name: str) -> str:
    """A database's name with that of this copy of the project: two copies may be tested at once on
    one server, and a run begins with dropping what is left of an earlier one.
    """
    return f"{name}_{hashlib.sha256(str(ROOT).encode()).hexdigest()[:8]}"


@contextmanager
def new_database(template: str = "template1") -> Iterator[str]:
    """The name of a database, empty or a copy of another, which is dropped at the end."""
    name = f"temporary_{secrets.token_hex(4)}"
    with psycopg.connect(address("postgres"), autocommit=True) as server:
        _copy(server, template, name)
        try:
            yield name
        finally:
            _drop(server, name)


def copy_template(name: str) -> None:
    """Replace that database by a copy of the migrated one."""
    with psycopg.connect(address("postgres"), autocommit=True) as server:
        _drop(server, name)
        _copy(server, migrated_template(), name)


def _copy(server: psycopg.Connection, template: str, name: str) -> None:
    create = SQL("CREATE DATABASE {} TEMPLATE {}")
    server.execute(create.format(Identifier(name), Identifier(template)))


def _drop(server: psycopg.Connection, name: str) -> None:
    server.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))


@cache
def migrated_template() -> str:
    """The name of the migrated database: to be copied; it accepts no connection.

    It is named by a hash, as tests/migrated_database.py explains; its comment is the day of its
    last use.
    """
    name = f"{PREFIX}{fingerprint()}"
    with psycopg.connect(address("postgres"), autocommit=True) as server:
        server.execute("SELECT pg_advisory_lock(%s)", [LOCK])  # until this connection ends
        names = _last_uses(server)
        if name not in names:
            for old, last_use in names.items():
                if last_use < time() - DAY:
                    server.execute(SQL("DROP DATABASE {}").format(Identifier(old)))
            _migrate(server, name)
        used = SQL("COMMENT ON DATABASE {} IS {}")
        server.execute(used.format(Identifier(name), Literal(f"{time():.0f}")))
    return name


def _last_uses(server: psycopg.Connection) -> dict[str, int]:
    """The migrated databases and when they were last used, in seconds; 0 where it is unknown."""
    query = "SELECT datname, shobj_description(oid, 'pg_database') FROM pg_database"
    found = server.execute(f"{query} WHERE starts_with(datname, %s)", [PREFIX]).fetchall()
    return {name: int(last_use or 0) for name, last_use in found}


def _migrate(server: psycopg.Connection, name: str) -> None:
    """Migrate a new database and give it that name when all has succeeded."""
    with new_database() as draft:
        with use(address(draft)):
            migrate_without_rows()
        done = SQL("ALTER DATABASE {} RENAME TO {}")
        closed = SQL("ALTER DATABASE {} WITH ALLOW_CONNECTIONS false")
        server.execute(closed.format(Identifier(draft)))
        server.execute(done.format(Identifier(draft), Identifier(name)))
