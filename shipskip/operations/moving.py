"""Moving all rows from one database to another, also of the other kind, with the same keys.

Rows are read and written through their fields, so that each database gets a value in its own way. A
table is copied in chunks, so that a million rows need little memory; its rows are compared
afterwards by a checksum of what the site reads from either database.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from hashlib import blake2b
from itertools import islice
from typing import Any

from django.apps import apps
from django.db import connections, models, transaction

from shipskip.page_cache.models import ContentVersion

CHUNK = 2_000
SOURCE, TARGET = "default", "target"
"""The aliases of the two databases."""
REMADE = {"search_document", "search_change", "search_word", "web_contentversion"}
"""Tables that are not copied: the search index is made again from the rows, and the content version
only has to be higher.
"""
MADE_BY_MIGRATIONS = {
    *("django_content_type", "auth_permission", "auth_group", "auth_group_permissions"),
    *("tools_attribute", "tools_historicalattribute"),
}
"""Tables in which a migrated database without content has rows; they are replaced."""


class MoveError(Exception):
    """Nothing was moved; a sentence with the reason."""


@dataclass(frozen=True)
class Table:
    """What was moved of a table."""

    name: str
    rows: int
    checksum: str


def models_to_move() -> list[type[models.Model]]:
    """The model of every table, many-to-many tables too."""
    found = [
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy
    ]
    kept = [model for model in found if model._meta.db_table not in REMADE]
    return sorted(kept, key=lambda model: model._meta.db_table)


def refuse_rows() -> None:
    """Raise MoveError if the target has rows besides those that migrations make."""
    for model in models_to_move():
        table = model._meta.db_table
        if table not in MADE_BY_MIGRATIONS and _rows(model, TARGET).exists():
            raise MoveError(f"the target has rows already, in {table}; name an empty database")


def move() -> Iterator[Table]:
    """Copy every table in one transaction of the target, and compare it; each table when it is
    copied and the same. Raises MoveError, and the target is as before.
    """
    chosen = models_to_move()
    with transaction.atomic(using=SOURCE), transaction.atomic(using=TARGET):
        _hold_snapshot()
        for model in chosen:  # foreign keys are checked at the end of the transaction
            _delete_all(model)
        for model in chosen:
            _copy(model)
            there, here = _summary(model, SOURCE), _summary(model, TARGET)
            if there != here:
                raise MoveError(f"{there.name} differs after the copy: {there}, {here}")
            yield here
        connections[TARGET].check_constraints()
        _continue_keys(chosen)
        _raise_content_version()


def _hold_snapshot() -> None:
    """Read one state of the source; on SQLite its writers wait meanwhile."""
    if connections[SOURCE].vendor == "postgresql":
        with connections[SOURCE].cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


def _rows(model: type[models.Model], alias: str) -> models.QuerySet[models.Model]:
    """All rows, deleted ones too."""
    return model._base_manager.using(alias).order_by()


def _columns(model: type[models.Model]) -> "list[models.Field[Any, Any]]":
    """The fields with a column that can be written."""
    return [field for field in model._meta.concrete_fields if not field.generated]


def _values(model: type[models.Model], alias: str) -> Iterator[tuple[Any, ...]]:
    names = [field.attname for field in _columns(model)]
    return _rows(model, alias).values_list(*names).iterator(chunk_size=CHUNK)


def _delete_all(model: type[models.Model]) -> None:
    target = connections[TARGET]
    with target.cursor() as cursor:
        cursor.execute(f"DELETE FROM {target.ops.quote_name(model._meta.db_table)}")  # noqa: S608


def _copy(model: type[models.Model]) -> None:
    """Insert the rows as they are: no default, no `auto_now`, no signal."""
    target, fields = connections[TARGET], _columns(model)
    quote = target.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in fields)
    marks = ", ".join(["%s"] * len(fields))
    insert = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({marks})"  # noqa: S608
    rows = _values(model, SOURCE)
    with target.cursor() as cursor:
        while chunk := list(islice(rows, CHUNK)):
            cursor.executemany(
                insert,
                [
                    [
                        field.get_db_prep_save(value, target)
                        for field, value in zip(fields, row, strict=True)
                    ]
                    for row in chunk
                ],
            )


def _summary(model: type[models.Model], alias: str) -> Table:
    """The number of rows, and the sum of a hash of each, which does not depend on their order."""
    count = total = 0
    for row in _values(model, alias):
        text = "\x1f".join(map(_text, row))
        total += int.from_bytes(blake2b(text.encode(), digest_size=8).digest())
        count += 1
    return Table(model._meta.db_table, count, f"{total % 2**64:016x}")


def _text(value: Any) -> str:
    """A value as text, the same from both databases."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")
    if isinstance(value, memoryview | bytes):
        return bytes(value).hex()
    if isinstance(value, dict | list):
        return json.dumps(value, sort_keys=True)
    return repr(value)


def _continue_keys(chosen: list[type[models.Model]]) -> None:
    """Let the target give keys that the source has never given: the histories of deleted rows name
    their keys.
    """
    source, target = connections[SOURCE], connections[TARGET]
    with source.cursor() as reading, target.cursor() as writing:
        for model in chosen:
            key = model._meta.pk
            if not isinstance(key, models.AutoField | models.BigAutoField):
                continue
            table = model._meta.db_table
            last = _last_key(reading, source.vendor, table, str(key.column))
            if not last:
                continue
            if target.vendor == "postgresql":
                writing.execute(
                    "SELECT setval(pg_get_serial_sequence(%s, %s), %s)",
                    [f'"{table}"', key.column, last],
                )
            else:
                writing.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
                writing.execute(
                    "INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, last]
                )


def _last_key(cursor: Any, vendor: str, table: str, column: str) -> int:
    """The last key that a table has given, also if its row was deleted; 0 if none."""
    if vendor == "postgresql":
        cursor.execute(
            "SELECT pg_sequence_last_value(pg_get_serial_sequence(%s, %s)::regclass)",
            [f'"{table}"', column],
        )
    else:
        cursor.execute("SELECT max(seq) FROM sqlite_sequence WHERE name = %s", [table])
    return int(cursor.fetchone()[0] or 0)


def _raise_content_version() -> None:
    """Above both numbers, so that no page or program takes the new site for an old state."""
    numbers = [
        ContentVersion.objects.using(alias).values_list("number", flat=True).first() or 0
        for alias in (SOURCE, TARGET)
    ]
    ContentVersion.objects.using(TARGET).update_or_create(
        pk=1, defaults={"number": max(numbers) + 1}
    )
