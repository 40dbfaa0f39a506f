"""Salts and counts of new visitors belong to `limits` now; counts of the running hour go with them."""

from datetime import timedelta

from django.db import migrations

KIND, HOUR = "new browsers", timedelta(hours=1)


def copy_counts(apps, schema_editor):
    alias = schema_editor.connection.alias
    counts = apps.get_model("limits", "ActCount").objects.using(alias)
    for row in apps.get_model("reviews", "NewVisitors").objects.using(alias).iterator():
        counts.create(kind=KIND, key=row.network, until=row.hour + HOUR, acts=row.visitors)


def copy_back(apps, schema_editor):
    alias = schema_editor.connection.alias
    rows = apps.get_model("reviews", "NewVisitors").objects.using(alias)
    for count in apps.get_model("limits", "ActCount").objects.using(alias).filter(kind=KIND):
        rows.create(network=count.key, hour=count.until - HOUR, visitors=count.acts)


class Migration(migrations.Migration):
    dependencies = [("reviews", "0024_drop_held_groups"), ("limits", "0001_initial")]
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.DeleteModel(name="DailySalt")]
        ),
        migrations.RunPython(copy_counts, copy_back),
        migrations.DeleteModel(name="NewVisitors"),
    ]
