"""A new, empty database of the site's kind, which is dropped at the end."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from django.conf import settings
from django.db import connection
from psycopg.errors import InsufficientPrivilege
from psycopg.sql import SQL, Identifier, Literal

from shipskip.operations.backups import archive


class ScratchError(Exception):
    """The database cannot be created; a sentence that says what would do."""


@contextmanager
def database(folder: Path) -> Iterator[str]:
    """The address of a SQLite file in a temporary folder within `folder`, or of a database on the
    site's server.
    """
    if connection.vendor == "sqlite":
        with archive.temporary_folder(folder) as temporary:
            yield f"sqlite:///{temporary / 'scratch.sqlite3'}"
        return
    name = f"shipskip_scratch_{secrets.token_hex(4)}"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT datcollate, datctype FROM pg_database WHERE datname = current_database()"
        )
        collate, ctype = map(Literal, cursor.fetchone())
    create = SQL(
        "CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE {} LC_CTYPE {}"
    ).format(Identifier(name), collate, ctype)
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as server:
        try:
            server.execute(create)
        except InsufficientPrivilege:
            raise ScratchError(
                "the database's user may not create one. As a superuser of PostgreSQL:"
                f" ALTER ROLE {server.info.user} CREATEDB"
            ) from None
        try:
            address, _, options = settings.DATABASE_URL.get_secret_value().partition("?")
            yield f"{address.rpartition('/')[0]}/{name}" + (options and f"?{options}")
        finally:
            # Not WITH (FORCE): while autovacuum works in it, that needs the rights of a superuser.
            server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = %s AND usename = current_user",
                [name],
            )
            server.execute(SQL("DROP DATABASE IF EXISTS {}").format(Identifier(name)))
