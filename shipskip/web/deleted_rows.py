"""The migration to rows that stay in their tables when they are deleted, and back.

Until then a deleted row was only in its history, with a last version of the type “Deleted”.
"""

from collections.abc import Callable
from typing import Any

from django.db.migrations import RunPython
from django.db.models import ProtectedError


def keep_deleted_rows(
    app: str, name: str, derive: Callable[[Any], None] = lambda row: None
) -> RunPython:
    """Return a migration operation that puts the deleted rows of a model into its table again.

    Rows whose parents do not exist stay in the history. `derive` sets the fields that the history
    does not have. The reverse deletes these rows, which the history keeps; rows that others need
    are not deleted any more.
    """

    def forwards(apps: Any, editor: Any) -> None:
        model, history = apps.get_model(app, name), apps.get_model(app, f"Historical{name}")
        _insert_deleted(model._base_manager, history._base_manager, derive)

    def backwards(apps: Any, editor: Any) -> None:
        model, history = apps.get_model(app, name), apps.get_model(app, f"Historical{name}")
        _delete_for_good(model._base_manager, history._base_manager)

    return RunPython(forwards, backwards)


def _insert_deleted(rows: Any, versions: Any, derive: Callable[[Any], None]) -> None:
    """Insert a row for each last version of a deleted one, and make that an ordinary version."""
    gone = versions.filter(history_type="-").exclude(id__in=rows.values("pk"))
    last = {version.id: version for version in gone.order_by("history_id").iterator()}
    known = {field.attname for field in versions.model._meta.concrete_fields}
    fields = [field for field in rows.model._meta.concrete_fields if field.attname in known]
    for version in last.values():
        row = rows.model(**{field.attname: getattr(version, field.attname) for field in fields})
        parents = [field for field in fields if field.is_relation]
        if not all(_has_parent(row, field) for field in parents):
            continue
        if row.published_at and row.published_at <= version.history_date:
            row.withdrawn_at = version.history_date
        row.published_at, row.deleted_at = None, version.history_date
        derive(row)
        row.save(force_insert=True)
        versions.filter(pk=version.pk).update(
            history_type="~",
            published_at=None,
            withdrawn_at=row.withdrawn_at,
            deleted_at=row.deleted_at,
        )


def _has_parent(row: Any, field: Any) -> bool:
    key = getattr(row, field.attname)
    return key is None or field.related_model._base_manager.filter(pk=key).exists()


def _delete_for_good(rows: Any, versions: Any) -> None:
    for row in rows.exclude(deleted_at=None).order_by("pk"):
        last = versions.filter(id=row.pk).order_by("-history_id").first()
        try:
            row.delete()
            versions.filter(pk=last.pk).update(history_type="-")
        except ProtectedError:
            row.deleted_at = None
            if rows.filter(slug=row.slug, deleted_at=None).exists():
                row.slug = f"{row.slug[:80]}-{row.pk}"
            row.save(update_fields=["slug", "deleted_at"])
