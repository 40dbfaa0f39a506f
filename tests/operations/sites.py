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
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from reviews import voting
from tests.migrated_database import migrated_file
from tests.postgres import address, migrated_template, new_database
from tests.shared_database import use
from tools.models import Tool

SAMPLE = "fixtures/catalogue.json"
T = TypeVar("T")


class Site:
    """A site on one database: its commands, rows and pages."""

    def __init__(self, url: str) -> None:
        self.url = url

    def use(self) -> use:
        """Inside `with`, this is the default database of every thread."""
        return use(self.url)

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
        with pytest.raises(CommandError) as error:
            self.manage(*arguments)
        return str(error.value)

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
            voting.cast(tool, uuid4(), choice, f"203.0.{number}.0/24", timezone.now())


@contextmanager
def temporary_site(folder: Path, *, full: bool = True) -> Iterator[Site]:
    """A migrated site; `full`: with the sample catalogue, an editor and votes."""
    with _migrated(folder) as url:
        site = Site(url)
        if full:
            site.run(fill)
        yield site


@contextmanager
def _migrated(folder: Path) -> Iterator[str]:
    """The address of a migrated database, which is dropped at the end."""
    if connection.vendor == "sqlite":
        path = folder / f"{secrets.token_hex(4)}.sqlite3"
        shutil.copyfile(migrated_file(), path)
        path.chmod(0o600)
        yield f"sqlite:///{path}"
        return
    with new_database(migrated_template()) as name:
        yield address(name)


def altered_backup(
    backup: Path,
    target: Path,
    *,
    manifest: Callable[[dict[str, Any]], Any] | None = None,
    database: Callable[[bytes], bytes] | None = None,
) -> Path:
    """A complete archive like `backup`, with a changed manifest or database."""
    with zipfile.ZipFile(backup) as original, zipfile.ZipFile(target, "w") as made:
        content, held = json.loads(original.read("manifest.json")), original.read("database")
        if manifest:
            manifest(content)
        made.writestr("manifest.json", json.dumps(content))
        made.writestr("database", database(held) if database else held)
    return target
