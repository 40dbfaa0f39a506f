"""Sites with their own databases, of the kind that the suite runs on."""

import json
import secrets
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote
from uuid import uuid4

import psycopg
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.test import Client
from django.utils import timezone
from psycopg import sql

from reviews import ballot
from shipskip import settings
from shipskip.operations.settings_doctor import rules
from tests.migrated import migrated_file
from tools.models import Tool

SAMPLE = "fixtures/catalogue.json"
T = TypeVar("T")


class Site:
    """A site on one database: its commands, rows and pages."""

    def __init__(self, url: str) -> None:
        self.own = settings._database(rules.database(url))
        self.own["OPTIONS"].pop("pool", None)  # a pool belongs to the alias of the database

    @contextmanager
    def use(self) -> Iterator[None]:
        """Inside `with`, this is the default database of every thread."""
        others, before = connections.settings, connections["default"]
        connections.settings = connections.configure_settings({"default": self.own})
        del connections["default"]
        try:
            yield
        finally:
            connections["default"].close()
            connections.settings = others
            connections["default"] = before

    def run(self, act: Callable[[], T]) -> T:
        """Call a function on this database; return its result."""
        with self.use():
            return act()

    def manage(self, *arguments: str) -> str:
        """The output of a command; raises CommandError if it fails."""
        out = StringIO()
        with self.use():
            call_command(*arguments, stdout=out)
        return out.getvalue()

    def refused(self, *arguments: str) -> str:
        """The error of a command that fails."""
        with pytest.raises(CommandError) as fault:
            self.manage(*arguments)
        return str(fault.value)

    def content(self) -> dict[str, list[str]]:
        """Every row of every table as text, except the content version and the search index."""
        found = {}
        with self.use(), connection.cursor() as cursor:
            for table in connection.introspection.table_names(cursor):
                if table != "web_contentversion" and not table.startswith(INDEX):
                    cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608 - our own tables
                    found[table] = sorted(map(repr, cursor.fetchall()))
        return found

    def page(self, path: str) -> str:
        """A page as a reader receives it."""
        return self.run(lambda: Client().get(path).content.decode())


INDEX = ("search_change", "search_document", "search_text", "search_word")
"""The tables that are made again from the others."""


def fill() -> None:
    """The sample catalogue, an editor, and votes on some tools."""
    call_command("load_catalogue", SAMPLE, stdout=StringIO())
    User.objects.create_user("editor", "editor@example.org")
    for tool in Tool.objects.order_by("pk")[:5]:
        for number in range(4):
            choice = "ship" if number else "skip"
            ballot.cast(tool, uuid4(), choice, f"203.0.{number}.0/24", timezone.now())


@contextmanager
def a_database(folder: Path) -> Iterator[str]:
    """The address of an empty database, which is dropped at the end."""
    if connection.vendor == "sqlite":
        yield f"sqlite:///{folder / secrets.token_hex(4)}.sqlite3"
        return
    known = connection.settings_dict
    login = quote(known["USER"]) + (f":{quote(known['PASSWORD'])}" if known["PASSWORD"] else "")
    server = f"postgres://{login}@{known['HOST']}:{known['PORT'] or 5432}"
    name = f"drill_{secrets.token_hex(4)}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as door:
        door.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield f"{server}/{name}"
        finally:
            drop = sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            door.execute(drop)


@contextmanager
def a_site(folder: Path, *, full: bool = True) -> Iterator[Site]:
    """A migrated site; `full`: with the sample catalogue, an editor and votes."""
    with a_database(folder) as url:
        site = Site(url)
        if connection.vendor == "sqlite":
            shutil.copyfile(migrated_file(), url.removeprefix("sqlite:///"))
        else:
            site.manage("migrate", "--verbosity", "0")
        if full:
            site.run(fill)
        yield site


def altered(
    backup: Path,
    target: Path,
    *,
    manifest: Callable[[dict[str, Any]], Any] | None = None,
    database: Callable[[bytes], bytes] | None = None,
) -> Path:
    """A complete archive like `backup`, with a changed manifest or database."""
    with zipfile.ZipFile(backup) as kept, zipfile.ZipFile(target, "w") as made:
        said, held = json.loads(kept.read("manifest.json")), kept.read("database")
        if manifest:
            manifest(said)
        made.writestr("manifest.json", json.dumps(said))
        made.writestr("database", database(held) if database else held)
    return target
