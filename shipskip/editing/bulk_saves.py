"""Save many rows with few SQL statements, each with a version in its history."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self, TypeVar

from django.db import connection, models
from django.utils import timezone
from simple_history.utils import get_history_manager_for_model

from shipskip.web.publishing import Editor, Versioned

M = TypeVar("M", bound=models.Model)

CHUNK = 500


@dataclass(frozen=True)
class Save:
    """One act of saving: who saves and when, the note in the histories, and `published_now`, the
    tools (primary keys) that readers could not see before it.
    """

    user: Editor = None
    now: datetime = field(default_factory=lambda: timezone.now())  # at each save, not at import
    note: str = ""
    published_now: Collection[int] = ()

    @classmethod
    def of(cls, row: Versioned) -> Self:
        """The save of a row, as `changed_by` prepared it."""
        note = getattr(row, "_change_reason", None) or ""
        return cls(user=getattr(row, "_history_user", None), note=note)


def insert_rows(rows: Sequence[M], save: Save, notes: Mapping[int, str] | None = None) -> None:
    """Insert rows of one model and their first versions; `notes` replace the note of the save for
    some of them, by their place in the list.
    """
    if rows:
        type(rows[0])._default_manager.bulk_create(rows)
        own = {rows[at].pk: note for at, note in (notes or {}).items()}
        add_versions(type(rows[0]), [row.pk for row in rows], "+", save, own)


def update_rows(
    changed: Sequence[tuple[M, Collection[str]]],
    save: Save,
    notes: Mapping[int, str] | None = None,
) -> None:
    """Write the named fields of rows of one model, and a version of each; `notes` replace the note
    of the save for some of them, by primary key.
    """
    # All fields of a row at once: a constraint may concern several.
    by_fields: dict[tuple[str, ...], list[M]] = {}
    for row, names in changed:
        by_fields.setdefault(tuple(sorted(names)), []).append(row)
    for fields, rows in sorted(by_fields.items(), key=lambda each: each[0]):
        type(rows[0])._default_manager.bulk_update(rows, fields)
    if changed:
        add_versions(type(changed[0][0]), [row.pk for row, _ in changed], "~", save, notes or {})


def delete_rows(
    model: type[models.Model],
    pks: Sequence[int],
    save: Save,
    notes: Mapping[int, str] | None = None,
) -> None:
    """Delete rows to which no other row refers, with a last version of each.

    A queryset would load each row and write its version by itself.
    """
    add_versions(model, pks, "-", save, notes or {})
    for chunk, places in _chunks(pks):
        table = _quoted(model._meta.db_table)
        _execute(f"DELETE FROM {table} WHERE id IN ({places})", chunk)  # noqa: S608 - our names


def add_versions(
    model: type[models.Model], pks: Sequence[int], kind: str, save: Save, notes: Mapping[int, str]
) -> None:
    """Copy these rows as they are stored to their history, as versions of a kind (`+`, `~`, `-`)
    with the note of the save, or their own of `notes`.

    A queryset would load each row as an object and send it back.
    """
    by_note: dict[str, list[int]] = {}
    for pk in pks:
        by_note.setdefault(notes.get(pk, save.note), []).append(pk)
    history: type[models.Model] = get_history_manager_for_model(model).model
    given = {
        "history_date": connection.ops.adapt_datetimefield_value(save.now),
        "history_type": kind,
        "history_user": save.user.pk if save.user else None,
        "history_change_reason": None,
    }
    own = [each for each in history._meta.concrete_fields if each.name in given]
    kept = {each.column for each in history._meta.concrete_fields}
    columns = [_quoted(each.column) for each in model._meta.concrete_fields if each.column in kept]
    into = ", ".join([*columns, *(_quoted(each.column) for each in own)])
    values = ", ".join([*columns, *map(_placeholder, own)])
    for note, rows in by_note.items():
        given["history_change_reason"] = note or None
        for chunk, places in _chunks(rows):
            _execute(
                f"INSERT INTO {_quoted(history._meta.db_table)} ({into}) SELECT {values} "  # noqa: S608
                f"FROM {_quoted(model._meta.db_table)} WHERE id IN ({places}) ORDER BY id",
                [*(given[each.name] for each in own), *chunk],
            )


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
