"""The first page of a history: rows that were there before it was kept, as they stood then."""

from django.apps.registry import Apps
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import RunPython
from django.utils import timezone

BATCH = 500


def begin(app: str, *models: str) -> RunPython:
    """A migration's step that writes each row of these models down as its own history's first.

    Without it the first change of an old row could be told, but not compared or taken back.
    Backwards there is nothing to do: the tables go.
    """

    def write_down(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
        now = timezone.now()
        for name in models:
            past = apps.get_model(app, f"Historical{name}")
            kept = {field.attname for field in past._meta.concrete_fields}
            stamp = {"history_date": now, "history_type": "+"}
            batch = []
            for row in apps.get_model(app, name)._base_manager.order_by("pk").iterator():
                fields = [field.attname for field in row._meta.concrete_fields]
                values = {field: getattr(row, field) for field in fields if field in kept}
                batch.append(past(**values, **stamp))
                if len(batch) == BATCH:
                    past._base_manager.bulk_create(batch)
                    batch.clear()
            past._base_manager.bulk_create(batch)

    return RunPython(write_down, RunPython.noop)
