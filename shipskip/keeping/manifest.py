"""What a backup says of itself: of which database it is, what is in it, how to tell it is whole."""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import Http404
from django.test import RequestFactory
from django.urls import resolve
from django.utils import timezone

from comparisons.models import Comparison
from shipskip import catalogue
from tools.models import Tool

FORMAT = "shipskip-backup/1"


@dataclass(frozen=True)
class Manifest:
    """What was in the database at the moment of the backup."""

    format: str
    taken_at: str
    vendor: str
    migrations: list[str]
    rows: dict[str, int]
    catalogue: str
    page: str
    page_bytes: str

    def text(self) -> str:
        """The manifest as a JSON document."""
        return json.dumps(asdict(self), indent=1) + "\n"

    @classmethod
    def read(cls, text: str) -> "Manifest":
        """The manifest of a backup; raises ValueError when it is none that this site can read."""
        found: Any = json.loads(text)
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise ValueError("it is no backup of this site, or one of a newer version")
        try:
            return cls(**found)
        except TypeError as fault:
            raise ValueError(f"its manifest is damaged: {fault}") from None


def take() -> Manifest:
    """The manifest of the database that `default` is connected to, as it is now.

    The counts and the page belong to one moment where the caller holds a transaction that sees
    one (PostgreSQL: repeatable read), or nobody writes (a copy in SQLite).
    """
    page = a_page()
    return Manifest(
        format=FORMAT,
        taken_at=timezone.now().isoformat(timespec="seconds"),
        vendor=connection.vendor,
        migrations=applied(),
        rows=rows(),
        catalogue=of_catalogue(),
        page=page,
        page_bytes=of_page(page),
    )


def rows() -> dict[str, int]:
    """How many rows each table has."""
    with connection.cursor() as cursor:
        found = {}
        for table in sorted(connection.introspection.table_names(cursor)):
            cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608
            found[table] = cursor.fetchone()[0]
    return found


def applied() -> list[str]:
    """The migrations that the database holds."""
    names = MigrationRecorder(connection).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in names)


def unknown(migrations: list[str]) -> list[str]:
    """Those of these migrations that this code does not know: a newer one made them."""
    ours = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    return [name for name in migrations if name not in ours]


def of_catalogue() -> str:
    """The SHA-256 of the whole catalogue document; it does not depend on the hour."""
    digest = hashlib.sha256()
    for piece in catalogue.dump():
        digest.update(piece.encode())
    return digest.hexdigest()


def a_page() -> str:
    """The address of a page that shows much: a comparison, else a tool, else the home page."""
    now = timezone.now()
    pair = Comparison.objects.published(now).with_tools().order_by("pk").first()
    tool = Tool.objects.published(now).order_by("pk").first()
    found = pair or tool
    return found.get_absolute_url() if found else "/"


def of_page(path: str) -> str:
    """The SHA-256 of a page; raises ValueError when there is none.

    The view itself is asked, so that no memory of pages answers for the database.
    """
    match = resolve(path)
    request = RequestFactory().get(path)
    request.resolver_match = match
    try:
        response = match.func(request, *match.args, **match.kwargs)
    except Http404 as fault:
        raise ValueError(f"{path} is not there: {fault}") from None
    if response.status_code != 200:
        raise ValueError(f"{path} answers {response.status_code}")
    return hashlib.sha256(response.content).hexdigest()
