"""The history of a take holds whole reasons, and the corrections of public ones."""

from django.db import migrations, models
from django.db.models.functions import Length, Substr


def shorten(apps, schema_editor):
    """Shorten notes that the earlier field cannot hold; the public record keeps its reasons."""
    versions = apps.get_model("reviews", "HistoricalTake").objects
    notes = versions.alias(length=Length("history_change_reason")).filter(length__gt=100)
    notes.update(history_change_reason=Substr("history_change_reason", 1, 100))


class Migration(migrations.Migration):
    dependencies = [("reviews", "0007_group_held_votes")]
    operations = [
        migrations.AlterModelOptions(
            name="takechange",
            options={
                "default_permissions": (),
                "ordering": ["-at", "-pk"],
                "verbose_name": "changed verdict",
            },
        ),
        migrations.AlterField(
            model_name="historicaltake",
            name="history_change_reason",
            field=models.CharField(max_length=500, null=True),
        ),
        migrations.RunPython(migrations.RunPython.noop, shorten),
    ]
