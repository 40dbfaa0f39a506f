"""Bulk writes: add versions of thousands of rows, or delete them, with few SQL statements."""

from collections.abc import Sequence
from typing import Any

from django.db import connection, models
from simple_history.utils import get_history_manager_for_model

from shipskip.catalogue.change_log import LoadContext

CHUNK = 500


def add_versions(
    model: type[models.Model], pks: Sequence[int], kind: str, load_context: LoadContext
) -> None:
    """Copy these rows as they are stored to their history, as versions of a kind (`+`, `-`).

    A queryset would load each row as an object and send it back.
    """
    history: type[models.Model] = get_history_manager_for_model(model).model
    user = load_context.user.pk if load_context.user else None
    given = {
        "history_date": connection.ops.adapt_datetimefield_value(load_context.now),
        "history_change_reason": load_context.history_note,
        "history_type": kind,
        "history_user": user,
    }
    own = [field for field in history._meta.concrete_fields if field.name in given]
    columns = [_quoted(each.column) for each in model._meta.concrete_fields]
    into = ", ".join([*columns, *(_quoted(each.column) for each in own)])
    values = ", ".join([*columns, *map(_placeholder, own)])
    for chunk, places in _chunks(pks):
        _execute(
            f"INSERT INTO {_quoted(history._meta.db_table)} ({into}) SELECT {values} "  # noqa: S608
            f"FROM {_quoted(model._meta.db_table)} WHERE id IN ({places}) ORDER BY id",
            [*(given[field.name] for field in own), *chunk],
        )


def delete(model: type[models.Model], pks: Sequence[int]) -> None:
    """Delete rows to which no other row refers.

    A queryset would add a version of each to its history, row by row.
    """
    for chunk, places in _chunks(pks):
        table = _quoted(model._meta.db_table)
        _execute(f"DELETE FROM {table} WHERE id IN ({places})", chunk)  # noqa: S608 - our names


def _chunks(pks: Sequence[int]) -> list[tuple[Sequence[int], str]]:
    """Pieces of a list, each with its placeholders."""
    pieces = [pks[at : at + CHUNK] for at in range(0, len(pks), CHUNK)]
    return [(piece, ", ".join(["%s"] * len(piece))) for piece in pieces]


def _placeholder(field: "models.Field[Any, Any]") -> str:
    """A placeholder in a list of columns, whose type PostgreSQL does not infer."""
    return f"CAST(%s AS {field.db_type(connection)})" if connection.vendor == "postgresql" else "%s"


def _quoted(name: str | None) -> str:
    return str(connection.ops.quote_name(name or ""))


def _execute(sql: str, values: Sequence[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
