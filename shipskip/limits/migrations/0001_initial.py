"""The salts come from `reviews`: their table is renamed, and no row is copied. Counts of acts get a
table of their own.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = [("reviews", "0024_drop_held_groups")]
    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    "ALTER TABLE reviews_dailysalt RENAME TO limits_dailysalt",
                    "ALTER TABLE limits_dailysalt RENAME TO reviews_dailysalt",
                )
            ],
            state_operations=[
                migrations.CreateModel(
                    name="DailySalt",
                    fields=[
                        ("day", models.DateField(primary_key=True, serialize=False)),
                        ("salt", models.BinaryField(max_length=32)),
                    ],
                ),
            ],
        ),
        migrations.CreateModel(
            name="ActCount",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=20)),
                ("key", models.CharField(max_length=32)),
                ("until", models.DateTimeField(db_index=True)),
                ("acts", models.PositiveIntegerField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("kind", "key", "until"), name="act_count_of_window")
                ],
            },
        ),
    ]
