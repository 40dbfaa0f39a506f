"""The indexes of groups and networks, made while visitors vote; outside of a transaction.

An attempt that ended at a lock leaves an invalid index, so each begins without one.
"""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class AddIndex(AddIndexConcurrently):
    """Concurrently on PostgreSQL, plainly on SQLite."""

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        """Make the index; repeating it is safe."""
        if schema_editor.connection.vendor == "postgresql":
            name = schema_editor.quote_name(self.index.name)
            schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            super().database_forwards(app_label, schema_editor, from_state, to_state)
        else:
            migrations.AddIndex.database_forwards(self, app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label, schema_editor, from_state, to_state):
        """Drop the index."""
        if schema_editor.connection.vendor == "postgresql":
            super().database_backwards(app_label, schema_editor, from_state, to_state)
        else:
            migrations.AddIndex.database_backwards(self, app_label, schema_editor, from_state, to_state)


def validate_check(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE reviews_vote VALIDATE CONSTRAINT vote_choice_known")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("reviews", "0005_held_groups")]
    operations = [
        AddIndex(
            model_name="voteevent",
            index=models.Index(fields=["wide_network", "state", "tool", "network"], name="event_of_network"),
        ),
        AddIndex(
            model_name="voteevent",
            index=models.Index(condition=models.Q(("group__isnull", False)), fields=["group"], name="event_of_group"),
        ),
        AddIndex(
            model_name="vote",
            index=models.Index(condition=models.Q(("group__isnull", False)), fields=["group"], name="vote_of_group"),
        ),
        migrations.RunPython(validate_check, migrations.RunPython.noop),
    ]
