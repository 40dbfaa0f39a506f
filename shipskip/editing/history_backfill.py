"""Migration step that records a first version of rows older than their history."""

from django.apps.registry import Apps
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import RunPython
from django.utils import timezone

BATCH = 500


def record_first_versions(app: str, *models: str) -> RunPython:
    """A migration operation that records the first version of each row of these models.

    Without it the first change of an old row could not be compared or undone. The reverse does
    nothing: the history tables are dropped.
    """

    def record(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
        now = timezone.now()
        for name in models:
            version_model = apps.get_model(app, f"Historical{name}")
            tracked = {field.attname for field in version_model._meta.concrete_fields}
            meta = {"history_date": now, "history_type": "+"}
            batch = []
            for row in apps.get_model(app, name)._base_manager.order_by("pk").iterator():
                fields = [field.attname for field in row._meta.concrete_fields]
                values = {field: getattr(row, field) for field in fields if field in tracked}
                batch.append(version_model(**values, **meta))
                if len(batch) == BATCH:
                    version_model._base_manager.bulk_create(batch)
                    batch.clear()
            version_model._base_manager.bulk_create(batch)

    return RunPython(record, RunPython.noop)
