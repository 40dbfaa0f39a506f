"""Sign-ups of networks are counted by `limits`; counts of the running day go with them."""

from datetime import UTC, datetime, time, timedelta

from django.db import migrations

KIND, DAY = "sign-ups", timedelta(days=1)


def copy_counts(apps, schema_editor):
    alias = schema_editor.connection.alias
    counts = apps.get_model("limits", "ActCount").objects.using(alias)
    for row in apps.get_model("newsletter", "JoinNetwork").objects.using(alias).iterator():
        until = datetime.combine(row.day + DAY, time(), UTC)
        counts.create(kind=KIND, key=row.network, until=until, acts=row.joins)


def copy_back(apps, schema_editor):
    alias = schema_editor.connection.alias
    rows = apps.get_model("newsletter", "JoinNetwork").objects.using(alias)
    for count in apps.get_model("limits", "ActCount").objects.using(alias).filter(kind=KIND):
        rows.create(network=count.key, day=(count.until - DAY).date(), joins=count.acts)


class Migration(migrations.Migration):
    dependencies = [("newsletter", "0009_one_sender"), ("limits", "0001_initial")]
    operations = [
        migrations.RunPython(copy_counts, copy_back),
        migrations.DeleteModel(name="JoinNetwork"),
    ]
