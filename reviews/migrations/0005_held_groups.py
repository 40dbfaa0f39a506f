"""Groups of held votes, keyed hashes of networks on events, counts of new visitors and of days.

Empty texts are what the database fills in, since the previous release knows none of the columns.
"""

import uuid

import django.db.models.deletion
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models

STATES = [("counted", "Counted"), ("held", "Held"), ("void", "Void")]
CHOICES = [("ship", "Ship"), ("skip", "Skip")]


class AddCheck(AddConstraintNotValid):
    """A check that 0006 validates on PostgreSQL, so that nobody waits while rows are read."""

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        """On SQLite a plain AddConstraint: it rewrites the table, and readers never wait."""
        if schema_editor.connection.vendor == "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
        else:
            migrations.AddConstraint.database_forwards(
                self, app_label, schema_editor, from_state, to_state
            )


def held_group(related_name):
    return models.ForeignKey(
        db_constraint=False,
        db_index=False,
        editable=False,
        null=True,
        on_delete=django.db.models.deletion.SET_NULL,
        related_name=related_name,
        to="reviews.heldgroup",
    )


class Migration(migrations.Migration):
    dependencies = [
        ("reviews", "0004_no_tally_joins"),
        ("tools", "0003_entry_price_and_licence"),
    ]
    operations = [
        migrations.CreateModel(
            name="HeldGroup",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("tool", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="held_groups", to="tools.tool")),
                ("day", models.DateField()),
                ("network", models.CharField(editable=False, max_length=32, null=True)),
                ("last_act_at", models.DateTimeField()),
                ("state", models.CharField(choices=STATES, default="held", max_length=7)),
                ("reason", models.CharField(blank=True, max_length=200)),
                ("decided_at", models.DateTimeField(blank=True, editable=False, null=True)),
            ],
            options={
                "default_permissions": (),
                "indexes": [models.Index(fields=["state", "day"], name="held_group_of_state")],
                "constraints": [
                    models.UniqueConstraint(fields=("tool", "network"), name="one_group_of_network"),
                    models.CheckConstraint(condition=models.Q(("state__in", ["counted", "held", "void"])), name="held_group_state_known"),
                ],
            },
        ),
        migrations.CreateModel(
            name="NewVisitors",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("network", models.CharField(max_length=32)),
                ("hour", models.DateTimeField()),
                ("visitors", models.PositiveIntegerField(default=0)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("network", "hour"), name="new_visitors_once_per_hour")
                ],
            },
        ),
        migrations.CreateModel(
            name="VoteDay",
            fields=[
                ("day", models.DateField(primary_key=True, serialize=False)),
                ("counted", models.PositiveIntegerField()),
                ("held", models.PositiveIntegerField()),
                ("void", models.PositiveIntegerField()),
            ],
        ),
        migrations.AddField(
            model_name="vote",
            name="kept_choice",
            field=models.CharField(blank=True, choices=CHOICES, db_default="", default="", max_length=4),
        ),
        migrations.AddField(model_name="vote", name="group", field=held_group("votes")),
        migrations.AddField(
            model_name="voteevent",
            name="network",
            field=models.CharField(blank=True, db_default="", default="", editable=False, max_length=32),
        ),
        migrations.AddField(
            model_name="voteevent",
            name="wide_network",
            field=models.CharField(blank=True, db_default="", default="", editable=False, max_length=32),
        ),
        migrations.AddField(model_name="voteevent", name="group", field=held_group("acts")),
        migrations.RemoveConstraint(model_name="vote", name="vote_choice_known"),
        migrations.AlterField(
            model_name="vote",
            name="choice",
            field=models.CharField(blank=True, choices=CHOICES, max_length=4),
        ),
        AddCheck(
            model_name="vote",
            constraint=models.CheckConstraint(
                condition=models.Q(("choice__in", ["", "ship", "skip"])), name="vote_choice_known"
            ),
        ),
    ]
